#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/tensor/ops/banded_map.h"

namespace kurve::tensor {
namespace {

/// Two matrices, 2x3 and 3x2, and their transposes.
BandedMap sample() {
    const auto i32 = [](std::vector<std::int32_t> v) { return at::tensor(v, at::kInt); };
    const auto i64 = [](std::vector<std::int64_t> v) { return at::tensor(v, at::kLong); };
    // A0 = [1 2 0; 0 0 3], A1 = [4 0; 5 6; 0 7]
    BandedRows forward{i32({0, 2, 0, 0, 1}),
                       i64({0, 2, 3, 4, 6, 7}),
                       at::tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}),
                       i64({0, 2}),
                       i32({2, 3}),
                       3};
    BandedRows back{i32({0, 0, 1, 0, 1}),
                    i64({0, 1, 2, 3, 5, 7}),
                    at::tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}),
                    i64({0, 3}),
                    i32({3, 2}),
                    3};
    return {forward, back};
}

TEST(BandedMapOp, EqualsTheDenseProduct) {
    const BandedMap map = sample();
    const at::Tensor x = torch::randn({2, 3, 5}, torch::requires_grad());
    const at::Tensor dense = denseOf(map.forward, 3), y = bandedMap(x, map);
    EXPECT_TRUE(at::allclose(y, at::bmm(dense, x)));
    const at::Tensor weight = torch::randn({2, 3, 5});
    const at::Tensor gradient = torch::autograd::grad({(y * weight).sum()}, {x})[0];
    EXPECT_TRUE(at::allclose(gradient, at::bmm(dense.transpose(1, 2), weight)));
}

TEST(BandedMapOp, TransposedRowsAreTheTranspose) {
    const BandedMap map = sample();
    EXPECT_TRUE(at::equal(denseOf(map.forward, 3).transpose(1, 2), denseOf(map.transposed, 3)));
}

}  // namespace
}  // namespace kurve::tensor
