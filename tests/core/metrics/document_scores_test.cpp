#include "core/metrics/document_scores.h"

#include <gtest/gtest.h>

namespace kurve::metrics {
namespace {

TEST(DocumentScores, MutualInformationIsAMeanOverTokens) {
    // (6 + 2 - 4) nats of 10 + 4 + 2 tokens, not the mean of 0.6, 0.5 and -2.
    const std::vector<SentenceLikelihood> sentences{{-14, -20, 10}, {-6, -8, 4}, {-9, -5, 2}};
    const auto score = mutualInformation(sentences);
    ASSERT_TRUE(score);
    EXPECT_DOUBLE_EQ(score->value, 4.0 / 16);
    EXPECT_EQ(score->n, 3);
    EXPECT_LT(score->low, score->value);
    EXPECT_GT(score->high, score->value);
    EXPECT_EQ(mutualInformation({}).error().code, "metric.empty");
}

TEST(DocumentScores, CoherenceIsWhatAnOrderIsWorth) {
    const std::vector<OrderLikelihood> same{{-7, {-7, -7}}}, better{{-7, {-9, -11}}}, worse{{-11, {-9, -7}}};
    EXPECT_DOUBLE_EQ(coherence(same)->value, 0.5);
    EXPECT_NEAR(coherence(better)->value, 0.7310585786, 1e-10);  // sigmoid(3 / 3)
    EXPECT_NEAR(coherence(worse)->value, 0.2689414214, 1e-10);
    const std::vector<OrderLikelihood> both{better[0], worse[0]};
    EXPECT_NEAR(coherence(both)->value, 0.5, 1e-12);
    EXPECT_EQ(coherence({}).error().code, "metric.empty");
}

}  // namespace
}  // namespace kurve::metrics
