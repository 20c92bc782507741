#pragma once

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/sentence_encoder/encoder_net.h"

namespace kurve::models::sentence_encoder {

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<Preset> presets();

/// Errors: model.heads.
[[nodiscard]] Status checkModel(const RunConfig& config);
[[nodiscard]] EncoderSizes sizesOf(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::sentence_encoder
