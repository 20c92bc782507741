#pragma once

#include <torch/nn/modules/embedding.h>

#include <optional>
#include <span>
#include <vector>

#include "models/common/layers.h"

namespace kurve::models {

/// Rows of a position table that come before the first position: row 0 is free (SCLM's curve token), row 1 is
/// padding. fairseq counts the same way: the first symbol has the id of its padding + 1.
inline constexpr std::int64_t kPaddingRow = 1, kFirstPositionRow = 2;

/// An embedding of zeros, without a draw from torch's own generator; its row `padding` gets no gradient.
[[nodiscard]] torch::nn::Embedding zeroTable(std::int64_t rows, std::int64_t width,
                                             std::optional<std::int64_t> padding = std::nullopt);
[[nodiscard]] Linear unbiased(std::int64_t in, std::int64_t out);

/// The decoder's keys and values of the encoder output, for every layer.
struct CrossAttentionCache {
    std::vector<KeyValue> layers;
    at::Tensor mask;  ///< attentionMask of the source
};
/// `layers`: holders with a member `cross`; states [B, S, H].
template <class DecoderLayers>
[[nodiscard]] CrossAttentionCache precomputeCrossAttention(DecoderLayers& layers, const at::Tensor& states,
                                                           const at::Tensor& mask) {
    CrossAttentionCache cache;
    for (auto& layer : layers) cache.layers.push_back(layer->cross->project(states));
    cache.mask = mask;
    return cache;
}

/// Keeps only these rows, in that order; indices i64 on its device.
void selectRows(CrossAttentionCache& cache, const at::Tensor& rows);

/// All layers in turn; their activations are captured as "encoder_layer_<i>".
[[nodiscard]] at::Tensor runEncoder(std::vector<EncoderLayer>& layers, at::Tensor x, const at::Tensor& mask,
                                    const ForwardPass& pass);
/// Mean over the real positions, [B, S, H] -> [B, H].
[[nodiscard]] at::Tensor meanState(const at::Tensor& states, std::span<const std::int32_t> lengths);

enum class PositionKind { Learned, Sinusoid };

/// The embedding of positions: a learned table, registered with its owner as `name`, or fairseq's
/// sinusoid (sines, then cosines, frequencies 10000^(-j / (width/2 - 1))), which is no parameter.
class PositionalEmbedding {
public:
    struct Table {
        PositionKind kind = PositionKind::Learned;
        std::int64_t positions = 0, width = 0;
    };
    PositionalEmbedding() = default;
    PositionalEmbedding(torch::nn::Module& owner, const std::string& name, const Table& table);
    /// [count, width] for the positions first, first + 1, … from 0, in the type and on the device of `like`.
    [[nodiscard]] at::Tensor rows(std::int64_t first, std::int64_t count, const at::Tensor& like);
    [[nodiscard]] std::int64_t maxPositions() const { return table_.positions; }

private:
    Table table_;
    torch::nn::Embedding learned_{nullptr};
    at::Tensor sines_;
};

struct TextEncoderSizes {
    LayerSizes layer;
    std::int64_t layers = 0, maxPositions = 0;
    double embeddingScale = 1;  ///< fairseq: sqrt(hidden), or 1 with --no-scale-embedding
    PositionKind positionKind = PositionKind::Learned;
    std::int64_t padding = 0;  ///< SpecialIds::pad
};

/// fairseq's Transformer encoder over an embedding that its owner shares with the decoder: scale E +
/// position, dropout, post-norm layers. Registers encoder_positions (if learned) and encoder_layer_<i> with
/// the owner.
class TextEncoder {
public:
    TextEncoder() = default;
    TextEncoder(torch::nn::Module& owner, const TextEncoderSizes& sizes);
    /// source [B, S] right-padded, table E [V, H] -> [B, S, H]; mask = attentionMask(lengths, S).
    [[nodiscard]] at::Tensor encode(const at::Tensor& source, const at::Tensor& table, const at::Tensor& mask,
                                    const ForwardPass& pass) {
        return run(embed(source, table), mask, pass);
    }
    /// Its two halves, for a caller that prepends a symbol to the source.
    [[nodiscard]] at::Tensor embed(const at::Tensor& source, const at::Tensor& table);
    [[nodiscard]] at::Tensor run(const at::Tensor& tokens, const at::Tensor& mask, const ForwardPass& pass);

private:
    double scale_ = 1;
    std::int64_t padding_ = 0;
    PositionalEmbedding positions_;
    std::vector<EncoderLayer> layers_;
};

}  // namespace kurve::models
