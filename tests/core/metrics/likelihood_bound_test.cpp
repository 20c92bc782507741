#include "core/metrics/likelihood_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random_stream.h"

namespace kurve::metrics {
namespace {

// By hand: ratio 15 / 6, residuals -0.5, -1, 1.5, variance 3/2 3.5 / 36.
TEST(LikelihoodBound, RatioOfSumsAndItsStandardError) {
    const std::vector<BoundedText> texts{{2, 1, 5}, {4, 2, 7}, {9, 3, 8}};
    const auto scores = likelihoodBounds(texts, "exact-count draws:1");
    ASSERT_TRUE(scores);
    EXPECT_NEAR(scores->at("nelbo").value, 2.5, 1e-15);
    EXPECT_NEAR(scores->at("nelbo").parts.at("standard_error"), std::sqrt(1.5 * 3.5 / 36), 1e-14);
    EXPECT_NEAR(scores->at("ppl_bound").value, std::exp(2.5), 1e-13);
    EXPECT_NEAR(scores->at("bits_per_char").value, 15 / (20 * std::log(2)), 1e-14);
    EXPECT_EQ(scores->at("nelbo").n, 3);
    EXPECT_LE(scores->at("nelbo").low, 2.5);
    EXPECT_GE(scores->at("nelbo").high, 2.5);
    EXPECT_NE(scores->at("ppl_bound").signature.find("estimator:exact-count draws:1"), std::string::npos);
    EXPECT_EQ(likelihoodBounds({}, "").error().code, "metric.empty");
}

TEST(LikelihoodBound, StandardErrorIsTheScatterOfRepeatedEvaluations) {
    RandomStream random(2, "test.nelbo");
    constexpr int kPasses = 400;
    double sum = 0, squares = 0, claimed = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        std::vector<BoundedText> texts;
        for (int row = 0; row < 60; ++row) {  // longer rows are easier: both sums are correlated
            const double x = 4 + static_cast<double>(random.below(30));
            texts.push_back({x * (6 - .05 * x + random.normal()), x, x});
        }
        const Score score = likelihoodBounds(texts, "test")->at(kNelbo);
        sum += score.value / kPasses;
        squares += score.value * score.value / kPasses;
        claimed += score.parts.at("standard_error") / kPasses;
    }
    EXPECT_NEAR(claimed / std::sqrt(squares - sum * sum), 1, .15);
}

}  // namespace
}  // namespace kurve::metrics
