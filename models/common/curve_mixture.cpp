#include "models/common/curve_mixture.h"

#include <torch/torch.h>

#include "core/tensor/autocast.h"

namespace kurve::models {

CurveMixture::CurveMixture(torch::nn::Module& owner, std::int64_t curves, std::int64_t hidden)
    : curves_(curves) {
    if (curves == 1) return;
    tokens_ = owner.register_module("curve_tokens", torch::nn::Embedding(curves, hidden));
    scorer_ =
        owner.register_module("curve_scorer", Mlp(MlpImpl::Widths{hidden, hidden, 1}, MlpActivation::Relu));
}

at::Tensor CurveMixture::copies(const at::Tensor& tokens, const at::Tensor& maybeHead) const {
    if (curves_ == 1) return tokens;
    const std::int64_t rows = tokens.size(0), points = tokens.size(1), hidden = tokens.size(2);
    at::Tensor heads = tokens_->weight.unsqueeze(0);  // [1, N, H]
    if (maybeHead.defined()) heads = heads + maybeHead.unsqueeze(1);
    const at::Tensor copied = tokens.unsqueeze(1).expand({rows, curves_, points, hidden});
    return at::cat({heads.expand({rows, curves_, hidden}).unsqueeze(2), copied}, 2)
        .view({rows * curves_, points + 1, hidden});
}

at::Tensor CurveMixture::mask(const at::Tensor& maybeMask) const {
    if (curves_ == 1 || !maybeMask.defined()) return maybeMask;
    return at::constant_pad_nd(maybeMask, {1, 0}, 0).repeat_interleave(curves_, 0);
}

ForwardPass CurveMixture::wide(const ForwardPass& pass) const {
    ForwardPass wide = pass;
    wide.firstRow *= static_cast<std::uint64_t>(curves_);
    return wide;
}

at::Tensor CurveMixture::mixed(const at::Tensor& states, const ForwardPass& pass) {
    if (curves_ == 1) return states;
    const at::Tensor all = states.view({-1, curves_, states.size(1), states.size(2)});
    const at::Tensor scored = at::softmax(tensor::atLeastFloat(scorer_(all.select(2, 0)).squeeze(2)),
                                          1),  // [B, N]
        curves = all.narrow(2, 1, all.size(2) - 1);
    at::Tensor weights = scored;
    if (pass.decoding) {
        const at::Tensor best = scored.argmax(1);
        weights = at::one_hot(best, curves_).to(scored.scalar_type());
        if (pass.maybeCapture != nullptr)
            keepChosen(*pass.maybeCapture, at::arange(best.size(0), best.options()) * curves_ + best);
    }
    if (pass.maybeCapture != nullptr) {
        pass.maybeCapture->tensors["curves"] = curves;
        pass.maybeCapture->tensors["curve_weights"] = scored;
    }
    return (curves * weights.unsqueeze(2).unsqueeze(3)).sum(1);
}

void CurveMixture::keepChosen(StateCapture& capture, const at::Tensor& rows) const {
    for (auto& [name, value] : capture.tensors) {
        value = value.index_select(0, rows);
        if (value.dim() == 3) value = value.narrow(1, 1, value.size(1) - 1);
        if (value.dim() == 4) value = value.narrow(2, 1, value.size(2) - 1);
        if (value.dim() == 4 && !name.starts_with("cross_attention/"))  // its keys are the source's
            value = value.narrow(3, 1, value.size(3) - 1);
    }
}

Initializer curveMixtureInitializer(const std::string& name) {
    if (name != "curve_tokens.weight" && name.rfind("curve_scorer.", 0) != 0) return {};
    return endsWith(name, "bias") ? zeros() : normal(0.02);
}

}  // namespace kurve::models
