#include "models/common/ada_ln.h"

#include <torch/torch.h>

namespace kurve::models {

at::Tensor atRows(const at::Tensor& vectors, const at::Tensor& rows) {
    return vectors.defined() && vectors.dim() == 3 ? vectors.squeeze(1).index_select(0, rows) : vectors;
}

Modulation atRows(const Modulation& modulation, const at::Tensor& rows) {
    return {atRows(modulation.shift, rows), atRows(modulation.scale, rows), atRows(modulation.gate, rows)};
}

std::vector<at::Tensor> modulationVectors(torch::nn::Linear& linear, const at::Tensor& condition,
                                          std::int64_t count) {
    const at::Tensor all = linear(condition);
    return (condition.dim() == 1 ? all : all.unsqueeze(1)).chunk(count, -1);
}

at::Tensor addGated(const at::Tensor& residual, const at::Tensor& branch, const at::Tensor& maybeGate,
                    const ForwardPass& pass, const std::string& layer) {
    if (!maybeGate.defined()) return pass.addDropped(residual, branch, layer);
    return at::addcmul(residual, pass.dropped(branch, layer), maybeGate);
}

ModulatedLayerNormImpl::ModulatedLayerNormImpl(std::int64_t width)
    : weight(register_parameter("weight", at::ones({width}))) {}

at::Tensor ModulatedLayerNormImpl::forward(const at::Tensor& x, const Modulation& modulation) {
    constexpr double kEpsilon = 1e-5;
    const at::IntArrayRef width = weight.sizes();
    if (!modulation.scale.defined()) return at::layer_norm(x, width, weight, {}, kEpsilon);
    const at::Tensor scaled = weight * (1 + modulation.scale);
    // The same for all rows: the norm's own weight and bias, without another pass over x.
    if (scaled.dim() == 1) return at::layer_norm(x, width, scaled, modulation.shift, kEpsilon);
    return at::addcmul(modulation.shift, at::layer_norm(x, width, {}, {}, kEpsilon), scaled);
}

}  // namespace kurve::models
