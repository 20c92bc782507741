#pragma once

#include <torch/nn/modules/embedding.h>

#include <vector>

#include "core/text/special_ids.h"
#include "models/common/ada_ln.h"
#include "models/common/init.h"
#include "models/common/linear.h"
#include "models/common/mlp.h"

namespace kurve::models::calm_autoencoder {

struct AutoencoderSizes {
    std::int64_t vocabulary = 0, hidden = 0, ffn = 0;
    std::int64_t chunk = 0, latent = 0;                 ///< tokens of a chunk (K), width of its vector (l)
    std::int64_t encoderLayers = 0, decoderLayers = 0;  ///< even: half before, half after the change of width
    bool variational = true;
    text::SpecialIds special = {};
};

/// q(z | chunk) = N(mean, diag(exp(2 logStd))).
struct Posterior {
    at::Tensor mean, logStd;  ///< [n, l]
};

/// x + FFN(RMSNorm(x)), a SwiGLU without biases.
class AutoencoderBlockImpl : public torch::nn::Module {
public:
    explicit AutoencoderBlockImpl(const AutoencoderSizes& sizes);
    at::Tensor forward(const at::Tensor& x);

    ModulatedNorm norm{nullptr};
    Mlp ffn{nullptr};
};
TORCH_MODULE(AutoencoderBlock);

/// CALM's autoencoder of chunks (Shao et al. 2025, section 2): K tokens to one vector and back, every chunk
/// alone, without attention. The output projection is the embedding. Works in float32 and float64.
class AutoencoderNetImpl : public torch::nn::Module {
public:
    explicit AutoencoderNetImpl(const AutoencoderSizes& sizes);

    /// Chunks [n, K] i64. Without the variational part logStd is -inf.
    [[nodiscard]] Posterior encode(const at::Tensor& ids);
    /// States of the tokens of vectors z [n, l]: [n, K, H]; the logits are their products with outputTable().
    [[nodiscard]] at::Tensor decode(const at::Tensor& z);
    /// The likeliest tokens of vectors z [..., l], alone: [..., K] i64. The logits of so many tokens at once
    /// as fit into a few megabytes.
    [[nodiscard]] at::Tensor tokensOf(const at::Tensor& z);
    /// Multiplications by weights for one chunk.
    [[nodiscard]] double encoderProducts() const;
    [[nodiscard]] double decoderProducts() const;  ///< the vocabulary's included
    [[nodiscard]] const at::Tensor& outputTable() const { return embedding->weight; }
    [[nodiscard]] const AutoencoderSizes& sizes() const { return sizes_; }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }

    torch::nn::Embedding embedding{nullptr};

private:
    AutoencoderSizes sizes_;
    std::vector<AutoencoderBlock> encoder_, decoder_;
    Linear squeeze_{nullptr}, toLatent_{nullptr}, fromLatent_{nullptr}, expand_{nullptr};
    ModulatedNorm encoderNorm_{nullptr}, decoderNorm_{nullptr};
};
TORCH_MODULE(AutoencoderNet);

/// `published`: every weight N(0, 0.02), else N(0, 1 / fan in), of the embedding N(0, 1 / H); biases zero.
[[nodiscard]] Initializer autoencoderInitializer(const AutoencoderSizes& sizes, bool published,
                                                 const std::string& name, const at::Tensor& parameter);

}  // namespace kurve::models::calm_autoencoder
