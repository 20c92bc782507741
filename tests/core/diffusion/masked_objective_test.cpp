#include "core/diffusion/masked_objective.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>

#include "core/base/check.h"
#include "core/tensor/meta_memory.h"

namespace kurve::diffusion {
namespace {

constexpr std::int64_t kMaskId = 3;

struct Problem {
    at::Tensor states, table, bias, ids, weights;
};

/// Of n tokens, width 5 and a vocabulary of 8; the mask is in the middle and never a target.
Problem problem(std::int64_t n = 6) {
    torch::manual_seed(4);
    const auto o = at::TensorOptions(at::kDouble);
    const at::Tensor ids = (at::arange(n, at::kLong) * 5 + 4) % 7;
    return {at::randn({n, 5}, o), at::randn({8, 5}, o), at::randn({8}, o),
            ids + ids.ge(kMaskId).to(at::kLong), at::randn({n}, o)};
}

at::Tensor withoutMaskRow(const at::Tensor& x) {
    return at::cat({x.narrow(0, 0, kMaskId), x.narrow(0, kMaskId + 1, x.size(0) - kMaskId - 1)});
}

/// -log p by a plain softmax over the other columns.
at::Tensor plainNll(const at::Tensor& states, const at::Tensor& table, const std::optional<at::Tensor>& bias,
                    const at::Tensor& ids) {
    at::Tensor logits = at::matmul(states, withoutMaskRow(table).t());
    if (bias) logits = logits + withoutMaskRow(*bias);
    const at::Tensor shifted = ids - ids.gt(kMaskId).to(at::kLong);
    return -at::log_softmax(logits, 1).gather(1, shifted.unsqueeze(1)).squeeze(1);
}

void expectNear(const at::Tensor& got, const at::Tensor& expected, double within) {
    ASSERT_EQ(got.sizes(), expected.sizes());
    if (got.numel() == 0) return;
    EXPECT_LE((got - expected).abs().max().item<double>(), within) << got << expected;
}

// Logits 0.5, -1, 2, 3 of which the last is the mask's: log p = logit - 2 - ln(1 + e^-1.5 + e^-3). The states
// are the logits, the table is the identity.
TEST(MaskedNll, SubsNumbers) {
    const at::Tensor logits = at::tensor({.5, -1., 2., 3.}, at::kDouble).expand({4, 4});
    const at::Tensor nll = maskedNll(logits, at::eye(4, at::kDouble), {}, at::arange(4, at::kLong), kMaskId);
    expectNear(nll.narrow(0, 0, 3),
               at::tensor({1.741311296657157, 3.241311296657157, .241311296657157}, at::kDouble), 1e-14);
    EXPECT_EQ(nll[3].item<double>(), INFINITY);
}

TEST(MaskedNll, ValueAndGradientsOfThePlainSoftmax) {
    for (const bool biased : {true, false}) {
        const Problem p = problem();
        std::vector<at::Tensor> inputs{p.states, p.table};
        if (biased) inputs.push_back(p.bias);
        for (at::Tensor& x : inputs) x.requires_grad_();
        const auto bias = biased ? std::optional(p.bias) : std::nullopt;
        const at::Tensor fused = maskedNll(p.states, p.table, bias, p.ids, kMaskId),
                         plain = plainNll(p.states, p.table, bias, p.ids);
        expectNear(fused, plain, 1e-13);
        const auto got = torch::autograd::grad({(fused * p.weights).sum()}, inputs),
                   expected = torch::autograd::grad({(plain * p.weights).sum()}, inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) expectNear(got[i], expected[i], 1e-13);
        EXPECT_EQ(got[1][kMaskId].abs().max().item<double>(), 0);
    }
}

TEST(MaskedNll, GradientsByFiniteDifferences) {
    const Problem p = problem();
    const auto loss = [&] {
        return (maskedNll(p.states, p.table, p.bias, p.ids, kMaskId) * p.weights).sum();
    };
    for (const at::Tensor& x : {p.states, p.table, p.bias}) {
        x.requires_grad_();
        const at::Tensor gradient = torch::autograd::grad({loss()}, {x})[0].flatten();
        const torch::NoGradGuard noGrad;
        const at::Tensor flat = x.view({-1});
        constexpr double kStep = 1e-5;
        for (std::int64_t i = 0; i < flat.numel(); ++i) {
            flat[i].add_(kStep);
            const double above = loss().item<double>();
            flat[i].sub_(2 * kStep);
            const double below = loss().item<double>();
            flat[i].add_(kStep);
            EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-8) << i;
        }
        x.requires_grad_(false);
    }
}

TEST(MaskedNll, CrossEntropyInFloatWithLargeLogits) {
    const Problem p = problem(33);
    const at::Tensor states = (p.states * 300).to(at::kFloat), table = p.table.to(at::kFloat);
    const at::Tensor expected =
        at::cross_entropy_loss(at::mm(states, withoutMaskRow(table).t()),
                               p.ids - p.ids.gt(kMaskId).to(at::kLong), {}, at::Reduction::None);
    const at::Tensor nll = maskedNll(states, table, {}, p.ids, kMaskId);
    EXPECT_EQ(nll.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::isfinite(nll).all().item<bool>());
    EXPECT_TRUE(at::allclose(nll, expected, 1e-5, 1e-5)) << nll << expected;
}

TEST(MaskedNll, NoTokensAndFrozenTable) {
    const Problem none = problem(0), p = problem();
    none.table.requires_grad_();
    const at::Tensor empty = maskedNll(none.states, none.table, none.bias, none.ids, kMaskId);
    EXPECT_EQ(empty.numel(), 0);
    empty.sum().backward();
    EXPECT_EQ(none.table.grad().abs().sum().item<double>(), 0);

    p.states.requires_grad_();
    maskedNll(p.states, p.table, p.bias, p.ids, kMaskId).sum().backward();
    EXPECT_TRUE(p.states.grad().defined());
    const torch::NoGradGuard noGrad;
    expectNear(maskedNll(p.states, p.table, p.bias, p.ids, kMaskId),
               plainNll(p.states, p.table, p.bias, p.ids), 1e-13);
}

TEST(MaskedNll, LogitsExistOnce) {
    constexpr std::int64_t kTokens = 1000, kVocabulary = 50'257, kWidth = 8;
    const std::int64_t logits = kTokens * kVocabulary * 4;
    tensor::MetaMemory memory;
    const auto o = at::TensorOptions(at::kMeta);
    const at::Tensor states = at::empty({kTokens, kWidth}, o).requires_grad_(),
                     table = at::empty({kVocabulary, kWidth}, o).requires_grad_(),
                     bias = at::empty({kVocabulary}, o).requires_grad_(),
                     ids = at::empty({kTokens}, o.dtype(at::kLong));
    memory.resetPeak();
    maskedNll(states, table, bias, ids, kMaskId).sum().backward();
    EXPECT_EQ(table.grad().sizes(), table.sizes());
    EXPECT_GT(memory.peak(), logits);
    EXPECT_LT(memory.peak(), logits + logits / 10);
}

TEST(MaskedNll, RefusesWrongShapes) {
    const Problem p = problem();
    EXPECT_THROW((void)maskedNll(p.states, p.table, {}, p.ids, 8), ContractError);
    EXPECT_THROW((void)maskedNll(p.states, p.table, {}, p.ids.narrow(0, 0, 5), kMaskId), ContractError);
    EXPECT_THROW((void)maskedNll(p.states, p.table.t(), {}, p.ids, kMaskId), ContractError);
}

// Four tokens, the second and the fourth masked with log p -1.2 and -0.7 at t = 1/4, weight 4.
TEST(WeightedNll, MeansOverTheTokensThatCount) {
    const at::Tensor mask = at::tensor({0, 1, 0, 1}, at::kInt).to(at::kBool).view({1, 4}),
                     all = at::ones({1, 4}, at::kBool), weights = at::tensor({4.}, at::kDouble);
    const MaskedTokens both = maskedTokens(mask, all);
    EXPECT_TRUE(at::equal(both.positions, at::tensor({1, 3}, at::kLong)));
    const at::Tensor sum = weightedNll(at::tensor({1.2, .7}, at::kDouble), both.rows, weights);
    EXPECT_NEAR(sum.sum().item<double>() / all.sum().item<double>(), 1.9, 1e-15);

    at::Tensor withoutPad = all.clone();
    withoutPad[0][3] = false;
    const MaskedTokens one = maskedTokens(mask, withoutPad);
    EXPECT_TRUE(at::equal(one.positions, at::tensor({1}, at::kLong)));
    const at::Tensor padded = weightedNll(at::tensor({1.2}, at::kDouble), one.rows, weights);
    EXPECT_NEAR(padded.sum().item<double>() / withoutPad.sum().item<double>(), 1.6, 1e-15);
}

TEST(WeightedNll, ByRowWithItsGradient) {
    const at::Tensor mask = at::tensor({1, 0, 1, 0, 0, 0, 0, 1, 0}, at::kInt).to(at::kBool).view({3, 3});
    const MaskedTokens tokens = maskedTokens(mask, at::ones({3, 3}, at::kBool));
    EXPECT_TRUE(at::equal(tokens.positions, at::tensor({0, 2, 7}, at::kLong)));
    EXPECT_TRUE(at::equal(tokens.rows, at::tensor({0, 0, 2}, at::kLong)));
    const at::Tensor nll = at::tensor({1., 2., 3.}, at::kFloat).requires_grad_();
    const at::Tensor sums = weightedNll(nll, tokens.rows, at::tensor({10., 20., 30.}, at::kDouble));
    EXPECT_TRUE(at::equal(sums, at::tensor({30., 0., 90.}, at::kDouble))) << sums;
    sums.sum().backward();
    EXPECT_TRUE(at::equal(nll.grad(), at::tensor({10., 10., 30.}, at::kFloat)));
}

}  // namespace
}  // namespace kurve::diffusion
