#pragma once

#include <ATen/core/Tensor.h>

namespace kurve::tensor {

/// silu(g) u of the halves g, u of [..., 2 width] (Shazeer 2020): [..., width]. Differentiable.
[[nodiscard]] at::Tensor swiGlu(const at::Tensor& gated);

/// GELU in its tanh form, of the shape of x. Differentiable.
[[nodiscard]] at::Tensor geluTanh(const at::Tensor& x);

/// x / sqrt(mean(x^2) + epsilon) weight (Zhang and Sennrich 2019), [..., width]. Differentiable.
[[nodiscard]] at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// log sum exp of the rows of x [n, V], of which at least one number each is finite: [n]. x becomes their
/// softmax. Without gradient.
at::Tensor softmaxInPlace(at::Tensor& x);

/// The row of the table [V, d] with the largest product with each row of x [n, d]: [n] i64. Never has more
/// than a few megabytes of products at once on a CPU. Without gradient.
[[nodiscard]] at::Tensor largestProduct(const at::Tensor& x, const at::Tensor& table);

}  // namespace kurve::tensor
