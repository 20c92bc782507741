#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace kurve::tensor {

/// cuBLAS counts the elements of a dot product in 32 bits.
inline constexpr std::int64_t kMaxDot = std::int64_t{1} << 30;

/// Of x [n]: a scalar on its device. Products of at most `piece` elements are added in their order.
[[nodiscard]] at::Tensor sumOfSquares(const at::Tensor& x, std::int64_t piece = kMaxDot);

}  // namespace kurve::tensor
