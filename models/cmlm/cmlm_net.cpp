#include "models/cmlm/cmlm_net.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/position_index.h"
#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

LayerSizes sizesOf(const RunConfig& config) {
    return {config.integer("model.hidden"), config.integer("model.heads"), config.integer("model.ffn")};
}

std::vector<std::int32_t> oneLonger(std::span<const std::int32_t> lengths) {
    std::vector<std::int32_t> longer(lengths.begin(), lengths.end());
    for (auto& length : longer) ++length;
    return longer;
}

}  // namespace

CmlmNetImpl::CmlmNetImpl(const RunConfig& config, const train::TextShape& shape)
    : token_(config.text("length.kind") == "token"),
      window_(config.integer("look_neighbors.window")),
      special_(shape.special) {
    const LayerSizes sizes = sizesOf(config);
    const std::int64_t positions = config.integer("model.max_positions");
    embedding = register_module("embedding", zeroTable(shape.targetVocabulary, sizes.hidden, special_.pad));
    if (!shape.jointVocabulary)
        sourceEmbedding = register_module("source_embedding",
                                          zeroTable(shape.sourceVocabulary, sizes.hidden, special_.pad));
    encoder_ = TextEncoder(*this, {sizes, config.integer("model.encoder_layers"), positions, 1.0,
                                   PositionKind::Learned, special_.pad});
    length_ = register_parameter("length", at::zeros({lengthClasses(config), sizes.hidden}));
    positions_ =
        PositionalEmbedding(*this, "decoder_positions", {PositionKind::Learned, positions, sizes.hidden});
    for (std::int64_t i = 0; i < config.integer("model.decoder_layers"); ++i)
        layers_.push_back(register_module("decoder_layer_" + std::to_string(i),
                                          CmlmLayer(sizes, config.flag("look_neighbors.attention"))));
    const std::string& top = config.text("look_neighbors.top");
    if (top == "none") return;
    const std::int64_t requested = config.integer("look_neighbors.hidden");
    top_ = register_module("decoder_top", LookNeighborsTop(LookNeighborsTopImpl::Shape{
                                              sizes.hidden,
                                              top == "paper"  ? 0
                                              : requested > 0 ? requested
                                                              : sizes.ffn,
                                              config.text("look_neighbors.edges") == "ordinary"}));
}

EncoderOutput CmlmNetImpl::encode(const at::Tensor& source, std::span<const std::int32_t> lengths,
                                  const ForwardPass& pass) {
    const std::int64_t rows = source.size(0), width = source.size(1);
    const at::Tensor mask = attentionMask(lengths, width, device());
    at::Tensor x = encoder_.embed(source, (sourceEmbedding ? sourceEmbedding : embedding)->weight);
    if (!token_) {
        const at::Tensor states = encoder_.run(x, mask, pass);
        return {states, mask, lengthLogits(meanState(states, lengths))};
    }
    x = at::cat({length_.narrow(0, 0, 1).expand({rows, 1, x.size(2)}), x}, 1);
    const at::Tensor all = encoder_.run(x, attentionMask(oneLonger(lengths), width + 1, device()), pass);
    return {all.narrow(1, 1, width), mask, lengthLogits(all.select(1, 0))};
}

at::Tensor CmlmNetImpl::lengthLogits(const at::Tensor& states) const {
    at::Tensor logits = tensor::linear(states, length_);
    if (!token_) return logits;
    const at::Tensor first =
        at::full({logits.size(0), 1}, -std::numeric_limits<float>::infinity(), logits.options());
    return at::cat({first, logits.narrow(1, 1, logits.size(1) - 1)}, 1);
}

std::int64_t CmlmNetImpl::lengthClass(std::int64_t tokens) const {
    return std::clamp<std::int64_t>(tokens - lengthOffset(), token_ ? 1 : 0, length_.size(0) - 1);
}

CrossAttentionCache CmlmNetImpl::precomputeCrossAttention(const EncoderOutput& encoded) {
    return models::precomputeCrossAttention(layers_, encoded.states, encoded.mask);
}

at::Tensor CmlmNetImpl::embedded(const at::Tensor& ids) {
    const at::Tensor& table = embedding->weight;
    return at::embedding(table, ids, special_.pad) + positions_.rows(0, ids.size(1), table);
}

DecoderLayerImpl::Masks CmlmNetImpl::masksOf(std::span<const std::int32_t> lengths, std::int64_t width,
                                             const CrossAttentionCache& crossCache) const {
    DecoderLayerImpl::Masks masks{attentionMask(lengths, width, device()), crossCache.mask};
    if (layers_.front()->neighbourAttention)
        masks.neighbours = neighbourMask(lengths, width, window_, device());
    return masks;
}

at::Tensor CmlmNetImpl::decode(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                               const CrossAttentionCache& crossCache, const ForwardPass& pass) {
    at::Tensor x = pass.dropped(embedded(ids), "decoder");
    const DecoderLayerImpl::Masks masks = masksOf(lengths, ids.size(1), crossCache);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const std::string number = std::to_string(i);
        x = layers_[i](x, crossCache.layers[i], masks, pass, "decoder." + number);
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + number] = x.detach();
        pass.keep("decoder_layer_" + number, x, masks.self);
    }
    return top_ ? top_(x, lengths, pass) : x;
}

at::Tensor CmlmNetImpl::penultimateStates(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                          const CrossAttentionCache& crossCache) {
    at::Tensor x = embedded(ids);
    const DecoderLayerImpl::Masks masks = masksOf(lengths, ids.size(1), crossCache);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i)
        x = layers_[i](x, crossCache.layers[i], masks, ForwardPass{}, "");
    return x;
}

at::Tensor CmlmNetImpl::finalLayerAtPositions(const at::Tensor& penultimate,
                                              std::span<const std::int32_t> lengths,
                                              const CrossAttentionCache& crossCache,
                                              std::span<const std::int64_t> positions) {
    const std::int64_t rows = penultimate.size(0), width = penultimate.size(1);
    DecoderLayerImpl::Masks masks = masksOf(lengths, width, crossCache);
    const PositionIndex index = positionIndex(positions, {rows, width, top_ ? 1 : 0});
    const auto rowsAt = [&](const at::Tensor& from, const std::vector<std::int64_t>& which) {
        return from.reshape({-1, from.size(-1)})
            .index_select(0, toDevice(std::span<const std::int64_t>(which), device()));
    };
    if (masks.neighbours.defined())
        masks.neighbours = rowsAt(masks.neighbours, index.from).view({rows, 1, index.width, width});
    const at::Tensor queries = rowsAt(penultimate, index.from).view({rows, index.width, penultimate.size(2)}),
                     states = layers_.back()->forwardAtPositions(queries, penultimate,
                                                                 crossCache.layers.back(), masks),
                     own = rowsAt(states, index.own);
    return top_ ? top_->forwardAtPositions(own, rowsAt(states, index.left), rowsAt(states, index.right))
                : own;
}

std::vector<at::Tensor> CmlmNetImpl::alphas() const {
    std::vector<at::Tensor> all;
    for (const CmlmLayer& layer : layers_)
        if (layer->neighbourAttention) all.push_back(layer->alpha);
    return all;
}

Status CmlmNetImpl::checkAlphas() const {
    const std::vector<at::Tensor> all = alphas();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::isfinite(all[i].item<float>()))
            return workError("model.not_finite", fmt::format("alpha of decoder layer {} is not finite", i))
                .at(fmt::format("decoder_layer_{}.alpha", i))
                .fix("resume from an earlier checkpoint with a lower train.lr");
    return {};
}

Initializer initializer(const RunConfig& config, std::int64_t padding, const std::string& name) {
    const auto hidden = config.integer("model.hidden");
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, "alpha")) return [](const at::Tensor& p, const StreamId&) { p.fill_(0.5); };
    if (endsWith(name, ".bias")) return zeros();
    const double stddev = config.real("init.embedding_std");
    if (endsWith(name, "embedding.weight")) return withZeroRow(padding, normal(stddev));
    if (endsWith(name, "positions.weight")) {
        // Rows as long as those of the embeddings: a sinusoid's are sqrt(hidden / 2).
        const Initializer rows = config.text("init.positions") == "sinusoid"
                                     ? scaled(std::sqrt(2.0) * stddev, sinusoid(kFirstPositionRow, 1))
                                     : normal(0.02);
        return withZeroRow(kPaddingRow, rows);
    }
    const Initializer weights = normal(config.real("init.layer_std"));
    if (config.text("init.cross_attention") == "identity") {
        if (endsWith(name, "cross.query.weight")) return identity();
        if (endsWith(name, "cross.key_value.weight")) return stacked(hidden, identity(), weights);
    }
    return weights;
}

}  // namespace kurve::models::cmlm
