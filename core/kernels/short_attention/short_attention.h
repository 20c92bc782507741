#pragma once

#include <cstddef>
#include <cstdint>

/// softmax(scale q k^T + mask) v of one head, for sequences so short that its products and its scores stay in
/// the nearest caches: a general product of matrices spends most of its time there on its arrangements.
/// Vectorised, one thread, the same bits for the same input on one machine. NaN stays NaN; a query that may
/// see nothing gets 0 and no gradient.
namespace kurve::kernels::cpu {

/// Rows of `width` numbers, `stride` numbers apart.
struct ConstRows {
    const float* data = nullptr;
    std::int64_t stride = 0;
};
struct Rows {
    float* data = nullptr;
    std::int64_t stride = 0;
};

struct AttentionHead {
    std::int64_t queries = 0, keys = 0, width = 0;  ///< width a multiple of 8
    ConstRows query, key, value;
    ConstRows mask;       ///< [queries, keys], added to the scores; without data: none
    bool causal = false;  ///< query i sees keys 0 … i
    float scale = 1;
};

/// Numbers of scratch that one head needs, in the forward pass and in the backward pass.
[[nodiscard]] std::size_t attentionScratch(std::int64_t queries, std::int64_t keys, std::int64_t width);

/// `out` [queries, width]; `normaliser` [queries] is log sum exp of the scores, which the gradient needs.
void attendHead(const AttentionHead& head, float* scratch, const Rows& out, float* normaliser);

struct AttentionGradients {
    Rows query, key, value;
};
/// From that of the result.
void attendHeadBackward(const AttentionHead& head, const float* normaliser, const ConstRows& dOut,
                        float* scratch, const AttentionGradients& gradients);

}  // namespace kurve::kernels::cpu
