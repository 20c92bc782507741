#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

namespace kurve::models {

enum class MlpActivation { GeluTanh, Silu };

/// W2 a(W1 x + b1) + b2; GELU in its tanh form.
class MlpImpl : public torch::nn::Module {
public:
    struct Widths {
        std::int64_t in = 0, inner = 0, out = 0;
    };
    MlpImpl(const Widths& widths, MlpActivation activation);
    at::Tensor forward(const at::Tensor& x);

    torch::nn::Linear in{nullptr}, out{nullptr};

private:
    MlpActivation activation_;
};
TORCH_MODULE(Mlp);

}  // namespace kurve::models
