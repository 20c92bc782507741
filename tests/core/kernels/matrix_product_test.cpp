// Products of small whole numbers, which floats hold exactly, against sums of integers.
#include "core/kernels/matrix_product/matrix_product.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/base/random_stream.h"

namespace kurve::kernels::cpu {
namespace {

struct ProductShape {
    std::int64_t rows, columns, inner;
};

std::vector<float> wholeNumbers(std::int64_t count, const char* name) {
    RandomStream random(1, name);
    std::vector<float> all(static_cast<std::size_t>(count));
    for (float& one : all) one = static_cast<float>(random.below(9)) - 4;
    return all;
}

/// A [rows, columns], its rows or its columns one after another.
Matrix laid(const std::vector<float>& values, std::int64_t rows, std::int64_t columns, bool byColumns) {
    return byColumns ? Matrix{values.data(), 1, rows} : Matrix{values.data(), columns, 1};
}

std::int64_t exactElement(const MatrixProduct& p, std::int64_t i, std::int64_t j) {
    std::int64_t sum = p.maybeBias != nullptr ? static_cast<std::int64_t>(p.maybeBias[j]) : 0;
    for (std::int64_t k = 0; k < p.inner; ++k)
        sum += static_cast<std::int64_t>(p.a.data[i * p.a.row + k * p.a.column]) *
               static_cast<std::int64_t>(p.b.data[k * p.b.row + j * p.b.column]);
    return sum;
}

using Multiply = void (*)(const MatrixProduct&);

/// In all four layouts, with and without bias, into rows that are further apart than they are long.
void expectExact(const ProductShape& shape, Multiply multiply) {
    const auto [rows, columns, inner] = shape;
    const auto a = wholeNumbers(rows * inner, "a"), b = wholeNumbers(inner * columns, "b"),
               bias = wholeNumbers(columns, "bias");
    constexpr float kUntouched = 0.5f;
    for (const int layout : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const std::int64_t stride = columns + 3;
        std::vector<float> out(static_cast<std::size_t>(rows * stride), kUntouched);
        const MatrixProduct product{laid(a, rows, inner, (layout & 1) != 0),
                                    laid(b, inner, columns, (layout & 2) != 0),
                                    rows,
                                    columns,
                                    inner,
                                    (layout & 4) != 0 ? bias.data() : nullptr,
                                    out.data(),
                                    stride};
        multiply(product);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < stride; ++j) {
                const float got = out[static_cast<std::size_t>(i * stride + j)];
                wrong +=
                    j < columns ? got != static_cast<float>(exactElement(product, i, j)) : got != kUntouched;
            }
        EXPECT_EQ(wrong, 0) << rows << " " << columns << " " << inner << " layout " << layout;
    }
}

class MatrixProductTest : public ::testing::TestWithParam<ProductShape> {};

TEST_P(MatrixProductTest, IsExactForWholeNumbers) {
    if (!multipliesMatrices()) GTEST_SKIP() << "no AVX2 and FMA";
    expectExact(GetParam(), &multiplyMatrices);
    expectExact(GetParam(), &testOnlyMultiplyNarrow);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixProductTest,
                         ::testing::Values(ProductShape{1, 1, 1}, ProductShape{5, 3, 2},
                                           ProductShape{12, 32, 4}, ProductShape{13, 33, 7},
                                           ProductShape{23, 70, 129},
                                           ProductShape{6, 16, 1025},     // two depths
                                           ProductShape{150, 100, 1100},  // blocks of rows; strips by columns
                                           ProductShape{30, 97, 2048}));  // strips of rows 2,048 apart

}  // namespace
}  // namespace kurve::kernels::cpu
