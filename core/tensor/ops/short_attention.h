#pragma once

#include <ATen/core/Tensor.h>

namespace kurve::tensor {

/// Queries [B, heads, L, width], keys and values [B, heads, S, width], and a mask that broadcasts to
/// [B, heads, L, S], f32, or undefined.
struct AttentionInputs {
    at::Tensor query, key, value, maybeMask;
    bool causal = false;  ///< query i sees keys 0 … i
};

/// Whether shortAttention() takes them: f32 on the CPU or of shapes alone, up to 128 queries and keys, a
/// width that is a multiple of 8, a mask without gradient.
[[nodiscard]] bool fitsShortAttention(const AttentionInputs& inputs);

/// softmax(q k^T / sqrt(width) + mask) v, [B, heads, L, width] that lies in memory as [B, L, heads, width]; 0
/// for a query that may see nothing. Differentiable by all but the mask, once. ATen's kernel, made for long
/// sequences, takes 1.7 (128 positions) to 4.5 times (12) as long.
[[nodiscard]] at::Tensor shortAttention(const AttentionInputs& inputs);

/// shortAttention() of queries, keys and values that one projection gave as a block [B, L, 3, heads, width]:
/// [B, L, heads, width], with one block as the gradient. Undefined where they do not fit.
[[nodiscard]] at::Tensor maybeShortSelfAttention(const at::Tensor& block, const at::Tensor& maybeMask,
                                                 bool causal = false);

}  // namespace kurve::tensor
