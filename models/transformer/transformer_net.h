#pragma once

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/common/decoding_cache.h"
#include "models/common/encoder.h"

namespace kurve::models::transformer {

/// Encoder-decoder Transformer, post-norm, one embedding for source, target and output (no output bias),
/// scaled by sqrt(H) where it is read. Works in float32 and float64.
class TransformerNetImpl : public torch::nn::Module {
public:
    TransformerNetImpl(const RunConfig& config, const train::TextShape& shape);

    /// Sources right-padded [B, S], as the encoder reads them (firstSource()).
    [[nodiscard]] CrossAttentionCache encode(const at::Tensor& source, std::span<const std::int32_t> lengths,
                                             const ForwardPass& pass);
    /// States [B, L, H] of a whole right-padded target: state i has seen `previous` up to i and predicts what
    /// follows. `lengths` only tell padding apart where activations are kept.
    [[nodiscard]] at::Tensor decode(const at::Tensor& previous, const CrossAttentionCache& crossCache,
                                    std::span<const std::int32_t> lengths, const ForwardPass& pass);
    /// The same for one more token [R] of every row, whose tokens before it are in the cache: [R, H]. Rows
    /// come in equal groups per row of `crossCache`.
    [[nodiscard]] at::Tensor extend(const at::Tensor& tokens, const CrossAttentionCache& crossCache,
                                    DecodingCache& cache);
    [[nodiscard]] DecodingCache newCache(std::int64_t rows) const;
    [[nodiscard]] at::Tensor logits(const at::Tensor& states) const {
        return at::matmul(states, embedding->weight.t());
    }

    /// Ids that the encoder leaves out at the start of every source: its BOS, or none.
    [[nodiscard]] std::int64_t firstSource() const { return firstSource_; }
    [[nodiscard]] std::int64_t maxPositions() const { return maxPositions_; }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }

    torch::nn::Embedding embedding{nullptr}, sourceEmbedding{nullptr};
    std::vector<DecoderLayer> layers;

private:
    [[nodiscard]] at::Tensor embedded(const at::Tensor& ids, std::int64_t firstPosition);

    TextEncoder encoder_;
    PositionalEmbedding positions_;
    double scale_;
    std::int64_t firstSource_, maxPositions_, heads_;
};
TORCH_MODULE(TransformerNet);

}  // namespace kurve::models::transformer
