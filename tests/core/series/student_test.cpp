// Intervals over seeds against scipy and mpmath (tests/golden/series/make_student.py).
#include "core/series/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kurve::series {
namespace {

nlohmann::json golden() {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/series/student.json");
    return nlohmann::json::parse(file);
}

std::vector<double> sample(const nlohmann::json& golden, const std::string& name) {
    return golden.at("samples").at(name).at("values");
}

TEST(StudentQuantile, IsThatOfTheIncompleteBetaFunction) {
    const auto quantiles = golden().at("quantiles");
    ASSERT_GE(quantiles.size(), 20u);
    for (const auto& entry : quantiles) {
        const double degrees = entry[0], quantile = entry[1];
        EXPECT_NEAR(studentQuantile(degrees), quantile, 1e-10 * quantile) << degrees;
    }
}

TEST(SampleStatistics, IntervalsAreScipys) {
    const auto all = golden();
    for (const auto& [name, entry] : all.at("samples").items()) {
        const SampleStatistics facts = sampleStatistics(sample(all, name));
        EXPECT_NEAR(facts.mean, entry.at("mean"), 1e-12) << name;
        EXPECT_NEAR(facts.mean - facts.half, entry.at("low"), 1e-8) << name;
        EXPECT_NEAR(facts.mean + facts.half, entry.at("high"), 1e-8) << name;
    }
}

TEST(SampleStatistics, WhatIsNotFiniteDoesNotCount) {
    const double inf = std::numeric_limits<double>::infinity();
    const SampleStatistics facts = sampleStatistics(std::vector<double>{3, NAN, -1, inf});
    EXPECT_EQ(facts.n, 2);
    EXPECT_EQ(facts.mean, 1);
    EXPECT_EQ(facts.min, -1);
    EXPECT_EQ(facts.max, 3);
}

TEST(SampleStatistics, OneValueHasNoIntervalAndNoneHasNothing) {
    const SampleStatistics one = sampleStatistics(std::vector<double>{5});
    EXPECT_EQ(one.mean, 5);
    EXPECT_TRUE(std::isnan(one.half));
    EXPECT_EQ(sampleStatistics({}).n, 0);
    EXPECT_TRUE(std::isnan(sampleStatistics({}).mean));
}

TEST(MeanDifference, IsWelchsTestOfScipy) {
    const auto all = golden();
    int distinguishable = 0;
    for (const auto& entry : all.at("pairs")) {
        const std::string from = entry.at("from"), to = entry.at("to");
        const auto difference =
            meanDifference(sampleStatistics(sample(all, from)), sampleStatistics(sample(all, to)));
        EXPECT_NEAR(difference.value - difference.half, entry.at("low"), 1e-8) << from << " " << to;
        EXPECT_NEAR(difference.value + difference.half, entry.at("high"), 1e-8) << from << " " << to;
        EXPECT_NEAR(difference.degrees, entry.at("degrees"), 1e-9) << from << " " << to;
        EXPECT_EQ(difference.isDistinguishable(), entry.at("p").get<double>() < 0.05) << from << " " << to;
        distinguishable += difference.isDistinguishable();
    }
    EXPECT_GT(distinguishable, 0);
    EXPECT_LT(distinguishable, static_cast<int>(all.at("pairs").size()));
}

TEST(MeanDifference, WithoutTwoValuesOnEachSideThereIsNoInterval) {
    const auto one = sampleStatistics(std::vector<double>{5}),
               two = sampleStatistics(std::vector<double>{1, 1.1});
    EXPECT_EQ(meanDifference(two, one).value, 5 - 1.05);
    EXPECT_TRUE(std::isnan(meanDifference(two, one).half));
    EXPECT_FALSE(meanDifference(two, one).isDistinguishable());
    EXPECT_FALSE(meanDifference(one, two).isDistinguishable());
}

TEST(MeanDifference, WithoutAnyVarianceOnlyEqualMeansAreIndistinguishable) {
    const auto a = sampleStatistics(std::vector<double>{2, 2}),
               b = sampleStatistics(std::vector<double>{3, 3, 3});
    EXPECT_TRUE(meanDifference(a, b).isDistinguishable());
    EXPECT_FALSE(meanDifference(a, a).isDistinguishable());
}

}  // namespace
}  // namespace kurve::series
