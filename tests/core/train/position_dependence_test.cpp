#include "core/train/position_dependence.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/base/random_stream.h"

namespace kurve::train {
namespace {

/// Logits of three tokens: normal numbers, twice these with the columns exchanged, and other normal numbers.
class ThreeTokens final : public MultiTokenPrediction {
public:
    [[nodiscard]] std::int64_t tokensPerState() const override { return 3; }
    Result<FutureLikelihoods> futureNll(const LikelihoodRequest& /*request*/) override {
        return FutureLikelihoods();
    }
    Result<at::Tensor> perturbedLogits(const std::vector<std::int32_t>& /*context*/,
                                       const Perturbation& perturbation) override {
        rows.push_back(perturbation.row);
        RandomStream stream(perturbation.seed, "test", perturbation.row);
        at::Tensor logits = at::empty({3, perturbation.samples, 2}, at::kDouble);
        auto* value = logits.data_ptr<double>();
        for (std::int64_t i = 0; i < logits.numel(); ++i) value[i] = stream.normal();
        logits[1].copy_(2 * logits[0].flip(1));
        return logits;
    }
    std::vector<std::uint64_t> rows;
};

TEST(PositionDependence, TellsDependentFromIndependentPositions) {
    ThreeTokens model;
    DependenceRequest request;
    request.contexts = {{0}, {0, 5}, {0, 6, 7}, {0}};
    request.perturbation.samples = 80;
    std::vector<double> fractions;
    request.progress = [&](double fraction) { fractions.push_back(fraction); };
    const auto found = positionDependence(model, request);
    ASSERT_TRUE(found);
    EXPECT_EQ(model.rows, (std::vector<std::uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.5, 0.75, 1}));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found->matrix[i][i], 1, 1e-12);
    EXPECT_NEAR(found->matrix[0][1], 1, 1e-12);
    EXPECT_NEAR(found->matrix[1][0], 1, 1e-12);
    EXPECT_LT(found->matrix[0][2], 0.4);
    EXPECT_NEAR(found->matrix[0][2], found->matrix[1][2], 1e-12);
    ASSERT_EQ(found->offDiagonal.size(), 4U);
    double pairs = 0, neighbours = 0, permuted = 0;
    for (std::size_t c = 0; c < 4; ++c) {
        pairs += found->offDiagonal[c] / 4;
        neighbours += found->neighbours[c] / 4;
        permuted += found->permuted[c] / 4;
    }
    EXPECT_NEAR(pairs, (1 + 2 * found->matrix[0][2]) / 3, 1e-12);
    EXPECT_NEAR(neighbours, (1 + found->matrix[1][2]) / 2, 1e-12);
    EXPECT_NEAR(permuted, found->matrix[0][2], 0.08) << "as without dependence";
}

TEST(PositionDependence, CancelledItSaysSo) {
    ThreeTokens model;
    DependenceRequest request;
    request.contexts = {{0}};
    request.cancel.request();
    const auto found = positionDependence(model, request);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->cancelled);
}

TEST(DependenceContexts, HaveTheTokensAheadInTheirText) {
    const std::vector<std::vector<std::int32_t>> texts{
        {0, 2}, {0, 5, 6, 2}, {0, 5, 6, 7, 8, 9, 10, 2}, {0, 9, 9, 9, 9, 2}};
    bool longer = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto contexts = dependenceContexts(texts, 2, 3, seed);
        ASSERT_EQ(contexts.size(), 2U) << "the first is too short, the last beyond the count";
        EXPECT_EQ(contexts[0], (std::vector<std::int32_t>{0}));
        ASSERT_GE(contexts[1].size(), 1U);
        ASSERT_LE(contexts[1].size(), 5U);
        EXPECT_TRUE(std::equal(contexts[1].begin(), contexts[1].end(), texts[2].begin()));
        longer = longer || contexts[1].size() == 5;
        EXPECT_EQ(dependenceContexts(texts, 2, 3, seed), contexts);
    }
    EXPECT_TRUE(longer);
    EXPECT_TRUE(dependenceContexts(texts, 9, 8, 1).empty());
}

}  // namespace
}  // namespace kurve::train
