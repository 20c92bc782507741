#include "core/metrics/embedding_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace kurve::metrics {
namespace {

using Lines = std::vector<std::vector<std::int32_t>>;

// The oracle's numbers.
TEST(EmbeddingF1, Oracle) {
    const std::vector<float> table{1, 0, 0, 1, 1, 1};
    const Lines hypothesis{{0, 1, 2}}, reference{{0, 2}};
    const auto score = embeddingF1({hypothesis, reference}, {table, 2});
    ASSERT_TRUE(score);
    EXPECT_NEAR(score->parts.at("precision"), 0.90236893, 1e-7);
    EXPECT_NEAR(score->parts.at("recall"), 1, 1e-7);
    EXPECT_NEAR(score->value, 0.94867921, 1e-7);
}

// tests/golden/metrics/make_isotropy.py wrote these numbers.
TEST(EmbeddingF1, EqualsNumpyPairByPairAndInTheMean) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/metrics/isotropy.json");
    const auto golden = nlohmann::json::parse(file);
    std::vector<float> table;
    for (const auto& row : golden.at("words"))
        for (const float value : row) table.push_back(value);
    Lines hypotheses, references;
    double sum = 0;
    for (const auto& match : golden.at("matches")) {
        SCOPED_TRACE(match.dump());
        hypotheses.push_back(match.at("hypothesis"));
        references.push_back(match.at("reference"));
        const auto one = embeddingF1({{&hypotheses.back(), 1}, {&references.back(), 1}}, {table, 3});
        ASSERT_TRUE(one);
        const std::vector<double> wanted = match.at("precision_recall_f1");
        EXPECT_NEAR(one->parts.at("precision"), wanted[0], 1e-6);
        EXPECT_NEAR(one->parts.at("recall"), wanted[1], 1e-6);
        EXPECT_NEAR(one->value, wanted[2], 1e-6);
        sum += wanted[2];
    }
    const auto all = embeddingF1({hypotheses, references}, {table, 3});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->n, static_cast<int>(hypotheses.size()));
    EXPECT_NEAR(all->value, sum / static_cast<double>(hypotheses.size()), 1e-6);
    EXPECT_LT(all->low, all->value);
    EXPECT_GT(all->high, all->value);
}

TEST(EmbeddingF1, SaysWhatItCannotScore) {
    const std::vector<float> table{1, 0};
    const Lines one{{0}}, none;
    EXPECT_EQ(embeddingF1({none, none}, {table, 2}).error().code, "metric.empty");
    EXPECT_EQ(embeddingF1({one, none}, {table, 2}).error().code, "metric.counts");
}

}  // namespace
}  // namespace kurve::metrics
