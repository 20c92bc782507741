#pragma once

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/transformer/decoder_only_net.h"

namespace kurve::models::transformer {

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
/// tiny, base, big; tiny-text, small-text.
[[nodiscard]] std::vector<Preset> presets();

/// Checks that need the whole config. Errors: model.heads, model.hidden, model.max_positions with `field`
/// set. Of texts without a source only model.heads.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);

/// Of data.kind text.
[[nodiscard]] DecoderOnlySizes decoderOnlySizes(const RunConfig& config, const train::TextShape& shape);

}  // namespace kurve::models::transformer
