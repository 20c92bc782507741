#include "models/common/mlp.h"

#include <torch/torch.h>

namespace kurve::models {

MlpImpl::MlpImpl(const Widths& widths, MlpActivation activation)
    : in(register_module("in", torch::nn::Linear(widths.in, widths.inner))),
      out(register_module("out", torch::nn::Linear(widths.inner, widths.out))),
      activation_(activation) {}

at::Tensor MlpImpl::forward(const at::Tensor& x) {
    const at::Tensor inner = in(x);
    return out(activation_ == MlpActivation::Silu ? at::silu(inner) : at::gelu(inner, "tanh"));
}

}  // namespace kurve::models
