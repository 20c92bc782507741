#include "core/metrics/future_perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kurve::metrics {
namespace {

// Mean NLLs of 5, 5.5 and 6: the arithmetic mean of their exps, and the exp of their mean.
TEST(FuturePerplexity, EqualsNumbersByHand) {
    const std::vector<FutureNll> texts{{{20, 22, 6}, {4, 4, 1}}, {{5, 5.5, 12}, {1, 1, 2}}};
    const auto scores = futurePerplexities(texts);
    ASSERT_TRUE(scores);
    EXPECT_NEAR(scores->at("future_ppl").value, 265.5112950, 1e-6);
    EXPECT_NEAR(scores->at("future_ppl_geometric").value, 244.6919323, 1e-6);
    EXPECT_NEAR(scores->at("future_ppl_1").value, std::exp(5.0), 1e-9);
    EXPECT_NEAR(scores->at("future_ppl_2").value, std::exp(5.5), 1e-9);
    EXPECT_NEAR(scores->at("future_ppl_3").value, std::exp(6.0), 1e-9);
    EXPECT_EQ(scores->size(), 5U);
    EXPECT_EQ(scores->at("future_ppl").n, 2);
    EXPECT_NE(scores->at("future_ppl").signature.find("ahead:3"), std::string::npos);
}

TEST(FuturePerplexity, SumsAreDividedOnce) {
    const std::vector<FutureNll> texts{{{1}, {1}}, {{9}, {3}}};
    EXPECT_NEAR(futurePerplexities(texts)->at("future_ppl_1").value, std::exp(2.5), 1e-12);
}

// A short text has no third token ahead; where none has one, its perplexity is missing.
TEST(FuturePerplexity, PositionsWithoutTokens) {
    const std::vector<FutureNll> some{{{2, 2, 0}, {2, 1, 0}}, {{3, 2, 1}, {3, 2, 1}}};
    const auto scores = futurePerplexities(some);
    ASSERT_TRUE(scores);
    EXPECT_TRUE(std::isfinite(scores->at("future_ppl").low));
    EXPECT_TRUE(std::isfinite(scores->at("future_ppl").high));
    const auto less = futurePerplexities(std::vector<FutureNll>{some[0]});
    ASSERT_TRUE(less);
    EXPECT_EQ(less->size(), 2U) << "future_ppl_1 and _2: no mean over three";
    EXPECT_EQ(futurePerplexities(std::vector<FutureNll>{{{0, 0}, {0, 0}}}).error().code, "metric.empty");
    EXPECT_EQ(futurePerplexities({}).error().code, "metric.empty");
}

TEST(FuturePerplexity, KnowsItsNames) {
    EXPECT_EQ(futurePerplexityAt(2), "future_ppl_2");
    for (const char* id : {"future_ppl", "future_ppl_geometric", "future_ppl_1", "future_ppl_12"})
        EXPECT_TRUE(isFuturePerplexity(id)) << id;
    for (const char* id : {"ppl", "future_ppl_", "future_ppl_x", "future_pplx", "ppl_bound"})
        EXPECT_FALSE(isFuturePerplexity(id)) << id;
}

}  // namespace
}  // namespace kurve::metrics
