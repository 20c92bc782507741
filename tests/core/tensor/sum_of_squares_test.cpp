#include "core/tensor/ops/sum_of_squares.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

namespace kurve::tensor {
namespace {

// Of 1 ... n it is n (n + 1) (2 n + 1) / 6.
TEST(SumOfSquares, OfPiecesIsThatOfTheWhole) {
    constexpr std::int64_t kCount = 100;
    const at::Tensor x = at::arange(1, kCount + 1, at::kFloat);
    const double wanted = kCount * (kCount + 1) * (2 * kCount + 1) / 6.0;
    for (const std::int64_t piece : {std::int64_t{1}, std::int64_t{7}, std::int64_t{50}, kCount, kMaxDot}) {
        const at::Tensor got = sumOfSquares(x, piece);
        EXPECT_EQ(got.dim(), 0);
        EXPECT_EQ(got.item<double>(), wanted) << piece;
    }
    EXPECT_EQ(sumOfSquares(at::empty({0})).item<double>(), 0);
    EXPECT_LE(kMaxDot, std::numeric_limits<std::int32_t>::max());
}

TEST(SumOfSquares, OfOnePieceHasTheBitsOfTheDotProduct) {
    const at::Tensor x = at::randn({100'003});
    EXPECT_TRUE(at::equal(sumOfSquares(x), at::dot(x, x)));
}

}  // namespace
}  // namespace kurve::tensor
