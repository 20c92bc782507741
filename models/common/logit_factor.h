#pragma once

#include <ATen/core/Tensor.h>

namespace kurve::models {

/// F [d, d]: the rows of states F have the inner products of the vocabulary logits states E^T, and so their
/// cosines, their centred ones and their rank, at a d-th of V the size.
[[nodiscard]] at::Tensor logitFactor(const at::Tensor& table);

}  // namespace kurve::models
