#pragma once

#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/calm_autoencoder/autoencoder_net.h"

namespace kurve::models::calm_autoencoder {

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<Preset> presets();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();

/// Noise on the mean, in hundredths of its standard deviation, at which validation measures reconstruction.
inline constexpr int kNoises[] = {30, 50, 70, 100};
/// "token_accuracy_noise_30"
[[nodiscard]] std::string noisyAccuracy(int hundredths);

/// Errors: what needs the whole config, with the field.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);
[[nodiscard]] AutoencoderSizes sizesOf(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::calm_autoencoder
