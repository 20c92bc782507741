#include "models/common/ada_ln.h"

#include <torch/torch.h>

#include "core/tensor/ops/fused_layers.h"

namespace kurve::models {

at::Tensor atRows(const at::Tensor& vectors, const at::Tensor& rows) {
    return vectors.defined() && vectors.dim() == 3 ? vectors.squeeze(1).index_select(0, rows) : vectors;
}

Modulation atRows(const Modulation& modulation, const at::Tensor& rows) {
    return {atRows(modulation.shift, rows), atRows(modulation.scale, rows), atRows(modulation.gate, rows)};
}

std::vector<at::Tensor> modulationVectors(Linear& linear, const at::Tensor& condition, std::int64_t count) {
    const at::Tensor all = linear(condition);
    return (condition.dim() == 1 ? all : all.unsqueeze(1)).chunk(count, -1);
}

at::Tensor addGated(const at::Tensor& residual, const at::Tensor& branch, const at::Tensor& maybeGate,
                    const ForwardPass& pass, const std::string& layer) {
    if (!maybeGate.defined()) return pass.addDropped(residual, branch, layer);
    return at::addcmul(residual, pass.dropped(branch, layer), maybeGate);
}

at::Tensor modulated(const at::Tensor& normed, const Modulation& modulation) {
    return at::addcmul(modulation.shift, normed, 1 + modulation.scale);
}

ModulatedNormImpl::ModulatedNormImpl(std::int64_t width, const NormSettings& settings)
    : weight(register_parameter("weight", at::ones({width}))), settings_(settings) {}

at::Tensor ModulatedNormImpl::normed(const at::Tensor& x, const std::optional<at::Tensor>& maybeWeight,
                                     const at::Tensor& maybeShift) const {
    if (settings_.kind == NormSettings::Kind::LayerNorm)
        return at::layer_norm(x, weight.sizes(), maybeWeight, maybeShift, settings_.epsilon);
    const at::Tensor y = maybeWeight ? tensor::rmsNorm(x, *maybeWeight, settings_.epsilon)
                                     : at::rms_norm(x, weight.sizes(), {}, settings_.epsilon);
    return maybeShift.defined() ? y + maybeShift : y;
}

at::Tensor ModulatedNormImpl::forward(const at::Tensor& x, const Modulation& modulation) {
    if (!modulation.scale.defined()) return normed(x, weight, {});
    const at::Tensor scaled = weight * (1 + modulation.scale);
    // The same for all rows: the norm's own weight and bias, without another pass over x.
    if (scaled.dim() == 1) return normed(x, scaled, modulation.shift);
    return at::addcmul(modulation.shift, normed(x, {}, {}), scaled);
}

}  // namespace kurve::models
