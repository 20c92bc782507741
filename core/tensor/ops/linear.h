#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace kurve::tensor {

/// a b, of [n, k] and [k, m], and the bias [m] on every row. Without gradient: for operations that have their
/// own.
[[nodiscard]] at::Tensor matrixProduct(const at::Tensor& a, const at::Tensor& b,
                                       const std::optional<at::Tensor>& maybeBias = {});

/// x W^T + b for x [..., in], W [out, in] and b [out] or undefined, as at::linear(). f32 on the CPU, outside
/// autocast, is one operation forward and backward, by kernels::cpu::multiplyMatrices(), and differentiable
/// once; all else is ATen's.
[[nodiscard]] at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& maybeBias = {});

}  // namespace kurve::tensor
