#include "core/schedule/flatten.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/schedule/detail/isotonic.h"
#include "core/schedule/noise_density.h"
#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

std::vector<LossLevel> levelsOf(double (*loss)(double)) {
    std::vector<LossLevel> levels;
    for (int i = -10; i < 10; ++i) levels.push_back({i * 1.0, i + 1.0, loss(i + 0.5), 100});
    return levels;
}

FreeCurve straight() {
    FreeCurve curve;
    curve.points = {{0, 10}, {1, -10}};
    return curve;
}

TEST(Isotonic, PoolsViolators) {
    using V = std::vector<double>;
    EXPECT_EQ(detail::nearestNonIncreasing({3, 2, 1}, {1, 1, 1}), (V{3, 2, 1}));
    EXPECT_EQ(detail::nearestNonIncreasing({1, 2, 3}, {1, 1, 1}), (V{2, 2, 2}));
    EXPECT_EQ(detail::nearestNonIncreasing({5, 1, 3, 0}, {1, 1, 1, 1}), (V{5, 2, 2, 0}));
    EXPECT_EQ(detail::nearestNonIncreasing({1, 4}, {3, 1}), (V{1.75, 1.75}));
    EXPECT_EQ(detail::nearestNonIncreasing({}, {}), V{});
}

// A loss that is linear in the log-SNR needs a uniform density: the linear schedule stays, but for the half
// bins at both ends whose slope is not known.
TEST(Flatten, AConstantSlopeKeepsTheLinearSchedule) {
    const auto curve = flattened(*makeFreeSchedule(straight()), levelsOf([](double l) { return 5 - l / 4; }));
    ASSERT_TRUE(curve) << curve.error().text();
    const MonotoneCubic flat = curve->interpolated();
    for (double t = 0.1; t < 0.95; t += 0.1) EXPECT_NEAR(flat.value(t), 10 - 20 * t, 0.5) << t;
    EXPECT_TRUE(check(*curve));
}

// The loss is a logistic of scale 1: its slope, the wanted p, is the logistic density, and the curve the
// logit. A tenth of the draws stays as it was.
TEST(Flatten, DrawsWhereTheLossDecreases) {
    const auto curve = flattened(*makeFreeSchedule(straight()),
                                 levelsOf([](double l) { return 1 / (1 + std::exp(l)); }), {1e-6});
    ASSERT_TRUE(curve) << curve.error().text();
    const MonotoneCubic flat = curve->interpolated();
    for (const double t : {0.1, 0.25, 0.5, 0.75, 0.9})
        EXPECT_NEAR(flat.value(t), -std::log(t / (1 - t)), 0.15) << t;
    EXPECT_EQ(curve->points.front().logSnr, 10);
    EXPECT_EQ(curve->points.back().logSnr, -10);
}

// With the proposed schedule the same loss is linear in time, up to the fraction of the present density.
RC_GTEST_PROP(FlattenProperty, TheLossIsLinearInTime, ()) {
    const double centre = *test::realIn(-5, 5), scale = *test::realIn(0.7, 3);
    std::vector<LossLevel> levels;
    const auto loss = [&](double l) { return 2 + 3 / (1 + std::exp((l - centre) / scale)); };
    for (int i = -10; i < 10; ++i) levels.push_back({i * 1.0, i + 1.0, loss(i + 0.5), 50});
    const double present = 0.1;
    const auto curve = flattened(*makeFreeSchedule(straight()), levels, {present});
    RC_ASSERT(curve.has_value());
    RC_ASSERT(check(*curve));
    const MonotoneCubic flat = curve->interpolated();
    const double low = loss(9.5), high = loss(-9.5);
    for (double t = 0.05; t < 1; t += 0.05)
        RC_ASSERT(std::abs((loss(flat.value(t)) - low) / (high - low) - t) < present + 0.03);
}

TEST(Flatten, IsRobustToNoiseInTheLoss) {
    auto levels = levelsOf([](double l) { return 1 / (1 + std::exp(l)) + 0.03 * std::sin(40 * l); });
    levels[3].rows = 0;
    levels[5].loss = NAN;
    const auto curve = flattened(*makeFreeSchedule(straight()), levels);
    ASSERT_TRUE(curve);
    EXPECT_TRUE(check(*curve));
}

TEST(Flatten, ErrorsNameTheReason) {
    const auto schedule = makeFreeSchedule(straight());
    EXPECT_EQ(flattened(*schedule, levelsOf([](double) { return 2.0; })).error().code, "schedule.flatten");
    EXPECT_EQ(flattened(*schedule, {}).error().code, "schedule.flatten");
    // A loss that only rises with the log-SNR has no fall to follow.
    EXPECT_EQ(flattened(*schedule, levelsOf([](double l) { return 5 + l / 4; })).error().code,
              "schedule.flatten");
}

}  // namespace
}  // namespace kurve::schedule
