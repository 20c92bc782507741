#pragma once

#include <ATen/core/Tensor.h>

namespace kurve::diffusion {

/// -log p of the target token under p = softmax(x E^T), and its mean over the whole vocabulary (for label
/// smoothing).
struct TokenNll {
    at::Tensor nll;     ///< [n] -log p(target)
    at::Tensor smooth;  ///< [n] mean over v of -log p(v)
};

/// x [n, d], table E [V, d], target rows E[target] [n, d]; differentiable by all three. The n x V logits
/// exist once and are overwritten by the probabilities that the gradient needs.
[[nodiscard]] TokenNll fusedLinearCrossEntropy(const at::Tensor& x, const at::Tensor& table,
                                               const at::Tensor& targetRows);

/// The same from the target ids [n] i64, where their rows are not needed otherwise: the table's gradient is
/// then one block instead of the sum of three. The logits are x E^T + b, `maybeBias` b [V].
[[nodiscard]] TokenNll meanNll(const at::Tensor& x, const at::Tensor& table, const at::Tensor& ids,
                               const at::Tensor& maybeBias = {});

}  // namespace kurve::diffusion
