#include "models/sclm/sclm_net.h"

#include <torch/torch.h>

#include "models/sclm/curve_layout.h"

namespace kurve::models::sclm {
namespace {

bool interpolates(const RunConfig& config) {
    return config.text("map.positions") == "greville";
}

/// Rows of the decoder's position table: control points of the longest sentence, or its words.
std::int64_t tokenRows(const RunConfig& config) {
    const std::int64_t words = config.integer("model.max_positions");
    if (config.text("map.kind") == "identity" || interpolates(config)) return words;
    return pointsFor(config, static_cast<int>(words));
}

}  // namespace

SclmNetImpl::SclmNetImpl(const RunConfig& config, const train::TextShape& shape, c10::Device device)
    : DifformerNetImpl(config, shape, tokenRows(config)),
      curves_(config.integer("map.curves")),
      conditionsOnCurve_(config.text("map.self_cond_space") == "curve"),
      atGreville_(interpolates(config)) {
    const std::int64_t hidden = config.integer("model.hidden");
    if (config.text("map.kind") != "identity") maps_ = std::make_unique<CurveMaps>(config, device);
    if (curves_ == 1) return;
    curveTokens = register_module("curve_tokens", torch::nn::Embedding(curves_, hidden));
    scorer = register_module("curve_scorer", Mlp(MlpImpl::Widths{hidden, hidden, 1}, MlpActivation::Relu));
}

std::shared_ptr<const difformer::TokenLayout> SclmNetImpl::layout(std::span<const std::int32_t> lengths,
                                                                  std::int64_t width) const {
    if (!maps_) return DifformerNetImpl::layout(lengths, width);
    return std::make_shared<CurveLayout>(maps_->batch(lengths, width, is_training()), atGreville_, device());
}

difformer::Estimate SclmNetImpl::denoise(const difformer::Noisy& noisy, const CrossAttentionCache& crossCache,
                                         const difformer::TokenLayout& layout, const ForwardPass& pass) {
    if (curves_ == 1) return DifformerNetImpl::denoise(noisy, crossCache, layout, pass);
    const std::int64_t rows = noisy.words.size(0);
    const at::Tensor tokens = withCurveTokens(inputTokens(noisy, layout, pass), noisy.time);
    at::Tensor mask = layout.mask();
    if (mask.defined()) mask = at::constant_pad_nd(mask, {1, 0}, 0).repeat_interleave(curves_, 0);
    // A row of the step has curves_ rows here; dropout counts those.
    ForwardPass wide = pass;
    wide.firstRow *= static_cast<std::uint64_t>(curves_);
    const at::Tensor states =
        runLayers(tokens, crossCache, mask, wide).view({rows, curves_, -1, tokens.size(2)});
    at::Tensor weights = at::softmax(scorer(states.select(2, 0)).squeeze(2), 1);  // [B, N]
    const at::Tensor curves = states.narrow(2, 1, states.size(2) - 1);
    const at::Tensor scored = weights;
    if (pass.decoding) {
        const at::Tensor best = weights.argmax(1);
        weights = at::one_hot(best, curves_).to(weights.scalar_type());
        if (pass.maybeCapture != nullptr)
            keepChosenCurve(*pass.maybeCapture, at::arange(rows, best.options()) * curves_ + best);
    }
    if (pass.maybeCapture != nullptr) {  // all of them, with the scorer's weights
        pass.maybeCapture->tensors["curves"] = decoder.projectOut(curves);
        pass.maybeCapture->tensors["curve_weights"] = scored;
    }
    const at::Tensor mixed = (curves * weights.unsqueeze(2).unsqueeze(3)).sum(1);
    return estimateOf(mixed, layout, pass);
}

at::Tensor SclmNetImpl::withCurveTokens(const at::Tensor& tokens, const at::Tensor& time) {
    const std::int64_t rows = tokens.size(0), points = tokens.size(1), hidden = tokens.size(2);
    // Row 0 of the position table is e_n's position.
    const at::Tensor heads =
        (curveTokens->weight + decoder.positions->weight[0]).unsqueeze(0) + time.unsqueeze(1);
    const at::Tensor copies = tokens.unsqueeze(1).expand({rows, curves_, points, hidden});
    return at::cat({heads.expand({rows, curves_, hidden}).unsqueeze(2), copies}, 2)
        .view({rows * curves_, points + 1, hidden});
}

void SclmNetImpl::keepChosenCurve(StateCapture& capture, const at::Tensor& rows) const {
    for (auto& [name, value] : capture.tensors) {
        value = value.index_select(0, rows);
        if (value.dim() == 3) value = value.narrow(1, 1, value.size(1) - 1);
        if (value.dim() == 4) value = value.narrow(2, 1, value.size(2) - 1).narrow(3, 1, value.size(3) - 1);
    }
}

at::Tensor SclmNetImpl::previousTokens(const at::Tensor& previous,
                                       const difformer::TokenLayout& layout) const {
    return conditionsOnCurve_ ? previous : DifformerNetImpl::previousTokens(previous, layout);
}

difformer::Estimate SclmNetImpl::estimateOf(const at::Tensor& states, const difformer::TokenLayout& layout,
                                            const ForwardPass& pass) {
    difformer::Estimate estimate = DifformerNetImpl::estimateOf(states, layout, pass);
    if (conditionsOnCurve_)
        estimate.selfConditioning = estimate.tokens.defined() ? estimate.tokens : decoder.projectOut(states);
    return estimate;
}

}  // namespace kurve::models::sclm
