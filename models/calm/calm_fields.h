#pragma once

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/calm/calm_net.h"
#include "models/calm/chunk_head.h"

namespace kurve::models::calm {

inline constexpr const char* kAutoencoder = "model.autoencoder";

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<Preset> presets();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();

/// Errors: what needs the whole config, with the field.
[[nodiscard]] Status checkModel(const RunConfig& config);
[[nodiscard]] CalmSizes sizesOf(const RunConfig& config, const train::TextShape& shape,
                                const calm_autoencoder::AutoencoderSizes& autoencoder);
[[nodiscard]] std::shared_ptr<ChunkHead> headOf(const RunConfig& config, std::int64_t latent);
[[nodiscard]] HeadSampling headSampling(const RunConfig& sampler);

}  // namespace kurve::models::calm
