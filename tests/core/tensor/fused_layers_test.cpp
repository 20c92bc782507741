// Layers in one pass, and as they are composed on a GPU, against ATen's operations in doubles, with widths
// that fill no vector.
#include "core/tensor/ops/fused_layers.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

#include "core/tensor/meta_memory.h"
#include "core/tensor/random.h"

namespace kurve::tensor {
namespace {

at::Tensor normals(at::IntArrayRef shape, std::uint64_t seed) {
    return normalRows(shape, {StreamId(seed, "test.layers", 0), 0}, at::kCPU);
}

void expectClose(const at::Tensor& got, const at::Tensor& wanted, double tolerance) {
    const double scale = wanted.abs().max().item<double>() + 1e-30;
    EXPECT_LT((got.to(at::kDouble) - wanted).abs().max().item<double>() / scale, tolerance);
}

class FusedLayers : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(FusedLayers, SwiGluAndItsGradientAgree) {
    const std::int64_t width = GetParam();
    const at::Tensor x = (normals({3, 5, 2 * width}, 1) * 4).requires_grad_(),
                     exact = x.detach().to(at::kDouble).requires_grad_(), by = normals({3, 5, width}, 2);
    const std::vector<at::Tensor> halves = exact.chunk(2, -1);
    const at::Tensor got = swiGlu(x), composed = swiGlu(exact), wanted = at::silu(halves[0]) * halves[1];
    expectClose(got, wanted, 1e-6);
    expectClose(composed, wanted, 1e-13);
    const auto gradient = torch::autograd::grad({got}, {x}, {by}),
               ofComposed = torch::autograd::grad({composed}, {exact}, {by.to(at::kDouble)}),
               exactGradient = torch::autograd::grad({wanted}, {exact}, {by.to(at::kDouble)});
    expectClose(gradient[0], exactGradient[0], 1e-6);
    expectClose(ofComposed[0], exactGradient[0], 1e-13);
}

TEST_P(FusedLayers, GeluAndItsGradientAgree) {
    const at::Tensor x = (normals({3, 5, GetParam()}, 1) * 3).requires_grad_(),
                     exact = x.detach().to(at::kDouble).requires_grad_(), by = normals({3, 5, GetParam()}, 2);
    const at::Tensor got = geluTanh(x), wanted = at::gelu(exact, "tanh");
    expectClose(got, wanted, 1e-6);
    const auto gradient = torch::autograd::grad({got}, {x}, {by}),
               exactGradient = torch::autograd::grad({wanted}, {exact}, {by.to(at::kDouble)});
    expectClose(gradient[0], exactGradient[0], 2e-6);
}

TEST_P(FusedLayers, RmsNormAndItsGradientsAgree) {
    const std::int64_t width = GetParam();
    const at::Tensor x = normals({300, 2, width}, 1).requires_grad_(),
                     weight = (1 + normals({width}, 2) * 0.1).requires_grad_(),
                     by = normals({300, 2, width}, 3);
    const at::Tensor exactX = x.detach().to(at::kDouble).requires_grad_(),
                     exactWeight = weight.detach().to(at::kDouble).requires_grad_();
    const at::Tensor got = rmsNorm(x, weight, 1e-6), wanted = rmsNorm(exactX, exactWeight, 1e-6);
    expectClose(got, wanted, 1e-6);
    const auto gradient = torch::autograd::grad({got}, {x, weight}, {by}),
               exact = torch::autograd::grad({wanted}, {exactX, exactWeight}, {by.to(at::kDouble)});
    for (std::size_t i = 0; i < 2; ++i) expectClose(gradient[i], exact[i], 2e-6);
}

TEST_P(FusedLayers, SoftmaxAgreesForLargeAndSmallNumbers) {
    for (const double scale : {0.01, 1.0, 100.0}) {
        at::Tensor x = normals({7, GetParam()}, 1) * scale;
        if (GetParam() > 1) x.select(1, 0).fill_(-std::numeric_limits<float>::infinity());
        const at::Tensor exact = x.to(at::kDouble), softmax = at::softmax(exact, 1),
                         wanted = at::logsumexp(exact, 1);
        at::Tensor composed = exact.clone(), strided = at::stack({x, x}, 2).select(2, 0);
        ASSERT_FALSE(strided.is_contiguous() && GetParam() > 1);
        const std::vector<std::pair<at::Tensor*, double>> all{
            {&x, 1e-6}, {&strided, 1e-6}, {&composed, 1e-13}};
        for (const auto& [rows, tolerance] : all) {
            const at::Tensor normaliser = softmaxInPlace(*rows);
            ASSERT_EQ(normaliser.sizes(), wanted.sizes());
            expectClose(*rows, softmax, tolerance);
            expectClose(normaliser, wanted, tolerance);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, FusedLayers, ::testing::Values(1, 31, 64, 100));

TEST(FusedLayersOp, NaNStaysNaN) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor x = at::ones({2, 64});
    x[1][40].fill_(nan);
    EXPECT_EQ(swiGlu(x).isnan().sum().item<int>(), 1);
    EXPECT_EQ(geluTanh(x).isnan().sum().item<int>(), 1);
    EXPECT_EQ(rmsNorm(x, at::ones({64}), 1e-6).isnan().sum().item<int>(), 64);
    at::Tensor p = x.clone();
    EXPECT_TRUE(softmaxInPlace(p)[1].isnan().item<bool>());
    at::Tensor composed = x.to(at::kDouble);
    EXPECT_TRUE(softmaxInPlace(composed)[1].isnan().item<bool>());
}

// What a training needs is counted with shapes of f32, which are fused: in other types, and hence on a GPU,
// no block may be added.
TEST(FusedLayersOp, ComposedOnesTakeAsMuchMemoryAsFusedOnes) {
    constexpr std::int64_t kRows = 8, kWidth = 1000;
    const auto takes = [](at::ScalarType type) {
        MetaMemory memory;
        const auto numbers = [&](std::int64_t bytes) {
            return static_cast<double>(bytes) / static_cast<double>(c10::elementSize(type) * kRows * kWidth);
        };
        const auto like = at::TensorOptions().device(at::kMeta).dtype(type);
        at::Tensor logits = at::empty({kRows, kWidth}, like);
        memory.resetPeak();
        (void)softmaxInPlace(logits);
        const double ofSoftmax = numbers(memory.peak());
        const at::Tensor gated = at::empty({kRows, 2 * kWidth}, like).requires_grad_();
        const std::int64_t before = memory.live();
        const at::Tensor y = swiGlu(gated);
        const double kept = numbers(memory.live() - before);
        memory.resetPeak();
        y.backward(at::empty_like(y));
        return std::vector<double>{ofSoftmax, kept, numbers(memory.peak() - before)};
    };
    const std::vector<double> fused = takes(at::kFloat), composed = takes(at::kDouble);
    for (std::size_t i = 0; i < fused.size(); ++i) EXPECT_NEAR(composed[i], fused[i], 0.01) << i;
    EXPECT_NEAR(composed[0], 1, 0.01);
    EXPECT_NEAR(composed[1], 1, 0.01);
}

TEST(FusedLayersOp, TheExtremesOfExpAreRight) {
    const at::Tensor x = at::tensor({-1e4F, -200.0F, 200.0F, 1e4F, 2.0F, 2.0F, 2.0F, 2.0F}).view({1, 8});
    expectClose(swiGlu(x), at::tensor({0.0, 0.0, 400.0, 2e4}, at::kDouble).view({1, 4}), 1e-6);
    expectClose(geluTanh(x), at::gelu(x.to(at::kDouble), "tanh"), 1e-6);
    at::Tensor p = at::tensor({-1e4F, 0.0F}).view({1, 2});
    EXPECT_NEAR(softmaxInPlace(p).item<double>(), 0, 1e-6);
    EXPECT_EQ(p[0][0].item<double>(), 0);
}

TEST(FusedLayersOp, TheLargestProductIsTheFirstOfEquals) {
    const at::Tensor x = normals({1100, 16}, 1), table = normals({1300, 16}, 2);
    EXPECT_TRUE(at::equal(largestProduct(x, table), at::mm(x, table.t()).argmax(1)));
    EXPECT_TRUE(at::equal(largestProduct(at::ones({2, 1}), at::ones({1300, 1})), at::zeros({2}, at::kLong)));
    const at::Tensor later = at::zeros({1300, 1});
    later[700].fill_(1);
    later[1200].fill_(1);
    EXPECT_EQ(largestProduct(at::ones({1, 1}), later).item<std::int64_t>(), 700);
    later[900].fill_(std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(largestProduct(at::ones({1, 1}), later).item<std::int64_t>(), 900);
    EXPECT_EQ(largestProduct(at::empty({0, 1}), later).size(0), 0);
}

}  // namespace
}  // namespace kurve::tensor
