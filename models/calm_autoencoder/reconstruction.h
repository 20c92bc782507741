#pragma once

#include "core/train/chunk_autoencoder.h"
#include "core/train/model_family.h"
#include "models/calm_autoencoder/autoencoder_net.h"

namespace kurve::models::calm_autoencoder {

/// Encodes and decodes the sources of a request (sampler.latent, sampler.noise). A trace of it has one step.
Result<train::Generation> reconstruct(AutoencoderNetImpl& net, const train::GenerateRequest& request,
                                      const RunConfig& sampler, trace::TraceSink* maybeTrace);

/// ChunkAutoencoder::encodeChunks(): the vectors are those that reconstruct() decodes.
[[nodiscard]] train::EncodedChunks encodeText(AutoencoderNetImpl& net, const std::vector<std::int32_t>& ids,
                                              const RunConfig& sampler, std::uint64_t seed,
                                              std::uint64_t row);
[[nodiscard]] at::Tensor decodeLatents(AutoencoderNetImpl& net, const at::Tensor& latents);

}  // namespace kurve::models::calm_autoencoder
