#include "core/schedule/step_spacing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

TEST(StepSpacing, EvenInTimeIsWhatTheSamplersDo) {
    const auto schedule = std::move(*makeSchedule("sqrt"));
    EXPECT_EQ(spacedPositions(*schedule, 20, Spacing::Time), samplingPositions(*schedule, 20));
}

TEST(StepSpacing, EvenInLogSnrHasEqualGaps) {
    const auto schedule = std::move(*makeSchedule("continuous-cosine", {}));
    const auto gaps = gapsOf(*schedule, spacedPositions(*schedule, 12, Spacing::LogSnr));
    ASSERT_EQ(gaps.size(), 10u);  // the last position is s = 1, where the log-SNR is infinite
    for (const double gap : gaps) EXPECT_NEAR(gap, gaps.front(), 1e-6);
}

// Karras: sigma_i = (smax^(1/7) + i/(n-1) (smin^(1/7) - smax^(1/7)))^7 with sigma = noise / signal.
TEST(StepSpacing, Rho7IsKarrasFormula) {
    FreeCurve curve;
    curve.points = {{0, 9}, {0.4, 1}, {1, -9}};
    const auto schedule = makeFreeSchedule(curve, {20000});
    const auto positions = spacedPositions(*schedule, 5, Spacing::Rho7);
    const auto noise = [&](double s) { return std::exp(-schedule->logSnr(s) / 2); };
    const double most = std::pow(noise(1), 1.0 / 7), least = std::pow(noise(1.0 / 20000), 1.0 / 7);
    for (std::size_t i = 0; i < 5; ++i) {
        const double expected = most + (4.0 - static_cast<double>(i)) / 4 * (least - most);
        EXPECT_NEAR(std::pow(noise(positions[i]), 1.0 / 7), expected, 1e-3) << i;
    }
}

// Both ends of its sigmoid are near 1: their difference once rounded to 0, and every position was the first.
TEST(StepSpacing, AShallowMaskCurveThatEndsAtZeroIsWalkedToItsEnd) {
    FreeCurve curve;
    curve.points = {{0, 14}, {0.05084, 13.1712}, {1, 13}};
    curve.masking = curve.zeroTerminal = true;
    const auto schedule = makeFreeSchedule(curve, {125});
    const auto gaps = gapsOf(*schedule, spacedPositions(*schedule, 101, Spacing::LogSnr));
    ASSERT_EQ(gaps.size(), 99u);  // the last position is s = 1, where the log-SNR is infinite
    for (const double gap : gaps) EXPECT_NEAR(gap, gaps.front(), 1e-3 * gaps.front());
}

RC_GTEST_PROP(StepSpacingProperty, PositionsAscendToNoise, ()) {
    FreeCurve curve = *test::anyCurve();
    curve.masking = *rc::gen::arbitrary<bool>();
    const int trainingSteps = *rc::gen::inRange(2, 300), steps = *rc::gen::inRange(1, trainingSteps + 1);
    const auto schedule = makeFreeSchedule(curve, {trainingSteps});
    for (const Spacing spacing : {Spacing::Time, Spacing::LogSnr, Spacing::Rho7}) {
        const auto positions = spacedPositions(*schedule, steps, spacing);
        RC_ASSERT(positions.size() == static_cast<std::size_t>(steps));
        RC_ASSERT(positions.back() == 1);
        RC_ASSERT(positions.front() > 0);
        for (std::size_t i = 1; i < positions.size(); ++i) RC_ASSERT(positions[i] > positions[i - 1]);
        for (const double s : positions) {
            if (curve.masking) continue;
            RC_ASSERT(std::abs(s * trainingSteps - std::round(s * trainingSteps)) < 1e-9);
        }
        for (const double gap : gapsOf(*schedule, positions)) RC_ASSERT(gap > 0);
    }
}

TEST(TokensRevealed, FollowTheMaskProbability) {
    const auto schedule = std::move(*makeSchedule("log-linear", {{"epsilon", "0"}}));
    const auto positions = samplingPositions(*schedule, 4);
    EXPECT_EQ(tokensRevealed(*schedule, positions, 20), (std::vector<int>{5, 5, 5, 5}));
    const auto uneven = tokensRevealed(*schedule, positions, 7);
    EXPECT_EQ(std::accumulate(uneven.begin(), uneven.end(), 0), 7);
    for (const int tokens : uneven) EXPECT_TRUE(tokens == 1 || tokens == 2);
}

}  // namespace
}  // namespace kurve::schedule
