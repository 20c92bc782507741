#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "models/common/forward_pass.h"

namespace kurve::models {

/// Adaptive layer norm (DiT, Peebles and Xie 2023, section 3): a residual branch f becomes
/// x + gate f(LN(x) (1 + scale) + shift). The tensors broadcast to x: [B, 1, H], or [H] where the condition
/// is the same for all; undefined: the plain branch (shift 0, scale 0, gate 1).
struct Modulation {
    at::Tensor shift, scale, gate;
};

/// A modulation of [B, 1, H] for queries of several rows, [n, H]; one for all rows stays.
[[nodiscard]] at::Tensor atRows(const at::Tensor& vectors, const at::Tensor& rows);
[[nodiscard]] Modulation atRows(const Modulation& modulation, const at::Tensor& rows);

/// The outputs of `linear`, which maps the condition to `count` vectors of width H, in order: a condition
/// [B, C] gives [B, 1, H] each, a condition [C] gives [H].
[[nodiscard]] std::vector<at::Tensor> modulationVectors(torch::nn::Linear& linear,
                                                        const at::Tensor& condition, std::int64_t count);

/// residual + gate dropped(branch).
[[nodiscard]] at::Tensor addGated(const at::Tensor& residual, const at::Tensor& branch,
                                  const at::Tensor& maybeGate, const ForwardPass& pass,
                                  const std::string& layer);

/// LayerNorm with a weight and no bias, eps 1e-5, and the modulation's shift and scale.
class ModulatedLayerNormImpl : public torch::nn::Module {
public:
    explicit ModulatedLayerNormImpl(std::int64_t width);
    at::Tensor forward(const at::Tensor& x, const Modulation& modulation);  ///< [..., H]

    at::Tensor weight;
};
TORCH_MODULE(ModulatedLayerNorm);

}  // namespace kurve::models
