#pragma once

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models::transformer {

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
/// tiny, base, big.
[[nodiscard]] std::vector<Preset> presets();

/// Checks that need the whole config. Errors: model.heads, model.hidden, model.max_positions with `field`
/// set.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::transformer
