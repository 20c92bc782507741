#include "models/sclm/sclm_net.h"

#include <torch/torch.h>

namespace kurve::models::sclm {
namespace {

/// Rows of a position table for control points of the longest sentence, or for its words.
std::int64_t tokenRows(const RunConfig& config) {
    const std::int64_t words = config.integer("model.max_positions");
    const TokenMap map(config, at::kCPU);
    return map.atGreville() ? words : map.tokens(words);
}

std::int64_t decoderRows(const RunConfig& config) {
    const bool lifted = TokenMap(config, at::kCPU).liftLayer() > 0;
    return lifted ? config.integer("model.max_positions") : tokenRows(config);
}

}  // namespace

SclmNetImpl::SclmNetImpl(const RunConfig& config, const train::TextShape& shape, c10::Device device)
    : DifformerNetImpl(config, shape, decoderRows(config)),
      map_(std::make_unique<TokenMap>(config, device)),
      conditionsOnCurve_(config.text("map.self_cond_space") == "curve"),
      mixture_(*this, map_->curves(), config.integer("model.hidden")) {
    if (map_->liftLayer() > 0)
        liftPositions = register_module(
            "lift_positions",
            zeroTable(tokenRows(config) + kFirstPositionRow, config.integer("model.hidden"), kPaddingRow));
}

std::shared_ptr<const TokenLayout> SclmNetImpl::layout(std::span<const std::int32_t> lengths,
                                                       std::int64_t width) const {
    return map_->layout(lengths, width, is_training());
}

at::Tensor SclmNetImpl::inputStates(const Noisy& noisy, const CrossAttentionCache& crossCache,
                                    const TokenLayout& layout, const ForwardPass& pass) {
    const ForwardPass wide = mixture_.wide(pass);
    // Row 0 of the position table is e_n's position.
    const at::Tensor head = decoder.positions->weight[0] + noisy.time;
    if (!liftPositions) return firstStates(mixture_.copies(inputTokens(noisy, layout, pass), head), wide);
    const TokenLayout& words = layout.words();
    ForwardPass onWords = pass;
    onWords.maybeCapture = nullptr;  // a trace's states are those of control points
    const at::Tensor x = runLayers(firstStates(inputTokens(noisy, words, pass), pass), {0, map_->liftLayer()},
                                   crossCache, words.mask(), onWords);
    return mixture_.copies(layout.tokensFromWords(x) + layout.positions(liftPositions->weight), head);
}

Estimate SclmNetImpl::denoise(const Noisy& noisy, const CrossAttentionCache& crossCache,
                              const TokenLayout& layout, const ForwardPass& pass) {
    const at::Tensor states =
        runLayers(inputStates(noisy, crossCache, layout, pass), {map_->liftLayer(), decoder.layers.size()},
                  crossCache, mixture_.mask(layout.mask()), mixture_.wide(pass));
    const at::Tensor mixed = mixture_.mixed(states, pass);
    if (pass.maybeCapture != nullptr && mixture_.curves() > 1) {
        at::Tensor& curves = pass.maybeCapture->tensors.at("curves");
        curves = decoder.projectOut(curves);
    }
    return estimateOf(mixed, layout, pass);
}

at::Tensor SclmNetImpl::previousTokens(const at::Tensor& previous, const TokenLayout& layout) const {
    return conditionsOnCurve_ ? previous : DifformerNetImpl::previousTokens(previous, layout);
}

Estimate SclmNetImpl::estimateOf(const at::Tensor& states, const TokenLayout& layout,
                                 const ForwardPass& pass) {
    Estimate estimate = DifformerNetImpl::estimateOf(states, layout, pass);
    if (conditionsOnCurve_)
        estimate.selfConditioning = estimate.tokens.defined() ? estimate.tokens : decoder.projectOut(states);
    return estimate;
}

}  // namespace kurve::models::sclm
