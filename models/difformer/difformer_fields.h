#pragma once

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models::difformer {

/// Fields of the Difformer's network, process, loss and start; other families on its parts begin with them.
[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
/// tiny, iwslt14, wmt14.
[[nodiscard]] std::vector<Preset> basePresets();

/// What only the whole config shows. Errors: model.heads, model.max_positions with `field` set.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::difformer
