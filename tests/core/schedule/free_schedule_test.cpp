#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/base/check.h"
#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"
#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

/// LCM's sigmoid schedule: log-SNR d - g logit(t), cut at +-14.
FreeCurve sigmoidCurve(double slope, double centre, int parts = 40) {
    FreeCurve curve;
    for (int i = 0; i <= parts; ++i) {
        const double t = static_cast<double>(i) / parts;
        const double ratio = i == 0 ? 14 : i == parts ? -14 : centre - slope * std::log(t / (1 - t));
        curve.points.push_back({t, ratio});
    }
    return curve;
}

// LCM (Barrault et al. 2024), sigmoid schedules: continuous alpha, sigma and lambda of sigmoid(1.5, -1) and
// sigmoid(3.5, 0).
TEST(FreeSchedule, MeetsTheClosedFormsAtItsPoints) {
    const auto one = makeFreeSchedule(sigmoidCurve(1.5, -1));
    EXPECT_NEAR(one->alpha(0.25), 0.81027232, 5e-9);
    EXPECT_NEAR(one->sigma(0.25), 0.58605355, 5e-9);
    EXPECT_NEAR(one->logSnr(0.9), -4.295837, 5e-7);
    EXPECT_NEAR(one->alpha(0.1), 0.95316927, 5e-9);
    const auto steep = makeFreeSchedule(sigmoidCurve(3.5, 0));
    EXPECT_NEAR(steep->alpha(0.1), 0.99977145, 5e-9);
    EXPECT_NEAR(steep->sigma(0.1), 0.02137846, 5e-9);
    EXPECT_NEAR(steep->logSnr(0.25), 3.845143, 5e-7);
}

TEST(FreeSchedule, BetweenItsPointsItIsNearASmoothCurve) {
    const auto schedule = makeFreeSchedule(sigmoidCurve(1.5, -1));
    for (double t = 0.06; t < 0.95; t += 0.0137)
        EXPECT_NEAR(schedule->logSnr(t), -1 - 1.5 * std::log(t / (1 - t)), 0.01) << t;
}

TEST(FreeSchedule, TablesMeetTheCurve) {
    const auto schedule = makeFreeSchedule(sigmoidCurve(1.5, -1), {100});
    ASSERT_EQ(schedule->discreteSteps(), 100);
    // Raw alpha at t = 0.5: index 49.
    EXPECT_NEAR(std::sqrt(schedule->alphaBars()[49]), 0.51859562, 5e-9);
    double product = 1;
    for (std::size_t i = 0; i < 100; ++i) product *= 1 - schedule->betas()[i];
    EXPECT_NEAR(product, schedule->alphaBars()[99], 1e-15);
}

// Lin et al.: r <- (r - r_T) r_0 / (r_0 - r_T). The formula is the truth; alpha(0.5) of a published table
// lies near.
TEST(FreeSchedule, ZeroTerminalIsTheRescaling) {
    FreeCurve curve = sigmoidCurve(1.5, -1);
    curve.points.back().logSnr = -7;
    const auto plain = makeFreeSchedule(curve);
    curve.zeroTerminal = true;
    const auto rescaled = makeFreeSchedule(curve);
    const double first = plain->alpha(0), last = plain->alpha(1);
    for (double t = 0; t <= 1; t += 0.01) {
        const double expected = (plain->alpha(t) - last) * first / (first - last);
        EXPECT_NEAR(rescaled->alpha(t), expected, 1e-14) << t;
        EXPECT_NEAR(std::pow(rescaled->alpha(t), 2) + std::pow(rescaled->sigma(t), 2), 1, 1e-14);
    }
    EXPECT_EQ(rescaled->alpha(1), 0);
    EXPECT_EQ(rescaled->sigma(1), 1);
    EXPECT_EQ(rescaled->logSnr(1), -INFINITY);
    EXPECT_EQ(rescaled->alphaBars().back(), 0);
    EXPECT_EQ(rescaled->betas().back(), 1);
    EXPECT_NEAR(rescaled->logSnr(0), 14, 1e-6);  // the clean end keeps its last digits
}

TEST(FreeSchedule, NoiseFactorMultipliesOrBends) {
    const FreeCurve curve = sigmoidCurve(1.5, -1);
    const auto plain = makeFreeSchedule(curve), times4 = makeFreeSchedule(curve, {2000, 4}),
               bent = makeFreeSchedule(curve, {2000, 4, true});
    for (const double t : {0.1, 0.5, 0.9}) {
        EXPECT_NEAR(times4->sigma(t), 4 * plain->sigma(t), 1e-15);
        EXPECT_EQ(times4->alpha(t), plain->alpha(t));
        const double signal =
            std::pow(plain->alpha(t), 2);  // Difformer's code: abar / (F^2 - (F^2 - 1) abar)
        EXPECT_NEAR(std::pow(bent->alpha(t), 2), signal / (16 - 15 * signal), 1e-14);
        EXPECT_NEAR(bent->logSnr(t), times4->logSnr(t), 1e-12);  // the same ratio in both ways
    }
}

TEST(FreeMask, AlphaIsTheProbabilityOfBeingUnmasked) {
    FreeCurve curve;
    curve.masking = true;
    for (int i = 0; i <= 50; ++i) {  // alpha = 1 - t, MDLM's schedule, away from its infinite ends
        const double t = i / 50.0, alpha = std::clamp(1 - t, 1e-4, 1 - 1e-4);
        curve.points.push_back({t, std::log(alpha / (1 - alpha))});
    }
    const auto schedule = makeFreeSchedule(curve);
    for (const double t : {0.1, 0.5, 0.9}) {
        EXPECT_NEAR(schedule->alpha(t), 1 - t, 1e-12);
        EXPECT_NEAR(*schedule->maskProbability(t), t, 1e-12);
        EXPECT_NEAR(schedule->sigma(t), -std::log(1 - t), 1e-12);
        EXPECT_NEAR(*schedule->weight(t), 1 / t, 0.02 / t);  // hazard -alpha' / (1 - alpha) of 1 - t
    }
    EXPECT_EQ(schedule->discreteSteps(), 0);
}

TEST(FreeMask, HazardAndNoiseRateAreTheDerivatives) {
    const auto schedule = std::move(*makeSchedule("free-mask", {{"zero_terminal", "true"}}));
    EXPECT_EQ(schedule->alpha(1), 0);
    EXPECT_EQ(*schedule->maskProbability(1), 1);
    for (const double s : {0.05, 0.3, 0.45, 0.81}) {
        const double h = 1e-6, slope = (schedule->alpha(s + h) - schedule->alpha(s - h)) / (2 * h);
        EXPECT_NEAR(*schedule->weight(s), -slope / (1 - schedule->alpha(s)), 1e-6);
        EXPECT_NEAR(*schedule->noiseRate(s), (schedule->sigma(s + h) - schedule->sigma(s - h)) / (2 * h),
                    1e-6);
    }
}

RC_GTEST_PROP(FreeScheduleProperty, EveryCurveIsASchedule, ()) {
    FreeCurve curve = *test::anyCurve();
    curve.masking = *rc::gen::arbitrary<bool>();
    RC_ASSERT(check(curve));
    const auto schedule = makeFreeSchedule(curve, {50});
    double before = INFINITY;
    for (int i = 0; i <= 500; ++i) {
        const double t = i / 500.0, a = schedule->alpha(t), now = schedule->logSnr(t);
        RC_ASSERT(a >= 0 && a <= 1);
        RC_ASSERT(now < before);
        before = now;
        if (curve.masking)
            RC_ASSERT(std::abs(a + *schedule->maskProbability(t) - 1) < 1e-14);
        else
            RC_ASSERT(std::abs(a * a + std::pow(schedule->sigma(t), 2) - 1) < 1e-14);
    }
    for (const double beta : schedule->betas()) RC_ASSERT(beta > 0 && beta <= 1);
}

std::vector<SchedulePoint> somePoints() {
    return {{0, 8}, {0.25, 3}, {0.5, 0}, {1, -8}};
}

TEST(FreeCurve, AMovedPointStaysBetweenItsNeighbours) {
    const auto up = withPointMoved(somePoints(), 1, {0.9, 99});
    EXPECT_LT(up[1].t, 0.5);
    EXPECT_GT(up[1].t, 0.49);
    EXPECT_LT(up[1].logSnr, 8);
    const auto end = withPointMoved(somePoints(), 3, {0.2, -9.5});
    EXPECT_EQ(end[3].t, 1);
    EXPECT_EQ(end[3].logSnr, -9.5);
    EXPECT_GE(withPointMoved(somePoints(), 3, {1, -99})[3].logSnr, -kMaxLogSnr);
    EXPECT_EQ(withPointMoved(somePoints(), 2, {0.6, -1})[2], (SchedulePoint{0.6, -1}));
}

TEST(FreeCurve, PointsAreAddedAndRemoved) {
    FreeCurve curve;
    curve.points = somePoints();
    const auto more = withPointAt(curve, 0.7);
    ASSERT_EQ(more.size(), 5u);
    EXPECT_EQ(more[3].logSnr, curve.interpolated().value(0.7));
    EXPECT_EQ(withPointAt(curve, 0.5), curve.points);
    EXPECT_EQ(withoutPoint(more, 3), curve.points);
    EXPECT_EQ(withoutPoint(curve.points, 0), curve.points);
    EXPECT_EQ(withoutPoint(curve.points, 3), curve.points);
}

TEST(FreeCurve, ScalingTheDensityScalesTheTimeThere) {
    const auto denser = withDensityScaled(somePoints(), 1, 2);
    // Spans .25 .25 .5 become .5 .5 .5 of 1.5.
    EXPECT_NEAR(denser[1].t, 1.0 / 3, 1e-12);
    EXPECT_NEAR(denser[2].t, 2.0 / 3, 1e-12);
    EXPECT_EQ(denser[3].t, 1);
    EXPECT_EQ(denser[1].logSnr, 3);
    EXPECT_NEAR(withDensityScaled(somePoints(), 0, 3)[1].t, 0.75 / 1.5, 1e-12);
}

RC_GTEST_PROP(FreeCurveProperty, EveryEditKeepsTheCurveValid, ()) {
    FreeCurve curve = *test::anyCurve();
    for (int edit = 0; edit < 12; ++edit) {
        const auto index = *rc::gen::inRange<std::size_t>(0, curve.points.size());
        switch (*rc::gen::inRange(0, 4)) {
            case 0:
                curve.points =
                    withPointMoved(curve.points, index, {*test::realIn(-1, 2), *test::realIn(-40, 40)});
                break;
            case 1:
                curve.points = withPointAt(curve, *test::realIn(0, 1));
                break;
            case 2:
                curve.points = withoutPoint(curve.points, index);
                break;
            default:
                curve.points = withDensityScaled(curve.points, index, std::pow(10, *test::realIn(-1, 1)));
        }
        const Status status = check(curve);
        if (!status) RC_FAIL(status.error().text());
    }
}

}  // namespace
}  // namespace kurve::schedule
