#include "core/kernels/matrix_product/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/kernels/detail/vector_math.h"

// After Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): B is packed into
// panels as wide as a tile, and a tile of the result stays in registers. Rows of A are read where they lie: a
// training step's are few enough to stay in the second-level cache.
namespace kurve::kernels::cpu {
namespace {

constexpr std::int64_t kDepth = 1024;  // of a panel: with its tile's rows in the second-level cache
constexpr std::int64_t kBlock = std::int64_t{128} * 1024;  // elements of A between two passes over B's panels
constexpr std::int64_t kKept = std::int64_t{4} * 1024 * 1024;  // elements of packed panels
constexpr std::int64_t kTranslations = 512;  // columns of A, each on a page of its own, read without packing
constexpr std::int64_t kConflictStride = 1024;  // elements between rows that fall into one set of the cache

/// Rows of A and columns of B that a tile of the result has.
template <class Lanes, std::int64_t Height, std::int64_t Vectors>
struct Tile {
    static constexpr std::int64_t kLanes = sizeof(Lanes) / sizeof(float), kHeight = Height,
                                  kVectors = Vectors, kWidth = kLanes * Vectors;
    using Vector = Lanes;
};

/// Row r of the result starts at `maybeFirst` + r * stride, or at 0.
struct FirstSums {
    const float* maybeFirst = nullptr;
    std::int64_t stride = 0;
};

template <class Shape, std::int64_t Height>
KURVE_INLINE void sumTile(const Matrix& a, const float* panel, std::int64_t inner, const FirstSums& first,
                          float* out, std::int64_t stride) {
    using Vector = typename Shape::Vector;
    Vector sums[Height][Shape::kVectors] = {};
    if (first.maybeFirst != nullptr)
        for (std::int64_t r = 0; r < Height; ++r)
            std::memcpy(&sums[r], first.maybeFirst + r * first.stride, sizeof sums[r]);
    const float* from = a.data;
    for (std::int64_t j = 0; j < inner; ++j, from += a.column, panel += Shape::kWidth) {
        Vector row[Shape::kVectors];
        std::memcpy(&row, panel, sizeof row);
        for (std::int64_t r = 0; r < Height; ++r)
            for (std::int64_t v = 0; v < Shape::kVectors; ++v) sums[r][v] += from[r * a.row] * row[v];
    }
    for (std::int64_t r = 0; r < Height; ++r) std::memcpy(out + r * stride, &sums[r], sizeof sums[r]);
}

/// [inner, Width] of the first `columns` columns of b, zeros behind them.
template <std::int64_t Width>
KURVE_INLINE void pack(const Matrix& b, std::int64_t inner, std::int64_t columns, float* __restrict to) {
    std::int64_t j = 0;
    if (columns == Width && b.column == 1)
        for (; j < inner; ++j) std::memcpy(to + j * Width, b.data + j * b.row, Width * sizeof(float));
    if (columns == Width && b.row == 1 && Width % 4 == 0)
        for (; j + 4 <= inner; j += 4)
            for (std::int64_t c = 0; c < Width; c += 4)
                transposeFour(b.data + c * b.column + j, b.column, to + j * Width + c, Width);
    for (; j < inner; ++j)
        for (std::int64_t c = 0; c < Width; ++c)
            to[j * Width + c] = c < columns ? b.data[j * b.row + c * b.column] : 0;
}

/// Height rows of `part` by a panel of B, whose columns begin at `column`; sums go on where `more`.
template <class Shape, std::int64_t Height>
KURVE_INLINE void multiplyRows(const MatrixProduct& part, std::int64_t column, const float* panel,
                               bool more) {
    constexpr std::int64_t kWidth = Shape::kWidth;
    const std::int64_t columns = std::min(kWidth, part.columns - column);
    float* const out = part.out + column;
    FirstSums first;
    if (more)
        first = {out, part.outStride};
    else if (part.maybeBias != nullptr)
        first = {part.maybeBias + column, 0};
    if (columns == kWidth) {
        sumTile<Shape, Height>(part.a, panel, part.inner, first, out, part.outStride);
        return;
    }
    float whole[Height * kWidth] = {};
    const auto bytes = static_cast<std::size_t>(columns) * sizeof(float);
    for (std::int64_t r = 0; r < Height && first.maybeFirst != nullptr; ++r)
        std::memcpy(whole + r * kWidth, first.maybeFirst + r * first.stride, bytes);
    sumTile<Shape, Height>(part.a, panel, part.inner, {whole, kWidth}, whole, kWidth);
    for (std::int64_t r = 0; r < Height; ++r)
        std::memcpy(out + r * part.outStride, whole + r * kWidth, bytes);
}

/// multiplyRows() of all rows of `part`, of which there are at most Height.
template <class Shape, std::int64_t Height = Shape::kHeight>
KURVE_INLINE void multiplyLastRows(const MatrixProduct& part, std::int64_t column, const float* panel,
                                   bool more) {
    if (part.rows == Height)
        multiplyRows<Shape, Height>(part, column, panel, more);
    else if constexpr (Height > 1)
        multiplyLastRows<Shape, Height - 1>(part, column, panel, more);
}

/// The rows of A as strips of a tile's height, each [inner, height].
template <std::int64_t Height>
KURVE_INLINE void packStrips(const Matrix& a, std::int64_t inner, std::int64_t rows, float* to) {
    for (std::int64_t i = 0; i < rows; i += Height, to += inner * Height)
        pack<Height>({a.data + i * a.row, a.column, a.row}, inner, std::min(Height, rows - i), to);
}

/// All rows of `part` by one panel; `maybeStrips` are its rows as packStrips() lays them.
template <class Shape>
KURVE_INLINE void multiplyPanel(MatrixProduct part, const float* maybeStrips, std::int64_t column,
                                const float* panel, bool more) {
    constexpr std::int64_t kHeight = Shape::kHeight;
    for (std::int64_t left = part.rows; left > 0; left -= kHeight) {
        part.rows = std::min(left, kHeight);
        if (maybeStrips != nullptr) part.a = {maybeStrips, 1, kHeight};
        if (part.rows == kHeight)
            multiplyRows<Shape, kHeight>(part, column, panel, more);
        else
            multiplyLastRows<Shape>(part, column, panel, more);
        part.a.data += kHeight * part.a.row;
        part.out += kHeight * part.outStride;
        if (maybeStrips != nullptr) maybeStrips += kHeight * part.inner;
    }
}

template <class Shape>
KURVE_INLINE void multiplyBy(const MatrixProduct& all) {
    constexpr std::int64_t kHeight = Shape::kHeight, kWidth = Shape::kWidth;
    const std::int64_t deepest = std::min(kDepth, all.inner);
    const std::int64_t high = std::min(all.rows, std::max(kHeight, kBlock / deepest / kHeight * kHeight));
    const bool strips = all.columns > 2 * kWidth &&
                        (all.a.column == 1 ? all.a.row % kConflictStride == 0 : all.inner > kTranslations);
    // Panels are packed once if several blocks of rows use them and they are not too many to be kept.
    const bool keeps = high < all.rows && deepest * all.columns <= kKept;
    const std::int64_t panels = keeps ? (all.columns + kWidth - 1) / kWidth : 1;
    static thread_local std::vector<float> scratch;
    constexpr std::int64_t kAlignment = 64 / sizeof(float);
    scratch.resize(
        static_cast<std::size_t>(kAlignment + deepest * (panels * kWidth + (strips ? high + kHeight : 0))));
    void* start = scratch.data();
    std::size_t space = scratch.size() * sizeof(float);
    auto* const packed = static_cast<float*>(std::align(64, sizeof(float), start, space));
    float* const maybeStrips = strips ? packed + deepest * panels * kWidth : nullptr;

    for (std::int64_t depth = 0; depth < all.inner; depth += kDepth)
        for (std::int64_t top = 0; top < all.rows; top += high) {
            MatrixProduct part = all;
            part.inner = std::min(kDepth, all.inner - depth);
            part.rows = std::min(high, all.rows - top);
            part.a.data += top * all.a.row + depth * all.a.column;
            part.out += top * all.outStride;
            if (strips) packStrips<kHeight>(part.a, part.inner, part.rows, maybeStrips);
            for (std::int64_t column = 0; column < all.columns; column += kWidth) {
                float* const panel = packed + (keeps ? column * part.inner : 0);
                if (top == 0 || !keeps)
                    pack<kWidth>(
                        {all.b.data + depth * all.b.row + column * all.b.column, all.b.row, all.b.column},
                        part.inner, std::min(kWidth, all.columns - column), panel);
                multiplyPanel<Shape>(part, maybeStrips, column, panel, depth > 0);
            }
        }
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void multiplyWide(const MatrixProduct& all) {
    multiplyBy<Tile<Sixteen, 12, 2>>(all);
}

__attribute__((target("avx2,fma"))) void multiplyNarrow(const MatrixProduct& all) {
    multiplyBy<Tile<Eight, 6, 2>>(all);
}
#endif

}  // namespace

bool multipliesMatrices() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

void multiplyMatrices([[maybe_unused]] const MatrixProduct& product) {
#if defined(__x86_64__)
    static const bool wide = __builtin_cpu_supports("avx512f") != 0;
    // Half of a wide tile would be padding.
    if (wide && product.columns > 16)
        multiplyWide(product);
    else
        multiplyNarrow(product);
#endif
}

void testOnlyMultiplyNarrow([[maybe_unused]] const MatrixProduct& product) {
#if defined(__x86_64__)
    multiplyNarrow(product);
#endif
}

}  // namespace kurve::kernels::cpu
