#include "models/common/mlp.h"

#include <torch/torch.h>

#include "core/tensor/ops/fused_layers.h"

namespace kurve::models {
namespace {

at::Tensor activated(at::Tensor x, MlpActivation activation) {
    switch (activation) {
        case MlpActivation::Relu:  // in place: the sign, all that the gradient needs, is in the result
            return x.relu_();
        case MlpActivation::Gelu:
            return at::gelu(x);
        case MlpActivation::GeluTanh:
            return tensor::geluTanh(x);
        case MlpActivation::Silu:
            return at::silu(x);
        case MlpActivation::SwiGlu:
            break;
    }
    return tensor::swiGlu(x);
}

}  // namespace

MlpImpl::MlpImpl(const Widths& widths, MlpActivation activation, bool bias) : activation_(activation) {
    const std::int64_t rows = activation == MlpActivation::SwiGlu ? 2 * widths.inner : widths.inner;
    using Options = torch::nn::LinearOptions;
    in = register_module("in", Linear(Options(widths.in, rows).bias(bias)));
    out = register_module("out", Linear(Options(widths.inner, widths.out).bias(bias)));
}

at::Tensor MlpImpl::forward(const at::Tensor& x) {
    return out(activated(in(x), activation_));
}

}  // namespace kurve::models
