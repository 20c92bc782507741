// Attention over short sequences against ATen's composition in doubles, at sizes that fill no vector.
#include "core/tensor/ops/short_attention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/random.h"

namespace kurve::tensor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor attentionNormals(at::IntArrayRef shape, std::uint64_t seed) {
    return normalRows(shape, {StreamId(seed, "test.attention", 0), 0}, at::kCPU);
}

/// softmax(q k^T / sqrt(width) + mask) v in doubles.
at::Tensor composed(const AttentionInputs& of) {
    const std::int64_t queries = of.query.size(2), keys = of.key.size(2);
    at::Tensor scores =
        at::matmul(of.query, of.key.transpose(2, 3)) / std::sqrt(static_cast<double>(of.query.size(3)));
    if (of.maybeMask.defined()) scores = scores + of.maybeMask.to(at::kDouble);
    if (of.causal) scores = scores + at::full({queries, keys}, -kInfinity, at::kDouble).triu(1);
    return at::matmul(at::softmax(scores, 3), of.value);
}

double distance(const at::Tensor& got, const at::Tensor& wanted) {
    const double scale = std::max(wanted.abs().max().item<double>(), 1e-3);  // of one key the gradients are 0
    return (got.to(at::kDouble) - wanted).abs().max().item<double>() / scale;
}

/// As the projections give them: [B, L, heads, width] in memory, the last of them a part of a larger block.
AttentionInputs inputsOf(std::int64_t queries, std::int64_t keys, std::int64_t width) {
    const at::Tensor both = attentionNormals({2, keys, 2, 3, width}, 2);
    return {attentionNormals({2, queries, 3, width}, 1).transpose(1, 2).mul(2),
            both.select(2, 0).transpose(1, 2), both.select(2, 1).transpose(1, 2), at::Tensor()};
}

void expectAgreement(const AttentionInputs& inputs) {
    AttentionInputs single = inputs, exact = inputs;
    for (at::Tensor AttentionInputs::*part :
         {&AttentionInputs::query, &AttentionInputs::key, &AttentionInputs::value}) {
        single.*part = (inputs.*part).detach().requires_grad_();
        exact.*part = (inputs.*part).to(at::kDouble).requires_grad_();
    }
    ASSERT_TRUE(fitsShortAttention(single));
    const at::Tensor got = shortAttention(single), wanted = composed(exact),
                     by = attentionNormals(got.sizes(), 3);
    EXPECT_LT(distance(got, wanted), 2e-6);
    const auto gradients = torch::autograd::grad({got}, {single.query, single.key, single.value}, {by}),
               exactGradients = torch::autograd::grad({wanted}, {exact.query, exact.key, exact.value},
                                                      {by.to(at::kDouble)});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(distance(gradients[i], exactGradients[i]), 5e-6) << i;
    const torch::NoGradGuard noGrad;
    EXPECT_TRUE(at::equal(shortAttention(single), got));
}

struct Lengths {
    std::int64_t queries, keys, width;
};

class ShortAttention : public ::testing::TestWithParam<Lengths> {};

TEST_P(ShortAttention, AndItsGradientsAgree) {
    const auto [queries, keys, width] = GetParam();
    expectAgreement(inputsOf(queries, keys, width));
}

TEST_P(ShortAttention, AgreesWithMasksOfEveryShape) {
    const auto [queries, keys, width] = GetParam();
    AttentionInputs inputs = inputsOf(queries, keys, width);
    const std::vector<std::vector<std::int64_t>> shapes{
        {queries, keys}, {2, 1, 1, keys}, {2, 3, queries, keys}, {1, 1, queries, 1}};
    for (const std::vector<std::int64_t>& shape : shapes) {
        inputs.maybeMask = attentionNormals(shape, 4);
        if (shape.back() > 1)
            inputs.maybeMask.select(-1, shape.back() / 2).fill_(-kInfinity);  // another is open
        expectAgreement(inputs);
    }
}

TEST_P(ShortAttention, AgreesWhereQueriesSeeWhatIsBeforeThem) {
    const auto [queries, keys, width] = GetParam();
    AttentionInputs inputs = inputsOf(queries, keys, width);
    inputs.causal = true;
    expectAgreement(inputs);
}

INSTANTIATE_TEST_SUITE_P(Lengths, ShortAttention,
                         ::testing::Values(Lengths{1, 1, 8}, Lengths{6, 12, 24}, Lengths{7, 33, 16},
                                           Lengths{17, 5, 40}, Lengths{128, 128, 64}));

TEST(ShortAttentionOp, OfOneBlockGivesTheSameAndOneGradient) {
    for (const bool causal : {false, true})
        for (const at::Tensor& mask : {at::Tensor(), attentionNormals({2, 1, 1, 7}, 2)}) {
            const at::Tensor block = attentionNormals({2, 7, 3, 4, 16}, 1).requires_grad_(),
                             by = attentionNormals({2, 7, 4, 16}, 3);
            const auto part = [&](std::int64_t i) { return block.select(2, i).transpose(1, 2); };
            const at::Tensor separate =
                                 shortAttention({part(0), part(1), part(2), mask, causal}).transpose(1, 2),
                             got = maybeShortSelfAttention(block, mask, causal);
            ASSERT_TRUE(got.defined());
            EXPECT_TRUE(at::equal(got, separate));
            EXPECT_TRUE(at::equal(torch::autograd::grad({got}, {block}, {by})[0],
                                  torch::autograd::grad({separate}, {block}, {by})[0]));
            const torch::NoGradGuard noGrad;
            EXPECT_TRUE(at::equal(maybeShortSelfAttention(block, mask, causal), got));
        }
    EXPECT_FALSE(maybeShortSelfAttention(attentionNormals({2, 7, 3, 4, 12}, 1), {}).defined());
}

TEST(ShortAttentionOp, AQueryThatSeesNothingGetsZeroAndNoGradient) {
    AttentionInputs inputs = inputsOf(3, 5, 8);
    inputs.query = inputs.query.detach().requires_grad_();
    inputs.maybeMask = at::zeros({3, 5});
    inputs.maybeMask[1].fill_(-kInfinity);
    const at::Tensor out = shortAttention(inputs);
    EXPECT_EQ(out.select(2, 1).abs().max().item<float>(), 0);
    EXPECT_GT(out.select(2, 2).abs().min().item<float>(), 0);
    const at::Tensor gradient = torch::autograd::grad({out.sum()}, {inputs.query})[0];
    EXPECT_EQ(gradient.select(2, 1).abs().max().item<float>(), 0);
    EXPECT_TRUE(at::isfinite(gradient).all().item<bool>());
}

TEST(ShortAttentionOp, NaNAndInfinityDoNotBecomeNumbers) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity}) {
        AttentionInputs inputs = inputsOf(3, 20, 8);
        inputs.key = inputs.key.clone();
        inputs.key[0][1][17].fill_(bad);
        const at::Tensor strange = at::isfinite(shortAttention(inputs)).logical_not();
        EXPECT_TRUE(strange[0][1].any(1).any().item<bool>());
        EXPECT_EQ(strange[0][0].sum().item<int>() + strange[1].sum().item<int>(), 0);
    }
}

TEST(ShortAttentionOp, TakesNoOthers) {
    const AttentionInputs fitting = inputsOf(3, 5, 8);
    EXPECT_TRUE(fitsShortAttention(fitting));
    const auto fits = [&](auto change) {
        AttentionInputs inputs = fitting;
        change(inputs);
        return fitsShortAttention(inputs);
    };
    EXPECT_FALSE(fitsShortAttention(inputsOf(3, 5, 12))) << "a width that is no multiple of 8";
    EXPECT_FALSE(fitsShortAttention(inputsOf(3, 129, 8)));
    EXPECT_FALSE(fits([](auto& x) { x.value = x.value.to(at::kDouble); }));
    EXPECT_FALSE(fits([](auto& x) { x.key = x.key.narrow(1, 0, 1); })) << "keys of other heads";
    EXPECT_FALSE(fits([](auto& x) { x.maybeMask = at::zeros({3, 5}).requires_grad_(); }));
    EXPECT_FALSE(fits([](auto& x) { x.maybeMask = at::zeros({3, 5}, at::kBool); }));
    EXPECT_FALSE(fits([](auto& x) { x.query = x.query.transpose(2, 3).contiguous().transpose(2, 3); }));
}

}  // namespace
}  // namespace kurve::tensor
