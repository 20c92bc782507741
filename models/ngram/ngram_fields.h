#pragma once

#include "core/train/model_family.h"
#include "models/ngram/ngram_net.h"

namespace kurve::models::ngram {

inline constexpr std::int64_t kMostTokens = 8;  ///< of ngram.n

[[nodiscard]] std::vector<FieldSpec> modelFields();
/// The Transformer's of texts; by default one sample.
[[nodiscard]] std::vector<FieldSpec> samplerFields();
/// tiny, tiny-curve, and the paper's of WikiText-2.
[[nodiscard]] std::vector<Preset> presets();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();
/// A part of the loss: "future_nll_2", j = 1 is the next token.
[[nodiscard]] std::string futureNllAt(std::int64_t position);

/// Checks that need the whole config. Errors: model.heads, map.control_points, with `field` set.
[[nodiscard]] Status checkModel(const RunConfig& config);
[[nodiscard]] NgramSizes sizesOf(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::ngram
