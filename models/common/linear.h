#pragma once

#include <torch/nn/modules/linear.h>

#include "core/tensor/ops/linear.h"

namespace kurve::models {

/// torch's Linear by tensor::linear(); torch's own C++ forward adds the bias in a pass of its own.
class LinearImpl : public torch::nn::LinearImpl {
public:
    using torch::nn::LinearImpl::LinearImpl;
    at::Tensor forward(const at::Tensor& x) { return tensor::linear(x, weight, bias); }
};
TORCH_MODULE(Linear);

}  // namespace kurve::models
