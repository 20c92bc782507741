#include "models/common/encoder.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "models/common/padding.h"

namespace kurve::models {
namespace {

at::Tensor fairseqSinusoid(std::int64_t rows, std::int64_t width) {
    const auto options = at::TensorOptions(at::kDouble);
    const std::int64_t half = width / 2;
    const double step = -std::log(1e4) / static_cast<double>(std::max<std::int64_t>(1, half - 1));
    const at::Tensor angle =
        at::arange(rows, options).unsqueeze(1) * at::exp(at::arange(half, options) * step);
    at::Tensor table = at::zeros({rows, width}, options);
    table.narrow(1, 0, half).copy_(at::sin(angle));
    table.narrow(1, half, half).copy_(at::cos(angle));
    table.select(0, kPaddingRow).zero_();
    return table;
}

}  // namespace

torch::nn::Embedding zeroTable(std::int64_t rows, std::int64_t width, std::optional<std::int64_t> padding) {
    torch::nn::EmbeddingOptions options(rows, width);
    if (padding) options.padding_idx(*padding);
    options._weight(at::zeros({rows, width}));
    return torch::nn::Embedding(options);
}

Linear unbiased(std::int64_t in, std::int64_t out) {
    return Linear(torch::nn::LinearOptions(in, out).bias(false));
}

void selectRows(CrossAttentionCache& cache, const at::Tensor& rows) {
    for (KeyValue& layer : cache.layers)
        layer = {layer.key.index_select(0, rows), layer.value.index_select(0, rows)};
    if (cache.mask.defined()) cache.mask = cache.mask.index_select(0, rows);
}

at::Tensor runEncoder(std::vector<EncoderLayer>& layers, at::Tensor x, const at::Tensor& mask,
                      const ForwardPass& pass) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        x = layers[i](x, mask, pass, "encoder." + std::to_string(i));
        pass.keep("encoder_layer_" + std::to_string(i), x, mask);
    }
    return x;
}

at::Tensor meanState(const at::Tensor& states, std::span<const std::int32_t> lengths) {
    const std::int64_t width = states.size(1);
    if (isFull(lengths, width)) return states.mean(1);
    const at::Tensor weight =
        realPositions(lengths, width, states.device()).to(states.scalar_type()).unsqueeze(2);
    return (states * weight).sum(1) / weight.sum(1);
}

PositionalEmbedding::PositionalEmbedding(torch::nn::Module& owner, const std::string& name,
                                         const Table& table)
    : table_(table) {
    if (table.kind == PositionKind::Learned)
        learned_ = owner.register_module(
            name, zeroTable(table.positions + kFirstPositionRow, table.width, kPaddingRow));
    else
        sines_ = fairseqSinusoid(table.positions + kFirstPositionRow, table.width);
}

at::Tensor PositionalEmbedding::rows(std::int64_t first, std::int64_t count, const at::Tensor& like) {
    KURVE_CHECK(first + count <= table_.positions, "positions {}..{} of {}", first, first + count,
                table_.positions);
    if (!learned_ && (sines_.device() != like.device() || sines_.scalar_type() != like.scalar_type()))
        sines_ = fairseqSinusoid(table_.positions + kFirstPositionRow, table_.width).to(like.options());
    return (learned_ ? learned_->weight : sines_).narrow(0, kFirstPositionRow + first, count);
}

TextEncoder::TextEncoder(torch::nn::Module& owner, const TextEncoderSizes& sizes)
    : scale_(sizes.embeddingScale),
      padding_(sizes.padding),
      positions_(owner, "encoder_positions", {sizes.positionKind, sizes.maxPositions, sizes.layer.hidden}) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        layers_.push_back(
            owner.register_module("encoder_layer_" + std::to_string(i), EncoderLayer(sizes.layer)));
}

at::Tensor TextEncoder::embed(const at::Tensor& source, const at::Tensor& table) {
    // The padding is on the right and nothing attends to it, so it may have the positions that follow.
    return at::embedding(table, source, padding_) * scale_ + positions_.rows(0, source.size(1), table);
}

at::Tensor TextEncoder::run(const at::Tensor& tokens, const at::Tensor& mask, const ForwardPass& pass) {
    return runEncoder(layers_, pass.dropped(tokens, "encoder"), mask, pass);
}

}  // namespace kurve::models
