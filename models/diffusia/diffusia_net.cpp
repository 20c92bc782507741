#include "models/diffusia/diffusia_net.h"

#include <torch/torch.h>

#include <string>

#include "core/base/check.h"
#include "models/common/padding.h"

namespace kurve::models::diffusia {
namespace {

constexpr double kNormEpsilon = 1e-12;  // BERT's

/// Of x and of zeros for the columns that the map takes beside them.
at::Tensor ofFirstColumns(Linear& map, const at::Tensor& x) {
    return tensor::linear(x, map->weight.narrow(1, 0, x.size(2)), map->bias);
}

/// One for the keys of two sequences, one behind the other; undefined if neither has any.
at::Tensor joinedMasks(const at::Tensor& first, std::int64_t firstLength, const at::Tensor& second,
                       std::int64_t secondLength) {
    if (!first.defined() && !second.defined()) return {};
    const at::Tensor& known = first.defined() ? first : second;
    const auto open = [&](std::int64_t length) {
        return at::zeros({known.size(0), 1, 1, length}, known.options());
    };
    return at::cat(
        {first.defined() ? first : open(firstLength), second.defined() ? second : open(secondLength)}, 3);
}

void capture(const ForwardPass& pass, const std::string& name, const at::Tensor& states) {
    if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
        pass.maybeCapture->tensors[name] = states.detach();
}

std::string numbered(const char* name, std::size_t i) {
    return name + std::to_string(i);
}

void captureReads(const ForwardPass& pass, const std::vector<LayerRead>& reads) {
    if (pass.maybeCapture == nullptr) return;
    std::vector<std::int64_t> numbers;
    for (const LayerRead& read : reads)
        numbers.insert(numbers.end(), {read.target ? 1 : 0, read.layer, read.own, read.other});
    pass.maybeCapture->tensors["layer_reads"] = at::tensor(numbers).view({-1, 4});
}

/// One tower's "attention/<i>" over both sides becomes the target's to itself, and that across.
void splitAttention(std::map<std::string, at::Tensor>& captured, std::size_t i, std::int64_t conditions) {
    at::Tensor& weights = captured[numbered("attention/", i)];
    const std::int64_t words = weights.size(2) - conditions;
    const at::Tensor ofTarget = weights.narrow(2, conditions, words),
                     ofSource = weights.narrow(2, 0, conditions);
    captured[numbered("cross_attention/", i)] = ofTarget.narrow(3, 0, conditions);
    captured[numbered("condition_cross_attention/", i)] = ofSource.narrow(3, conditions, words);
    weights = ofTarget.narrow(3, conditions, words);
}

}  // namespace

ProjectionImpl::ProjectionImpl(const MlpImpl::Widths& widths)
    : in(register_module("in", Linear(widths.in, widths.inner))),
      out(register_module("out", Linear(widths.inner, widths.out))) {}

at::Tensor ProjectionImpl::forward(const at::Tensor& x) {
    return out(ofFirstColumns(in, x).tanh_());
}

DiffusiaNetImpl::DiffusiaNetImpl(const NetSizes& sizes)
    : sizes_(sizes),
      order_(layerOrder(sizes.kind, static_cast<std::size_t>(sizes.encoderLayers),
                        static_cast<std::size_t>(sizes.decoderLayers))) {
    if (sizes.kind != NetworkKind::Diffuseq) buildCondition();
    buildTarget();
    buildLayers();
    if (sizes.lengthClasses > 0)
        lengthHead_ = register_module("length_head", unbiased(sizes.hidden, sizes.lengthClasses));
}

void DiffusiaNetImpl::buildCondition() {
    if (sizes_.sharedEmbeddings)
        conditionProjection_ = register_module("condition_projection", Linear(sizes_.latent, sizes_.hidden));
    else
        conditionEmbedding_ =
            register_module("condition_embedding", zeroTable(sizes_.sourceVocabulary, sizes_.hidden));
    conditionPositions_ =
        register_module("condition_positions", zeroTable(sizes_.conditionLength, sizes_.hidden));
    conditionNorm_ = register_module("condition_norm", layerNorm(sizes_.hidden, kNormEpsilon));
}

void DiffusiaNetImpl::buildTarget() {
    const std::int64_t hidden = sizes_.hidden, latent = sizes_.latent, features = sizes_.timeFeatures;
    const bool tower = sizes_.kind == NetworkKind::Diffuseq,
               fused = sizes_.selfConditioning == SelfConditioning::Fused;
    targetEmbedding = register_module("target_embedding", zeroTable(sizes_.targetVocabulary, latent));
    roundingBias = register_parameter("rounding_bias", at::zeros({sizes_.targetVocabulary}));
    targetPositions = register_module(
        "target_positions", zeroTable(sizes_.targetLength + (tower ? sizes_.conditionLength : 0), hidden));
    if (sizes_.selfConditioning == SelfConditioning::Concatenation)
        mix_ = register_module("mix", Linear(2 * latent, latent));
    inputProjection_ = register_module(
        "input_projection", Projection(MlpImpl::Widths{fused ? 2 * latent : latent, hidden, hidden}));
    timeProjection_ =
        register_module("time_projection", TimeEmbedding(MlpImpl::Widths{features, 4 * features, hidden}));
    targetNorm_ = register_module("target_norm", layerNorm(hidden, kNormEpsilon));
    outputProjection_ =
        register_module("output_projection", Projection(MlpImpl::Widths{hidden, hidden, latent}));
}

void DiffusiaNetImpl::buildLayers() {
    const LayerSizes layer{sizes_.hidden, sizes_.heads, sizes_.ffn, MlpActivation::Gelu, kNormEpsilon};
    const bool crosses = sizes_.kind == NetworkKind::Diffusia || sizes_.kind == NetworkKind::WithoutSi;
    for (std::size_t i = 0; i < static_cast<std::size_t>(sizes_.encoderLayers); ++i) {
        const std::string name = numbered("encoder_layer_", i);
        if (crosses)
            crossing_.push_back(register_module(name, DecoderLayer(layer)));
        else
            encoder_.push_back(register_module(name, EncoderLayer(layer)));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(sizes_.decoderLayers); ++i)
        decoder_.push_back(register_module(numbered("decoder_layer_", i), DecoderLayer(layer)));
}

void DiffusiaNetImpl::addStepSampler(const diffusion::StepSamplerImpl::Sizes& sizes) {
    stepSampler = register_module("step_sampler", diffusion::StepSampler(sizes));
}

Condition DiffusiaNetImpl::encode(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                  const ForwardPass& pass) {
    Condition condition;
    condition.mask = attentionMask(lengths, ids.size(1), device());
    if (sizes_.kind == NetworkKind::Diffuseq) {
        condition.first = embedTarget(ids);
        return condition;
    }
    const at::Tensor words = conditionProjection_ ? conditionProjection_(embedTarget(ids))
                                                  : at::embedding(conditionEmbedding_->weight, ids);
    at::Tensor c = pass.dropped(conditionNorm_(words + conditionPositions_->weight.narrow(0, 0, ids.size(1))),
                                "condition");
    condition.first = c;
    if (sizes_.kind == NetworkKind::Diffused) {
        condition.states.push_back(c);
        for (std::size_t i = 0; i < encoder_.size(); ++i) {
            condition.reads.push_back(
                {false, static_cast<std::int64_t>(i), std::ssize(condition.states) - 1, -1});
            c = encoder_[i](c, condition.mask, pass, numbered("encoder.", i));
            pass.keep(numbered("encoder_layer_", i), c, condition.mask);
            condition.states.push_back(c);
        }
        condition.cache = precomputeCrossAttention(decoder_, c, condition.mask);
    }
    if (lengthHead_) condition.lengthLogits = lengthHead_(meanState(c, lengths));
    return condition;
}

Condition DiffusiaNetImpl::repeated(const Condition& condition, std::int64_t times) const {
    if (times == 1 || sizes_.kind == NetworkKind::Diffused) return condition;
    Condition all = condition;
    all.first = condition.first.repeat_interleave(times, 0);
    if (condition.mask.defined()) all.mask = condition.mask.repeat_interleave(times, 0);
    return all;
}

at::Tensor DiffusiaNetImpl::embedTarget(const at::Tensor& ids) {
    return at::embedding(targetEmbedding->weight, ids);
}

at::Tensor DiffusiaNetImpl::timeEmbedding(const at::Tensor& modelTimes) {
    return timeProjection_(modelTimes);
}

at::Tensor DiffusiaNetImpl::logits(const at::Tensor& x) const {
    return at::matmul(x, targetEmbedding->weight.t()) + roundingBias;
}

at::Tensor DiffusiaNetImpl::input(const Noisy& noisy, const at::Tensor& positions, const ForwardPass& pass) {
    at::Tensor x = noisy.words;
    if (noisy.previous.defined() && sizes_.selfConditioning == SelfConditioning::Sum)
        x = x + noisy.previous;
    else if (noisy.previous.defined() && sizes_.selfConditioning != SelfConditioning::None)
        x = at::cat({x, noisy.previous}, 2);
    if (mix_) x = ofFirstColumns(mix_, x);
    const at::Tensor sum = inputProjection_(x) + positions + noisy.time.unsqueeze(1);
    return pass.dropped(targetNorm_(sum), "target");
}

Estimate DiffusiaNetImpl::denoise(const Noisy& noisy, const Condition& condition, const TokenLayout& layout,
                                  const ForwardPass& pass) {
    const bool tower = sizes_.kind == NetworkKind::Diffuseq;
    Estimate estimate;
    estimate.words = outputProjection_(tower ? runTower(noisy, condition, layout, pass)
                                             : runLayers(noisy, condition, layout, pass));
    estimate.selfConditioning = estimate.words;
    if (pass.maybeCapture != nullptr) estimate.tokens = estimate.words.clone();
    return estimate;
}

at::Tensor DiffusiaNetImpl::runTower(const Noisy& noisy, const Condition& condition,
                                     const TokenLayout& layout, const ForwardPass& pass) {
    const std::int64_t conditions = condition.first.size(1), words = noisy.words.size(1);
    Noisy both = noisy;
    both.words = at::cat({condition.first, noisy.words}, 1);
    if (noisy.previous.defined())
        both.previous = at::cat({at::zeros_like(condition.first), noisy.previous}, 1);
    const at::Tensor& rows = targetPositions->weight;
    at::Tensor x = input(
        both, at::cat({rows.narrow(0, 0, conditions), rows.narrow(0, sizes_.conditionLength, words)}), pass);
    const at::Tensor mask = joinedMasks(condition.mask, conditions, layout.mask(), words);
    std::vector<LayerRead> reads;
    for (std::size_t i = 0; i < encoder_.size(); ++i) {
        const auto before = std::ssize(reads) / 2;  // layers of the tower
        for (const bool target : {false, true})
            reads.push_back({target, static_cast<std::int64_t>(i), before, before});
        x = encoder_[i](x, mask, pass, numbered("encoder.", i));
        pass.keep(numbered("encoder_layer_", i), x, mask);
        if (pass.maybeCapture != nullptr && pass.maybeCapture->attention)
            splitAttention(pass.maybeCapture->tensors, i, conditions);
        capture(pass, numbered("hidden/", i), x.narrow(1, conditions, words));
        capture(pass, numbered("condition/", i + 1), x.narrow(1, 0, conditions));
    }
    captureReads(pass, reads);
    return x.narrow(1, conditions, words);
}

at::Tensor DiffusiaNetImpl::runLayers(const Noisy& noisy, const Condition& condition,
                                      const TokenLayout& layout, const ForwardPass& pass) {
    StateCapture ofEncoder{false, pass.maybeCapture != nullptr && pass.maybeCapture->attention, {}};
    ForwardPass encoderPass = pass;
    // Its layers have the same numbers as the decoder's. Without a trace none: a backward pass may come
    // later.
    encoderPass.maybeCapture = ofEncoder.attention ? &ofEncoder : nullptr;
    std::vector<at::Tensor> c = condition.states,
                            x{input(noisy, targetPositions->weight.narrow(0, 0, noisy.words.size(1)), pass)};
    if (c.empty()) c.push_back(condition.first);
    std::vector<LayerRead> reads = condition.reads;
    for (const LayerCall& call : order_) {
        if (call.decoder) {
            DecoderLayer& layer = decoder_[call.layer];
            const bool cached = !condition.cache.layers.empty();  // the last state
            const KeyValue read =
                cached ? condition.cache.layers[call.layer] : layer->cross->project(c[call.reads]);
            reads.push_back({true, static_cast<std::int64_t>(call.layer), std::ssize(x) - 1,
                             cached ? std::ssize(c) - 1 : static_cast<std::int64_t>(call.reads)});
            x.push_back(layer(x.back(), read, DecoderLayerImpl::Masks{layout.mask(), condition.mask}, pass,
                              numbered("decoder.", call.layer)));
            pass.keep(numbered("decoder_layer_", call.layer), x.back(), layout.mask());
            capture(pass, numbered("hidden/", call.layer), x.back());
        } else if (!crossing_.empty()) {
            DecoderLayer& layer = crossing_[call.layer];
            reads.push_back({false, static_cast<std::int64_t>(call.layer), std::ssize(c) - 1,
                             static_cast<std::int64_t>(call.reads)});
            c.push_back(layer(c.back(), layer->cross->project(x[call.reads]),
                              DecoderLayerImpl::Masks{condition.mask, layout.mask()}, encoderPass,
                              numbered("encoder.", call.layer)));
            pass.keep(numbered("encoder_layer_", call.layer), c.back(), condition.mask);
        }
    }
    if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)  // for every candidate
        for (std::size_t i = 0; i < c.size(); ++i)
            capture(pass, numbered("condition/", i), c[i].repeat_interleave(x[0].size(0) / c[i].size(0), 0));
    for (std::size_t i = 0; ofEncoder.attention && i < crossing_.size(); ++i)
        pass.maybeCapture->tensors[numbered("condition_cross_attention/", i)] =
            ofEncoder.tensors.at(numbered("cross_attention/", i));
    captureReads(pass, reads);
    return x.back();
}

}  // namespace kurve::models::diffusia
