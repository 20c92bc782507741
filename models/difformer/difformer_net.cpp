#include "models/difformer/difformer_net.h"

#include <torch/torch.h>

#include <cmath>

#include "models/common/padding.h"

namespace kurve::models::difformer {
namespace {

constexpr std::int64_t kLengthClasses = 256;  // fairseq nonautoregressive_transformer.py

LayerSizes layerSizes(const RunConfig& config) {
    return {config.integer("model.hidden"), config.integer("model.heads"), config.integer("model.ffn")};
}

}  // namespace

DifformerNetImpl::DifformerNetImpl(const RunConfig& config, const train::TextShape& shape,
                                   std::int64_t tokenRows)
    : scale_(std::sqrt(static_cast<double>(config.integer("model.latent")))), special_(shape.special) {
    const std::int64_t hidden = config.integer("model.hidden"), latent = config.integer("model.latent");
    embedding = register_module("embedding", zeroTable(shape.targetVocabulary, latent, special_.pad));
    if (!shape.jointVocabulary)
        sourceEmbedding =
            register_module("source_embedding", zeroTable(shape.sourceVocabulary, latent, special_.pad));
    buildEncoder(config);
    buildDecoder(config, tokenRows);
    length = register_module("length", unbiased(hidden, kLengthClasses));
    if (config.flag("model.latent_norm"))
        latentNorm =
            register_module("latent_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({latent})));
}

void DifformerNetImpl::buildEncoder(const RunConfig& config) {
    const std::int64_t hidden = config.integer("model.hidden");
    encoder.projectIn =
        register_module("encoder_project_in", unbiased(config.integer("model.latent"), hidden));
    encoder.positions = register_module(
        "encoder_positions",
        zeroTable(config.integer("model.max_positions") + kFirstPositionRow, hidden, kPaddingRow));
    for (std::int64_t i = 0; i < config.integer("model.encoder_layers"); ++i)
        encoder.layers.push_back(
            register_module("encoder_layer_" + std::to_string(i), EncoderLayer(layerSizes(config))));
}

void DifformerNetImpl::buildDecoder(const RunConfig& config, std::int64_t tokenRows) {
    const std::int64_t hidden = config.integer("model.hidden"), latent = config.integer("model.latent");
    decoder.projectIn = register_module("decoder_project_in", unbiased(latent, hidden));
    if (config.real("diffusion.self_conditioning") > 0)
        decoder.selfCondition = register_module(
            "self_condition", Mlp(MlpImpl::Widths{2 * hidden, hidden, hidden}, MlpActivation::Relu));
    decoder.time =
        register_module("time", Mlp(MlpImpl::Widths{hidden, 4 * hidden, hidden}, MlpActivation::Relu));
    decoder.positions =
        register_module("decoder_positions", zeroTable(tokenRows + kFirstPositionRow, hidden, kPaddingRow));
    decoder.norm =
        register_module("decoder_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({hidden})));
    for (std::int64_t i = 0; i < config.integer("model.decoder_layers"); ++i)
        decoder.layers.push_back(
            register_module("decoder_layer_" + std::to_string(i), DecoderLayer(layerSizes(config))));
    decoder.projectOut = register_module("decoder_project_out", unbiased(hidden, latent));
}

EncoderOutput DifformerNetImpl::encode(const at::Tensor& source, std::span<const std::int32_t> lengths,
                                       const ForwardPass& pass) {
    const std::int64_t width = source.size(1);
    const at::Tensor& words = (sourceEmbedding ? sourceEmbedding : embedding)->weight;
    at::Tensor x = encoder.projectIn(at::embedding(words, source, special_.pad) * scale_);
    x = pass.dropped(x + encoder.positions->weight.narrow(0, kFirstPositionRow, width), "encoder");
    const at::Tensor mask = attentionMask(lengths, width, device());
    x = runEncoder(encoder.layers, x, mask, pass);
    return {x, length(meanState(x, lengths))};
}

CrossAttentionCache DifformerNetImpl::precomputeCrossAttention(const EncoderOutput& encoded,
                                                               std::span<const std::int32_t> lengths) {
    return models::precomputeCrossAttention(decoder.layers, encoded.states,
                                            attentionMask(lengths, encoded.states.size(1), device()));
}

at::Tensor DifformerNetImpl::embedTarget(const at::Tensor& ids) {
    return at::embedding(embedding->weight, ids, special_.pad);
}

at::Tensor DifformerNetImpl::latentOf(const at::Tensor& embedded) {
    const at::Tensor scaled = embedded * scale_;
    return latentNorm ? latentNorm(scaled) : scaled;
}

at::Tensor DifformerNetImpl::timeEmbedding(std::span<const double> modelTimes) {
    return decoder.time(timestepEmbeddings(modelTimes, decoder.norm->weight.size(0), device()));
}

at::Tensor DifformerNetImpl::inputTokens(const Noisy& noisy, const TokenLayout& layout,
                                         const ForwardPass& pass) {
    const std::int64_t hidden = decoder.norm->weight.size(0);
    Mlp& mix = decoder.selfCondition;
    at::Tensor inner = decoder.projectIn(layout.tokensFromWords(noisy.words));
    if (!mix) return inner + noisy.time.unsqueeze(1) + layout.positions(decoder.positions->weight);
    if (noisy.previous.defined()) {
        const at::Tensor previous = decoder.projectIn(previousTokens(noisy.previous, layout));
        inner = mix->in(at::cat({inner, previous}, 2));
    } else {  // the same with zeros for the previous estimate
        inner = tensor::linear(inner, mix->in->weight.narrow(1, 0, hidden), mix->in->bias);
    }
    const at::Tensor tokens = pass.dropped(mix->out(inner.relu_()), "self_condition");
    return tokens + noisy.time.unsqueeze(1) + layout.positions(decoder.positions->weight);
}

at::Tensor DifformerNetImpl::firstStates(const at::Tensor& tokens, const ForwardPass& pass) {
    return pass.dropped(decoder.norm(tokens), "decoder");
}

at::Tensor DifformerNetImpl::runLayers(at::Tensor x, const LayerRange& range,
                                       const CrossAttentionCache& crossCache, const at::Tensor& mask,
                                       const ForwardPass& pass) {
    for (std::size_t i = range.first; i < range.end; ++i) {
        x = decoder.layers[i](x, crossCache.layers[i], DecoderLayerImpl::Masks{mask, crossCache.mask}, pass,
                              "decoder." + std::to_string(i));
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + std::to_string(i)] = x.detach();
        pass.keep("decoder_layer_" + std::to_string(i), x, mask);
    }
    return x;
}

Estimate DifformerNetImpl::denoise(const Noisy& noisy, const CrossAttentionCache& crossCache,
                                   const TokenLayout& layout, const ForwardPass& pass) {
    const at::Tensor x = firstStates(inputTokens(noisy, layout, pass), pass);
    return estimateOf(runLayers(x, {0, decoder.layers.size()}, crossCache, layout.mask(), pass), layout,
                      pass);
}

Estimate DifformerNetImpl::estimateOf(const at::Tensor& states, const TokenLayout& layout,
                                      const ForwardPass& pass) {
    Estimate estimate;
    estimate.words = estimate.selfConditioning = decoder.projectOut(layout.wordsFromTokens(states));
    if (pass.maybeCapture != nullptr) estimate.tokens = decoder.projectOut(states);
    return estimate;
}

at::Tensor DifformerNetImpl::previousTokens(const at::Tensor& previous, const TokenLayout& layout) const {
    return layout.tokensFromWords(previous);
}

std::shared_ptr<const TokenLayout> DifformerNetImpl::layout(std::span<const std::int32_t> lengths,
                                                            std::int64_t width) const {
    return std::make_shared<TokenLayout>(lengths, width, device());
}

}  // namespace kurve::models::difformer
