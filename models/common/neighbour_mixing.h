#pragma once

#include <ATen/core/Tensor.h>

namespace kurve::models {

/// Row i of the result is x_{i-1} / 4 + x_i / 2 + x_{i+1} / 4; where there is no neighbour its weight goes to
/// x_i itself, so that the weights sum to 1 at the ends too. x [B, L, H]; `maybeMask` as attentionMask(): the
/// positions it excludes are nobody's neighbours. Differentiable by x, once.
[[nodiscard]] at::Tensor mixNeighbours(const at::Tensor& x, const at::Tensor& maybeMask);

}  // namespace kurve::models
