#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/metrics/scorer_metrics.h"

namespace kurve::metrics {
namespace {

using Rows = std::vector<std::vector<double>>;

nlohmann::json golden() {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/metrics/mauve.json");
    EXPECT_TRUE(file.good());
    return nlohmann::json::parse(file);
}

double area(const std::vector<double>& p, const std::vector<double>& q) {
    return divergenceFrontierArea(p, q);
}

/// n directions near an axis of the plane.
Rows near(double x, double y, int n) {
    Rows rows;
    for (int i = 0; i < n; ++i) rows.push_back({x + 0.001 * i, y, 0.001 * i});
    return rows;
}

TEST(Mauve, TheAreaIsOneForEqualDistributionsAndNearZeroForDisjointOnes) {
    for (const auto& p : {std::vector{0.5, 0.5}, std::vector{1.0, 0.0}, std::vector{0.1, 0.2, 0.7}})
        EXPECT_NEAR(area(p, p), 1, 1e-12);
    // Disjoint: KL(P|wP+(1-w)Q) = -ln w, so that the frontier is (1-w)^5, w^5 and its area 1/252, by the beta
    // function's 5 B(6, 5); trapezoids of 25 mixtures lie above it.
    const double apart = area({1, 0}, {0, 1});
    EXPECT_GT(apart, 1.0 / 252);
    EXPECT_LT(apart, 0.006);
}

TEST(Mauve, TheAreaFallsWithTheDistanceAndKnowsNoOrder) {
    EXPECT_GT(area({0.5, 0.5}, {0.6, 0.4}), area({0.5, 0.5}, {0.9, 0.1}));
    EXPECT_NEAR(area({0.3, 0.7}, {0.8, 0.2}), area({0.8, 0.2}, {0.3, 0.7}), 1e-12);
}

TEST(Mauve, AgreesWithNumpy) {
    const auto expected = golden();
    for (const auto& one : expected["areas"])
        EXPECT_NEAR(area(one["p"], one["q"]), one["area"].get<double>(), 1e-12);
    for (const auto& one : expected["cases"]) {
        const Rows outputs = one["outputs"], references = one["references"];
        const auto score = mauve(outputs, references);
        ASSERT_TRUE(score);
        EXPECT_NEAR(score->value, one["value"].get<double>(), 1e-9);
        EXPECT_NEAR(score->low, std::max(0.0, score->value - 1.96 * one["error"].get<double>()), 1e-9);
        EXPECT_NEAR(score->high, std::min(1.0, score->value + 1.96 * one["error"].get<double>()), 1e-9);
        EXPECT_EQ(score->n, 60);
    }
}

TEST(Mauve, TheSameTextsGiveOneAndOtherTextsNearZero) {
    const Rows here = near(1, 0, 30), there = near(0, 1, 30);
    EXPECT_NEAR(mauve(here, here)->value, 1, 1e-12);
    EXPECT_LT(mauve(here, there)->value, 0.01);
    const auto few = mauve(here, here);
    EXPECT_EQ(few->low, 0) << "three clusters tell little";
    EXPECT_EQ(few->high, 1);
    // The length of a feature says nothing: a cloud ten times as far out is the same.
    Rows longer = here;
    for (auto& row : longer)
        for (double& value : row) value *= 10;
    EXPECT_NEAR(mauve(here, longer)->value, 1, 1e-12);
}

TEST(Mauve, ALineThatTheJudgeCouldNotReadIsLeftOutAndCounted) {
    Rows outputs = near(1, 0, 30);
    const Rows references = outputs;
    outputs[4].clear();
    const auto score = mauve(outputs, references);
    ASSERT_TRUE(score);
    EXPECT_EQ(score->n, 29);
    EXPECT_EQ(score->parts.at("unread"), 1);
    EXPECT_NEAR(score->value, 1, 1e-12);
}

TEST(Mauve, RefusesWhatIsNoCloud) {
    EXPECT_EQ(mauve(near(1, 0, 3), near(1, 0, 4)).error().code, "metric.counts");
    EXPECT_EQ(mauve(near(1, 0, 1), near(1, 0, 1)).error().code, "metric.empty");
    EXPECT_EQ(mauve(Rows(3), near(1, 0, 3)).error().code, "metric.empty");
}

TEST(Mauve, ClustersFollowTheFarthestRows) {
    const Rows rows{{0, 0}, {0.1, 0}, {5, 0}, {5.1, 0}, {0, 9}};
    const auto cluster = farthestFirstClusters(rows, 3);
    EXPECT_EQ(cluster[0], cluster[1]);
    EXPECT_EQ(cluster[2], cluster[3]);
    EXPECT_NE(cluster[0], cluster[2]);
    EXPECT_NE(cluster[4], cluster[0]);
    EXPECT_NE(cluster[4], cluster[2]);
    EXPECT_EQ(farthestFirstClusters({{1, 1}, {1, 1}}, 2), (std::vector<std::size_t>{0, 0}));
}

}  // namespace
}  // namespace kurve::metrics
