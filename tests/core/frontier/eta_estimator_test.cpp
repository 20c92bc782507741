#include "core/frontier/eta_estimator.h"

#include <gtest/gtest.h>

namespace kurve::frontier {
namespace {
TEST(EtaEstimator, KnowsNothingBeforeTheFirstJob) {
    const EtaEstimator eta;
    EXPECT_FALSE(eta.known());
    EXPECT_EQ(eta.secondsFor({1, 2}), 0);
}

TEST(EtaEstimator, OneJobIsProportional) {
    EtaEstimator eta;
    eta.add(4, 2);
    EXPECT_DOUBLE_EQ(eta.secondsFor({4, 8}), 6);
}

TEST(EtaEstimator, FitsAFixedCostPerJob) {
    EtaEstimator eta;
    eta.add(1, 0.5 + 0.25);
    eta.add(32, 0.5 + 32 * 0.25);
    EXPECT_NEAR(eta.secondsFor({2, 8, 16}), 3 * 0.5 + 26 * 0.25, 1e-12);
}

TEST(EtaEstimator, ASmallJobDoesNotChangeTheEstimateOfLargeOnes) {
    EtaEstimator eta;
    eta.add(32, 32);
    eta.add(1, 1);
    EXPECT_NEAR(eta.secondsFor({32, 32}), 64, 1e-12);
}

TEST(EtaEstimator, NeitherPartFallsBelowZero) {
    EtaEstimator steep, falling;
    steep.add(1, 0.1);
    steep.add(10, 10);
    EXPECT_GT(steep.secondsFor({1}), 0);
    falling.add(1, 3);
    falling.add(10, 1);
    EXPECT_DOUBLE_EQ(falling.secondsFor({100}), 2);
}

}  // namespace
}  // namespace kurve::frontier
