#include "core/metrics/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kurve::metrics {
namespace {

TEST(Perplexity, IsTheInverseGeometricMeanOverAllTokens) {
    const std::vector<std::vector<double>> logP{{std::log(0.5), std::log(0.25)}, {std::log(0.125)}};
    const auto score = perplexity(logP);
    ASSERT_TRUE(score);
    EXPECT_NEAR(score->value, 4, 1e-12);  // (1/2 1/4 1/8)^(-1/3)
    EXPECT_EQ(score->n, 2);
    EXPECT_EQ(score->parts.at("tokens"), 3);
    EXPECT_LE(score->low, score->value);
    EXPECT_GE(score->high, score->value);
    // Resampled sentences: 2^1.5 if both are the first, 8 if both are the second.
    EXPECT_NEAR(score->low, std::pow(2, 1.5), 1e-9);
    EXPECT_NEAR(score->high, 8, 1e-9);
}

TEST(Perplexity, NeedsATokenAndKnowsTheImpossible) {
    EXPECT_EQ(perplexity({}).error().code, "metric.empty");
    const std::vector<std::vector<double>> never{{0, -INFINITY}};
    EXPECT_EQ(perplexity(never)->value, INFINITY);
}

}  // namespace
}  // namespace kurve::metrics
