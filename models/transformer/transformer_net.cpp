#include "models/transformer/transformer_net.h"

#include <torch/torch.h>

#include <cmath>

#include "models/common/attention_masks.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"

namespace kurve::models::transformer {
namespace {

/// The decoder's input for a target [B, L + 1] of BOS, tokens, EOS: EOS, tokens.
at::Tensor shifted(const at::Tensor& target, std::int64_t eos) {
    at::Tensor previous = target.narrow(1, 0, target.size(1) - 1).clone();
    previous.select(1, 0).fill_(eos);
    return previous;
}

class SourceDecoder final : public IncrementalDecoder {
public:
    SourceDecoder(TransformerNetImpl& net, CrossAttentionCache crossCache, std::int64_t rows)
        : IncrementalDecoder(net.newCache(rows)), net_(net), crossCache_(std::move(crossCache)) {}
    at::Tensor extend(const at::Tensor& tokens) override {
        return net_.logits(net_.extend(tokens, crossCache_, cache_));
    }
    void selectTexts(const at::Tensor& index) override { selectRows(crossCache_, index); }

private:
    TransformerNetImpl& net_;
    CrossAttentionCache crossCache_;
};

}  // namespace

TransformerNetImpl::TransformerNetImpl(const RunConfig& config, const train::TextShape& shape)
    : AutoregressiveNet(shape.special),
      scale_(std::sqrt(static_cast<double>(config.integer("model.hidden")))),
      firstSource_(config.flag("model.source_bos") ? 0 : 1),
      maxPositions_(config.integer("model.max_positions")),
      heads_(config.integer("model.heads")) {
    const LayerSizes sizes{config.integer("model.hidden"), heads_, config.integer("model.ffn")};
    const PositionKind kind =
        config.text("model.positions") == "learned" ? PositionKind::Learned : PositionKind::Sinusoid;
    embedding = register_module("embedding", zeroTable(shape.targetVocabulary, sizes.hidden, special().pad));
    if (!shape.jointVocabulary)
        sourceEmbedding = register_module("source_embedding",
                                          zeroTable(shape.sourceVocabulary, sizes.hidden, special().pad));
    encoder_ = TextEncoder(
        *this, {sizes, config.integer("model.encoder_layers"), maxPositions_, scale_, kind, special().pad});
    positions_ = PositionalEmbedding(*this, "decoder_positions", {kind, maxPositions_, sizes.hidden});
    for (std::int64_t i = 0; i < config.integer("model.decoder_layers"); ++i)
        layers.push_back(register_module("decoder_layer_" + std::to_string(i), DecoderLayer(sizes)));
}

CrossAttentionCache TransformerNetImpl::encode(const at::Tensor& source,
                                               std::span<const std::int32_t> lengths,
                                               const ForwardPass& pass) {
    const at::Tensor mask = attentionMask(lengths, source.size(1), device());
    const at::Tensor& table = (sourceEmbedding ? sourceEmbedding : embedding)->weight;
    return precomputeCrossAttention(layers, encoder_.encode(source, table, mask, pass), mask);
}

at::Tensor TransformerNetImpl::embedded(const at::Tensor& ids, std::int64_t firstPosition) {
    return at::embedding(embedding->weight, ids, special().pad) * scale_ +
           positions_.rows(firstPosition, ids.size(1), embedding->weight);
}

at::Tensor TransformerNetImpl::decode(const at::Tensor& previous, const CrossAttentionCache& crossCache,
                                      std::span<const std::int32_t> lengths, const ForwardPass& pass) {
    at::Tensor x = pass.dropped(embedded(previous, 0), "decoder");
    // Real positions attend to earlier ones only, and padding follows them: the causal mask is enough.
    const DecoderLayerImpl::Masks masks{causalMask(previous.size(1), x), crossCache.mask};
    const at::Tensor padding =
        pass.maybeActivations == nullptr ? at::Tensor() : attentionMask(lengths, previous.size(1), device());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        x = layers[i](x, crossCache.layers[i], masks, pass, "decoder." + std::to_string(i));
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + std::to_string(i)] = x.detach();
        pass.keep("decoder_layer_" + std::to_string(i), x, padding);
    }
    return x;
}

DecodingCache TransformerNetImpl::newCache(std::int64_t rows) const {
    const std::int64_t hidden = embedding->weight.size(1);
    return DecodingCache({rows, static_cast<std::int64_t>(layers.size()), heads_, hidden / heads_},
                         embedding->weight.options());
}

at::Tensor TransformerNetImpl::extend(const at::Tensor& tokens, const CrossAttentionCache& crossCache,
                                      DecodingCache& cache) {
    at::Tensor x = embedded(tokens.unsqueeze(1), cache.length());
    for (std::size_t i = 0; i < layers.size(); ++i)
        x = layers[i]->extend(x, crossCache.layers[i], crossCache.mask,
                              {cache, static_cast<std::int64_t>(i)});
    cache.advance();
    return x.squeeze(1);
}

at::Tensor TransformerNetImpl::states(const TeacherForced& batch, const ForwardPass& pass) {
    const CrossAttentionCache crossCache = encode(batch.source, batch.sourceLengths, pass);
    return decode(shifted(batch.target, special().eos), crossCache, batch.targetLengths, pass);
}

std::unique_ptr<IncrementalDecoder> TransformerNetImpl::begin(const TextGroup& group) {
    return std::make_unique<SourceDecoder>(*this, encode(group.source, group.sourceLengths, {}),
                                           group.source.size(0));
}

std::int64_t TransformerNetImpl::firstToken(std::span<const std::int32_t> /*known*/) const {
    return special().eos;
}

Status TransformerNetImpl::check(const train::GenerateRequest& request) const {
    return checkLengths(request.sources, maxPositions_);
}

}  // namespace kurve::models::transformer
