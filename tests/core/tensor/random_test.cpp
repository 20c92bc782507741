#include "core/tensor/random.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace kurve::tensor {
namespace {

const RowStream kStream{StreamId(3, "test.tensor", 5), 0};

TEST(RandomTensors, AreEqualAtAnyThreadCountAndSplit) {
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const at::Tensor one = normalRows({64, 40, 32}, kStream, at::kCPU);
    at::set_num_threads(2);
    const at::Tensor two = normalRows({64, 40, 32}, kStream, at::kCPU);
    at::set_num_threads(before);
    EXPECT_TRUE(at::equal(one, two));
    const at::Tensor upper = normalRows({32, 40, 32}, {kStream.id, 32}, at::kCPU);
    EXPECT_TRUE(at::equal(one.narrow(0, 32, 32), upper));
}

TEST(RandomTensors, PaddingKeepsRealPositions) {
    const at::Tensor narrow = normalRows({4, 7, 8}, kStream, at::kCPU),
                     wide = normalRows({4, 9, 8}, kStream, at::kCPU);
    EXPECT_TRUE(at::equal(narrow, wide.narrow(1, 0, 7)));
}

TEST(RandomTensors, UniformAtIsTheTensorsElement) {
    const at::Tensor all = uniformRows({3, 100}, kStream, at::kCPU);
    EXPECT_EQ(uniformAt(kStream.id, 2, 77), all[2][77].item<float>());
}

TEST(Dropout, BackwardUsesTheForwardMask) {
    const at::Tensor x = torch::ones({5, 33}, torch::requires_grad());
    const at::Tensor y = dropout(x, 0.4, kStream);
    y.sum().backward();
    EXPECT_TRUE(at::equal(y.detach(), x.grad()));  // x = 1: output and derivative are both the scaled mask
    EXPECT_GT((y == 0).sum().item<int>(), 30);
}

TEST(Dropout, AddedToAResidualEqualsTheComposition) {
    const at::Tensor x = torch::randn({5, 33}, torch::requires_grad()),
                     r = torch::randn({5, 33}, torch::requires_grad());
    const at::Tensor fused = addDropout(r, x, 0.4, kStream), composed = r + dropout(x, 0.4, kStream);
    EXPECT_TRUE(at::equal(fused, composed));
    const at::Tensor weight = torch::randn({5, 33});
    const auto a = torch::autograd::grad({(fused * weight).sum()}, {r, x});
    const auto b = torch::autograd::grad({(composed * weight).sum()}, {r, x});
    EXPECT_TRUE(at::equal(a[0], b[0]) && at::equal(a[1], b[1]));
}

}  // namespace
}  // namespace kurve::tensor
