#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace kurve::models {

// Masks to be added to attention scores, 0 or -inf, in the dtype and on the device of `like`. Sums of them
// and of attentionMask() allow what all allow; a position that may see nothing has no defined output.

/// 0 where `allowed` [..., L, S] bool, on the device of `like`.
[[nodiscard]] at::Tensor additiveMask(const at::Tensor& allowed, const at::Tensor& like);

/// [L, L]: position i sees those up to i.
[[nodiscard]] at::Tensor causalMask(std::int64_t length, const at::Tensor& like);

/// [L, L]: position i sees its own block of `block` positions and those before it (the last may be shorter).
[[nodiscard]] at::Tensor blockCausalMask(std::int64_t length, std::int64_t block, const at::Tensor& like);

/// [B, 1, L, L]: every position of row r sees the first prefixes[r] ones, and those up to itself.
[[nodiscard]] at::Tensor prefixMask(std::span<const std::int32_t> prefixes, std::int64_t length,
                                    const at::Tensor& like);

}  // namespace kurve::models
