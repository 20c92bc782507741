#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "models/common/linear.h"

namespace kurve::models {

/// GELU exact (BERT) or in its tanh form; SwiGlu: silu(g) u of the halves g, u of the first map (Shazeer
/// 2020).
enum class MlpActivation : std::uint8_t { Relu, Gelu, GeluTanh, Silu, SwiGlu };

/// W2 a(W1 x + b1) + b2, with or without both biases; SwiGlu: W1 is [2 inner, in], the gate's rows first.
class MlpImpl : public torch::nn::Module {
public:
    struct Widths {
        std::int64_t in = 0, inner = 0, out = 0;
    };
    MlpImpl(const Widths& widths, MlpActivation activation, bool bias = true);
    at::Tensor forward(const at::Tensor& x);

    Linear in{nullptr}, out{nullptr};

private:
    MlpActivation activation_;
};
TORCH_MODULE(Mlp);

}  // namespace kurve::models
