#pragma once

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/normalization.h>

#include "core/text/special_ids.h"
#include "models/common/decoding_cache.h"
#include "models/common/linear.h"
#include "models/common/pre_norm_block.h"

namespace kurve::models::calm {

inline constexpr double kNormEpsilon = 1e-6;  ///< of every norm of CALM

/// What the language model reads of a chunk (Shao et al. 2025, section 3.3.3 and Table 5).
enum class ChunkInput : std::uint8_t {
    Discrete,    ///< its tokens' embeddings, compressed
    Continuous,  ///< its vector
    Both,        ///< the sum of the two
};

struct CalmSizes {
    std::int64_t vocabulary = 0, hidden = 0, ffn = 0, layers = 0, heads = 0;
    std::int64_t chunk = 0, latent = 0;  ///< of the autoencoder
    ChunkInput input = ChunkInput::Discrete;
    std::int64_t maxChunks = 0;  ///< of a text, the one before it included
    text::SpecialIds special = {};

    [[nodiscard]] bool readsTokens() const { return input != ChunkInput::Continuous; }
    [[nodiscard]] bool readsLatents() const { return input != ChunkInput::Discrete; }
};

/// CALM's backbone (section 3.3.3): Llama (Touvron et al. 2023) over chunks. State i has seen chunks up to i.
/// Works in float32 and float64.
class CalmNetImpl : public torch::nn::Module {
public:
    explicit CalmNetImpl(const CalmSizes& sizes);

    /// Inputs of chunks: ids [..., K] i64, their vectors [..., l] where the network reads them.
    [[nodiscard]] at::Tensor inputs(const at::Tensor& ids, const at::Tensor& maybeLatents);
    /// [B, C, H] of inputs(), causal.
    [[nodiscard]] at::Tensor states(const at::Tensor& inputs, const ForwardPass& pass);
    /// The same in evaluation mode for further chunks [R, n, H] behind those in the cache.
    [[nodiscard]] at::Tensor extend(const at::Tensor& inputs, DecodingCache& cache);
    [[nodiscard]] DecodingCache newCache(std::int64_t rows) const;

    [[nodiscard]] const CalmSizes& sizes() const { return sizes_; }
    [[nodiscard]] c10::Device device() const { return norm->weight.device(); }

    torch::nn::Embedding embedding{nullptr};
    Mlp compress{nullptr};
    torch::nn::LayerNorm compressNorm{nullptr};
    Linear latentInput{nullptr};
    std::vector<PreNormBlock> blocks;
    ModulatedNorm norm{nullptr};

private:
    [[nodiscard]] BlockContext context(std::int64_t first, std::int64_t count);

    CalmSizes sizes_;
    RotaryEmbedding rotary_;
};
TORCH_MODULE(CalmNet);

/// The chunks that the network reads to predict `ids` [B, C, K]: one of <s> before them, without the last.
[[nodiscard]] at::Tensor readChunks(const at::Tensor& ids, const text::SpecialIds& special);

/// `published`: weights N(0, 0.02), else N(0, 1 / fan in), of the embedding N(0, 1 / H); the row of <pad>
/// and biases zero, norms one.
[[nodiscard]] Initializer calmInitializer(const CalmSizes& sizes, bool published, const std::string& name,
                                          const at::Tensor& parameter);
/// Of any Linear and norm.
[[nodiscard]] Initializer plainInitializer(bool published, const std::string& name,
                                           const at::Tensor& parameter);

}  // namespace kurve::models::calm
