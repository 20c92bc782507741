#pragma once

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/lcm/denoising.h"
#include "models/lcm/lcm_net.h"

namespace kurve::models::lcm {

inline constexpr const char* kConcepts = "model.concepts";

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<Preset> presets();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();

/// Errors: what needs the whole config, with the field.
[[nodiscard]] Status checkModel(const RunConfig& config);
[[nodiscard]] LcmSizes sizesOf(const RunConfig& config, std::int64_t width);
/// The signal of the T steps, alpha_bar; the last has none. The config is checked.
[[nodiscard]] std::vector<double> alphaBarsOf(const RunConfig& config);
[[nodiscard]] diffusion::Target targetOf(const RunConfig& config);
/// Errors: sampler.steps.
Result<DenoisingSettings> denoisingOf(const RunConfig& sampler, std::span<const double> alphaBars,
                                      diffusion::Target target);

}  // namespace kurve::models::lcm
