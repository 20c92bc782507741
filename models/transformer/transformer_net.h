#pragma once

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/common/encoder.h"
#include "models/transformer/autoregressive_net.h"

namespace kurve::models::transformer {

/// Encoder-decoder Transformer, post-norm, one embedding for source, target and output (no output bias),
/// scaled by sqrt(H) where it is read. Works in float32 and float64.
class TransformerNetImpl : public AutoregressiveNet {
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

    /// encode() and decode(); the decoder reads EOS in the place of BOS.
    at::Tensor states(const TeacherForced& batch, const ForwardPass& pass) override;
    const at::Tensor& outputTable() const override { return embedding->weight; }
    std::unique_ptr<IncrementalDecoder> begin(const TextGroup& group) override;
    std::int64_t firstToken(std::span<const std::int32_t> known) const override;
    std::int64_t room(std::size_t /*known*/) const override { return maxPositions_ - 1; }
    Status check(const train::GenerateRequest& request) const override;
    std::int64_t firstSource() const override { return firstSource_; }
    std::int64_t maxPositions() const override { return maxPositions_; }

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
