#include "core/kernels/short_attention/short_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/detail/vector_math.h"

namespace kurve::kernels::cpu {
namespace {

constexpr std::int64_t kVector = 8;  // of a row's partial sums; rows of scores are padded to it
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::int64_t padded(std::int64_t count) {
    return (count + kVector - 1) / kVector * kVector;
}

/// A [rows, inner], element (i, j) at data[i * row + j * column], times B [inner, columns].
struct Product {
    const float* a = nullptr;
    std::int64_t row = 0, column = 0, rows = 0, inner = 0;
    ConstRows b;
    std::int64_t columns = 0;  ///< a multiple of 8
};

template <class Vector, int Height>
KURVE_INLINE void productTile(const Product& p, std::int64_t i, std::int64_t c, const Rows& out) {
    Vector sums[Height] = {};
    const float* a = p.a + i * p.row;
    const float* b = p.b.data + c;
    for (std::int64_t j = 0; j < p.inner; ++j, a += p.column, b += p.b.stride) {
        Vector row;
        std::memcpy(&row, b, sizeof row);
        for (int r = 0; r < Height; ++r) sums[r] += a[r * p.row] * row;
    }
    for (int r = 0; r < Height; ++r)
        std::memcpy(out.data + (i + r) * out.stride + c, &sums[r], sizeof sums[r]);
}

template <int Height>
KURVE_INLINE void productRows(const Product& p, std::int64_t i, const Rows& out) {
    std::int64_t c = 0;
    for (; c + 16 <= p.columns; c += 16) productTile<Sixteen, Height>(p, i, c, out);
    if (c < p.columns) productTile<Eight, Height>(p, i, c, out);
}

KURVE_INLINE void multiply(const Product& p, const Rows& out) {
    std::int64_t i = 0;
    for (; i + 6 <= p.rows; i += 6) productRows<6>(p, i, out);
    for (; i + 2 <= p.rows; i += 2) productRows<2>(p, i, out);
    for (; i < p.rows; ++i) productRows<1>(p, i, out);
}

/// [width, padded(count)], zeros behind the count.
KURVE_INLINE void transpose(const ConstRows& x, std::int64_t count, std::int64_t width, float* __restrict y) {
    const std::int64_t stride = padded(count), fours = count / 4 * 4;
    for (std::int64_t j = 0; j < fours; j += 4)
        for (std::int64_t d = 0; d < width; d += 4)
            transposeFour(x.data + j * x.stride + d, x.stride, y + d * stride + j, stride);
    for (std::int64_t d = 0; d < width; ++d) {
        for (std::int64_t j = fours; j < count; ++j) y[d * stride + j] = x.data[j * x.stride + d];
        for (std::int64_t j = count; j < stride; ++j) y[d * stride + j] = 0;
    }
}

/// a b^T [queries, padded(keys)] of rows of the head's width; b is transposed into `scratch`.
KURVE_INLINE void scalarProducts(const AttentionHead& head, const ConstRows& a, const ConstRows& b,
                                 float* scratch, float* out) {
    const std::int64_t columns = padded(head.keys);
    transpose(b, head.keys, head.width, scratch);
    multiply({a.data, a.stride, 1, head.queries, head.width, {scratch, columns}, columns}, {out, columns});
}

/// Products of query i become scores; -infinity where it sees nothing and behind the keys.
KURVE_INLINE void scoreRow(const AttentionHead& head, std::int64_t i, float* __restrict row) {
    const std::int64_t seen = head.causal ? std::min(i + 1, head.keys) : head.keys, all = padded(head.keys);
    if (head.mask.data != nullptr) {
        const float* __restrict mask = head.mask.data + i * head.mask.stride;
        for (std::int64_t j = 0; j < seen; ++j) row[j] = row[j] * head.scale + mask[j];
    } else {
        for (std::int64_t j = 0; j < seen; ++j) row[j] *= head.scale;
    }
    for (std::int64_t j = seen; j < all; ++j) row[j] = -kInfinity;
}

/// e^(x - less) of a row of whole vectors; gives the sum.
KURVE_INLINE float exponentials(float* __restrict row, std::int64_t count, float less) {
    float part[kVector] = {}, sum = 0;
    for (std::int64_t j = 0; j < count; j += kVector)
        for (std::int64_t l = 0; l < kVector; ++l) part[l] += row[j + l] = fastExp(row[j + l] - less);
    for (const float one : part) sum += one;
    return sum;
}

/// Scores become weights; gives log sum exp.
KURVE_INLINE float softmaxRow(float* __restrict row, std::int64_t count) {
    float most[kVector], largest = -kInfinity;
    for (float& one : most) one = -kInfinity;
    for (std::int64_t j = 0; j < count; j += kVector)
        for (std::int64_t l = 0; l < kVector; ++l) most[l] = row[j + l] > most[l] ? row[j + l] : most[l];
    for (const float one : most) largest = one > largest ? one : largest;
    if (largest == -kInfinity) largest = 0;
    const float sum = exponentials(row, count, largest);
    const float by = sum == 0 ? 0.0f : 1.0f / sum;
    for (std::int64_t j = 0; j < count; ++j) row[j] *= by;
    return sum == 0 ? 0.0f : largest + std::log(sum);
}

/// The gradient by scaled products, in place of that by the weights p.
KURVE_INLINE void scoreGradientRow(const float* __restrict p, float* __restrict d, std::int64_t count,
                                   float scale) {
    float part[kVector] = {}, along = 0;
    for (std::int64_t j = 0; j < count; j += kVector)
        for (std::int64_t l = 0; l < kVector; ++l) part[l] += p[j + l] * d[j + l];
    for (const float one : part) along += one;
    for (std::int64_t j = 0; j < count; ++j) d[j] = p[j] * (d[j] - along) * scale;
}

}  // namespace

std::size_t attentionScratch(std::int64_t queries, std::int64_t keys, std::int64_t width) {
    return static_cast<std::size_t>((width + 2 * queries) * padded(keys));
}

KURVE_CLONES void attendHead(const AttentionHead& head, float* scratch, const Rows& out, float* normaliser) {
    const std::int64_t columns = padded(head.keys);
    float* const weights = scratch + head.width * columns;
    scalarProducts(head, head.query, head.key, scratch, weights);
    for (std::int64_t i = 0; i < head.queries; ++i) {
        scoreRow(head, i, weights + i * columns);
        normaliser[i] = softmaxRow(weights + i * columns, columns);
    }
    multiply({weights, columns, 1, head.queries, head.keys, head.value, head.width}, out);
}

KURVE_CLONES void attendHeadBackward(const AttentionHead& head, const float* normaliser,
                                     const ConstRows& dOut, float* scratch,
                                     const AttentionGradients& gradients) {
    const std::int64_t columns = padded(head.keys);
    float *const weights = scratch + head.width * columns, *const d = weights + head.queries * columns;
    scalarProducts(head, head.query, head.key, scratch, weights);
    for (std::int64_t i = 0; i < head.queries; ++i) {
        scoreRow(head, i, weights + i * columns);
        // Without the sum of exponentials(), at which clang would take one at a time here.
        float* __restrict row = weights + i * columns;
        for (std::int64_t j = 0; j < columns; ++j) row[j] = fastExp(row[j] - normaliser[i]);
    }
    scalarProducts(head, dOut, head.value, scratch, d);
    for (std::int64_t i = 0; i < head.queries; ++i)
        scoreGradientRow(weights + i * columns, d + i * columns, columns, head.scale);
    multiply({weights, 1, columns, head.keys, head.queries, dOut, head.width}, gradients.value);
    multiply({d, columns, 1, head.queries, head.keys, head.key, head.width}, gradients.query);
    multiply({d, 1, columns, head.keys, head.queries, head.query, head.width}, gradients.key);
}

}  // namespace kurve::kernels::cpu
