#include "models/common/rotary.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"

namespace kurve::models {
namespace {

at::Tensor doubles(at::IntArrayRef shape) {
    return torch::randn(shape, at::kDouble);
}

double difference(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

TEST(Rotary, HalfSplitOracle) {
    const at::Tensor x = at::tensor({1., 2., 3., 4.}, at::kDouble).view({1, 4});
    RotaryEmbedding rotary(4);
    const at::Tensor got = rotate(x, rotary.table({.count = 1, .offset = 3}, x));
    EXPECT_LE(difference(got, at::tensor({-1.41335252, 1.87911807, -2.82885748, 4.05819114}, at::kDouble)),
              5e-9);
}

TEST(Rotary, ScalarProductsDependOnTheDifferenceOfPositions) {
    torch::manual_seed(1);
    const at::Tensor q = doubles({1, 16}), k = doubles({1, 16});
    const auto product = [&](double at, double from) {
        RotaryEmbedding rotary(16);
        return (rotate(q, rotary.table({1, at}, q)) * rotate(k, rotary.table({1, from}, k)))
            .sum()
            .item<double>();
    };
    EXPECT_NEAR(product(9, 4), product(105, 100), 1e-12);
    EXPECT_NEAR(product(0.5, 3), product(2, 4.5), 1e-12);
    EXPECT_GT(std::abs(product(9, 4) - product(4, 9)), 1e-3);
    EXPECT_NEAR(product(7, 7), (q * k).sum().item<double>(), 1e-12);
}

TEST(Rotary, GradientIsThatOfThePlainComposition) {
    torch::manual_seed(2);
    const at::Tensor x = doubles({2, 3, 5, 8}).set_requires_grad(true), weight = doubles({2, 3, 5, 8});
    RotaryEmbedding rotary(8);
    const RotaryTable table = rotary.table({5}, x);
    const at::Tensor half = at::cat({-x.narrow(-1, 4, 4), x.narrow(-1, 0, 4)}, -1),
                     plain = x * table.cosine + half * at::cat({table.sine, table.sine}, -1),
                     ours = rotate(x, table);
    EXPECT_LE(difference(ours, plain), 1e-14);
    const auto gradient = [&](const at::Tensor& y) {
        return torch::autograd::grad({(y * weight).sum()}, {x})[0];
    };
    const at::Tensor expected = gradient(plain);
    EXPECT_LE(difference(gradient(ours), expected), 1e-14);
    // Fewer dimensions take the way of other devices.
    const at::Tensor flat = rotate(x.view({6, 5, 8}), table).view_as(x);
    EXPECT_LE(difference(flat, plain), 1e-14);
    EXPECT_LE(difference(gradient(flat), expected), 1e-14);
    const at::Tensor single = x.detach().to(at::kFloat);
    EXPECT_LE(difference(rotate(single, rotary.table({5}, single)), plain), 1e-6);
}

TEST(Rotary, TablesFollowLengthOffsetScaleAndDtype) {
    const at::Tensor like = at::zeros({1}, at::kDouble);
    RotaryEmbedding rotary(6);
    const auto expectTable = [&](const RotaryPositions& positions) {
        const at::Tensor at = at::arange(positions.count, at::kDouble) * positions.scale + positions.offset;
        const RotaryTable got = rotary.table(positions, like), fresh = rotaryTable(at, 6, 10000, like);
        EXPECT_TRUE(got.cosine.equal(fresh.cosine) && got.sine.equal(fresh.sine));
    };
    for (const RotaryPositions& positions :
         {RotaryPositions{4}, {9}, {3}, {9, 2}, {9, 2, 0.5}, {9, 0, 0.5}, {2}, {7}})
        expectTable(positions);
    const RotaryTable single = rotary.table({7}, like.to(at::kFloat));
    EXPECT_EQ(single.sine.scalar_type(), at::kFloat);
    EXPECT_LE(difference(single.sine, rotary.table({7}, like).sine), 1e-7);
}

TEST(Rotary, WrongShapesAreRefused) {
    RotaryEmbedding rotary(6);
    const at::Tensor x = doubles({5, 6});
    EXPECT_THROW((void)rotate(x, rotary.table({4}, x)), ContractError);
    EXPECT_THROW((void)rotate(x.narrow(1, 0, 4), rotary.table({5}, x)), ContractError);
    EXPECT_THROW((void)rotaryTable(at::arange(3), 6, 10000, x), ContractError);
    RotaryEmbedding odd(5);
    EXPECT_THROW((void)odd.table({4}, x), ContractError);
}

}  // namespace
}  // namespace kurve::models
