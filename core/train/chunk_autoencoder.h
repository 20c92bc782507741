#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace kurve {
class RunConfig;
}

namespace kurve::train {

/// The chunks of a text and their vectors, on the host.
struct EncodedChunks {
    at::Tensor ids;     ///< [C, K] i64: from behind BOS to EOS, the last chunk filled with <pad>
    at::Tensor mean;    ///< [C, l] f32: of q(z | chunk)
    at::Tensor sigma;   ///< [C, l] f32: its standard deviations; 0 where a chunk has one vector
    at::Tensor latent;  ///< [C, l] f32: the z that is decoded, with the noise of the sampler's settings
};

/// A model that turns every K tokens into a vector and back (Shao et al. 2025, section 2). One thread at a
/// time, as the model.
class ChunkAutoencoder {
public:
    virtual ~ChunkAutoencoder() = default;
    /// Of a text's ids with BOS and EOS. `sampler` says which vector of a chunk; text `row` of `seed` has the
    /// noise that generate() gives it.
    virtual EncodedChunks encodeChunks(const std::vector<std::int32_t>& ids, const RunConfig& sampler,
                                       std::uint64_t seed, std::uint64_t row) = 0;
    /// The likeliest tokens of vectors [n, l] f32: [n, K] i64, on the host.
    virtual at::Tensor decodeChunks(const at::Tensor& latents) = 0;
};

}  // namespace kurve::train
