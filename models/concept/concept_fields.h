#pragma once

#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/concept/concept_net.h"

namespace kurve::models::sentence_concept {

inline constexpr const char* kEncoder = "model.encoder";

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<Preset> presets();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();

/// Noise on the vector, in hundredths of its root mean square, at which validation measures reconstruction.
inline constexpr int kNoises[] = {30, 50, 70, 100};
/// "reconstructed_sentences_noise_30"
[[nodiscard]] std::string noisySentences(int hundredths);

/// "reconstructed_sentences_books_4"
[[nodiscard]] std::string quantizedSentences(std::int64_t books);

[[nodiscard]] Status checkModel(const RunConfig& config);
[[nodiscard]] ConceptSizes sizesOf(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::sentence_concept
