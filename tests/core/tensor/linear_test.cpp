// Linear maps and their gradients against ATen's composition in doubles.
#include "core/tensor/ops/linear.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/tensor/autocast.h"
#include "core/tensor/random.h"

namespace kurve::tensor {
namespace {

at::Tensor linearNormals(at::IntArrayRef shape, std::uint64_t seed) {
    return normalRows(shape, {StreamId(seed, "test.linear", 0), 0}, at::kCPU);
}

double farthest(const at::Tensor& got, const at::Tensor& exact) {
    return (got.to(at::kDouble) - exact).abs().max().item<double>() /
           std::max(1.0, exact.abs().max().item<double>());
}

/// Both, and their gradients by an arbitrary gradient, for x as it is and weights as they are.
void expectExactLinear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& maybeBias) {
    std::vector<at::Tensor> single{x.detach().requires_grad_(), weight.detach().requires_grad_()};
    if (maybeBias.defined()) single.push_back(maybeBias.detach().requires_grad_());
    std::vector<at::Tensor> exact;
    for (const at::Tensor& one : single) exact.push_back(one.detach().to(at::kDouble).requires_grad_());
    const auto biasOf = [](const auto& all) { return all.size() > 2 ? all[2] : at::Tensor(); };
    const at::Tensor got = tensor::linear(single[0], single[1], biasOf(single));
    at::Tensor wanted = at::matmul(exact[0], exact[1].t());
    if (maybeBias.defined()) wanted = wanted + exact[2];
    ASSERT_EQ(got.sizes(), wanted.sizes());
    EXPECT_LT(farthest(got, wanted), 2e-6);
    const at::Tensor by = linearNormals(got.sizes(), 4);
    const auto gradients = torch::autograd::grad({got}, single, {by}),
               exactGradients = torch::autograd::grad({wanted}, exact, {by.to(at::kDouble)});
    for (std::size_t i = 0; i < single.size(); ++i)
        EXPECT_LT(farthest(gradients[i], exactGradients[i]), 3e-6) << i;
    const torch::NoGradGuard noGrad;
    EXPECT_TRUE(at::equal(tensor::linear(x, weight, maybeBias), got));
}

TEST(Linear, AgreesWithDoublesInEveryLayout) {
    const at::Tensor bias = linearNormals({37}, 3);
    const at::Tensor weight = linearNormals({37, 24}, 2);
    for (const at::Tensor& x :
         {linearNormals({5, 7, 24}, 1), linearNormals({40, 24}, 1),
          linearNormals({7, 5, 24}, 1).transpose(0, 1), linearNormals({5, 7, 48}, 1).narrow(2, 8, 24),
          linearNormals({24, 40}, 1).t(), linearNormals({3, 24}, 1), linearNormals({24}, 1)}) {
        SCOPED_TRACE(x.sizes());
        expectExactLinear(x, weight, bias);
        expectExactLinear(x, weight, at::Tensor());
        expectExactLinear(x, linearNormals({37, 60}, 2).narrow(1, 30, 24), bias);
    }
}

TEST(Linear, TakesNoRows) {
    const at::Tensor none =
        tensor::linear(at::zeros({2, 0, 24}), linearNormals({37, 24}, 2), linearNormals({37}, 3));
    EXPECT_EQ(none.sizes(), at::IntArrayRef({2, 0, 37}));
}

TEST(Linear, GivesNoGradientThatNobodyWants) {
    const at::Tensor x = linearNormals({8, 24}, 1), weight = linearNormals({16, 24}, 2).requires_grad_();
    tensor::linear(x, weight).sum().backward();
    EXPECT_FALSE(x.grad().defined());
    EXPECT_LT(farthest(weight.grad(), x.to(at::kDouble).sum(0).expand({16, 24})), 2e-6);
}

TEST(Linear, GivesTheGradientByItsInputWhereWeightsAreFrozen) {
    const at::Tensor x = linearNormals({2, 8, 24}, 1).requires_grad_(), weight = linearNormals({16, 24}, 2);
    tensor::linear(x, weight).sum().backward();
    EXPECT_LT(farthest(x.grad(), weight.to(at::kDouble).sum(0).expand({2, 8, 24})), 2e-6);
}

TEST(Linear, MultipliesInBf16UnderAutocast) {
    const Autocast bf16(at::kCPU, true);
    EXPECT_EQ(tensor::linear(linearNormals({8, 24}, 1), linearNormals({16, 24}, 2)).scalar_type(),
              at::kBFloat16);
}

TEST(MatrixProduct, ThreadsShareEitherSideAndChangeNothing) {
    const int before = at::get_num_threads();
    const at::Tensor bias = linearNormals({300}, 3);
    for (const std::int64_t rows : {200, 700}) {
        const at::Tensor a = linearNormals({rows, 64}, 1), b = linearNormals({64, 300}, 2);
        at::set_num_threads(1);
        const at::Tensor alone = matrixProduct(a, b, bias);
        at::set_num_threads(2);
        EXPECT_TRUE(at::equal(matrixProduct(a, b, bias), alone));
        EXPECT_LT(farthest(alone, at::addmm(bias.to(at::kDouble), a.to(at::kDouble), b.to(at::kDouble))),
                  2e-6);
    }
    at::set_num_threads(before);
}

TEST(Linear, DoesNotDependOnTheNumberOfRows) {
    const at::Tensor x = linearNormals({100, 24}, 1), weight = linearNormals({37, 24}, 2);
    EXPECT_TRUE(
        at::equal(tensor::linear(x, weight).narrow(0, 40, 5), tensor::linear(x.narrow(0, 40, 5), weight)));
}

// As an activation does it; a custom operation that returns a view forbids it.
TEST(Linear, OfFewRowsCanBeChangedInPlace) {
    for (const std::int64_t rows : {1, 3, 4}) {
        const at::Tensor x = at::ones({1, rows, 8}).requires_grad_(),
                         weight = at::ones({6, 8}).requires_grad_(), bias = at::ones({6}).requires_grad_();
        linear(x, weight, bias).relu_().sum().backward();
        EXPECT_EQ(x.grad().sum().item<float>(), static_cast<float>(6 * 8 * rows));
    }
}

}  // namespace
}  // namespace kurve::tensor
