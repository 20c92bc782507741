#include "core/schedule/invariants.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

FreeCurve curveOf(std::vector<SchedulePoint> points) {
    FreeCurve curve;
    curve.points = std::move(points);
    return curve;
}

Finding findingOf(const FreeCurve& curve, Invariant wanted, const FreeSettings& settings = {}) {
    for (const Finding& finding : examine(curve, settings))
        if (finding.invariant == wanted) return finding;
    ADD_FAILURE() << "no such finding";
    return {};
}

std::vector<double> ratiosOf(const FreeCurve& curve) {
    std::vector<double> ratios;
    for (const auto& point : curve.points) ratios.push_back(point.logSnr);
    return ratios;
}

TEST(Invariants, AllHoldForAGoodCurve) {
    for (const Finding& finding : examine(curveOf({{0, 9}, {0.5, 0}, {1, -9}}))) {
        EXPECT_TRUE(finding.holds) << finding.text;
        EXPECT_FALSE(finding.repair);
    }
    for (const auto& kind : scheduleKinds())
        for (const Finding& finding : examine(**makeSchedule(kind.id)))
            EXPECT_TRUE(finding.holds) << kind.id << ": " << finding.text;
}

// Two neighbours in the wrong order: least squares moves both to their mean, half a gap apart.
TEST(Invariants, ARisingPartIsRepairedByTheSmallestChange) {
    const Finding finding = findingOf(curveOf({{0, 9}, {0.3, -1}, {0.6, 1}, {1, -9}}), Invariant::Decreasing);
    EXPECT_FALSE(finding.holds);
    EXPECT_EQ(finding.measured, -2);
    EXPECT_EQ(finding.text, "not decreasing at point 3 (t = 0.6)");
    ASSERT_TRUE(finding.repair);
    const auto ratios = ratiosOf(finding.repair->curve);
    EXPECT_NEAR(ratios[1], 0.005, 1e-12);
    EXPECT_NEAR(ratios[2], -0.005, 1e-12);
    EXPECT_EQ(ratios[0], 9);
    EXPECT_EQ(ratios[3], -9);
}

TEST(Invariants, TimesAreRescaledToTheEnds) {
    const Finding finding = findingOf(curveOf({{0.2, 9}, {0.4, 0}, {0.6, -9}}), Invariant::Ends);
    EXPECT_FALSE(finding.holds);
    EXPECT_EQ(finding.text, "from t = 0.2 to 0.6");
    EXPECT_NEAR(finding.repair->curve.points[1].t, 0.5, 1e-12);
    EXPECT_EQ(finding.repair->curve.points[2].t, 1);
}

TEST(Invariants, PointsOutsideTheClampAreMovedInside) {
    FreeCurve curve = curveOf({{0, 14}, {0.2, 13}, {0.5, 0}, {1, -9}});
    EXPECT_TRUE(findingOf(curve, Invariant::Limits).holds);
    curve.clamp = std::pair{-12.0, 12.0};
    const Finding finding = findingOf(curve, Invariant::Limits);
    EXPECT_FALSE(finding.holds);
    EXPECT_EQ(finding.measured, 2);
    const auto ratios = ratiosOf(finding.repair->curve);
    EXPECT_NEAR(ratios[0], 12, 1e-12);
    EXPECT_NEAR(ratios[1], 11.99, 1e-12);
    EXPECT_EQ(ratios[2], 0);
    EXPECT_TRUE(findingOf(finding.repair->curve, Invariant::Limits).holds);
}

TEST(Invariants, ANoiseFactorMovesIntoTheCurve) {
    const FreeCurve curve = curveOf({{0, 9}, {0.5, 0}, {1, -9}});
    const FreeSettings settings{2000, 4};
    const Finding finding = findingOf(curve, Invariant::Variance, settings);
    EXPECT_FALSE(finding.holds);
    EXPECT_NEAR(finding.measured, 15, 0.01);  // F^2 - 1 at the noisy end
    ASSERT_TRUE(finding.repair);
    EXPECT_EQ(finding.repair->settings.noiseFactor, 1);
    const auto before = makeFreeSchedule(curve, settings),
               after = makeFreeSchedule(finding.repair->curve, finding.repair->settings);
    for (const double t : {0.1, 0.5, 0.9}) EXPECT_NEAR(after->logSnr(t), before->logSnr(t), 1e-12);
    EXPECT_TRUE(findingOf(finding.repair->curve, Invariant::Variance).holds);
}

TEST(Invariants, RemainingSignalAtTheEndIsRemoved) {
    const Finding finding = findingOf(curveOf({{0, 9}, {0.5, 0}, {1, -2}}), Invariant::Terminal);
    EXPECT_FALSE(finding.holds);
    EXPECT_NEAR(finding.measured, std::sqrt(1 / (1 + std::exp(2.0))), 1e-12);
    EXPECT_EQ(findingOf(finding.repair->curve, Invariant::Terminal).measured, 0);
}

TEST(Invariants, TheAreaLacksTheRisingParts) {
    EXPECT_NEAR(findingOf(curveOf({{0, 9}, {0.5, 0}, {1, -9}}), Invariant::Area).measured, 1, 1e-12);
    const Finding finding = findingOf(curveOf({{0, 9}, {0.25, 0}, {0.5, 5}, {1, -9}}), Invariant::Area);
    EXPECT_NEAR(finding.measured, 0.75, 0.01);  // a quarter of the time the curve rises
    EXPECT_TRUE(findingOf(finding.repair->curve, Invariant::Area).holds);
}

TEST(Invariants, MaskSchedulesHaveNoVariance) {
    FreeCurve curve = curveOf({{0, 9}, {1, -9}});
    curve.masking = true;
    const auto findings = examine(curve);
    EXPECT_TRUE(std::none_of(findings.begin(), findings.end(),
                             [](const auto& f) { return f.invariant == Invariant::Variance; }));
}

RC_GTEST_PROP(InvariantsProperty, FixingAllGivesACurveThatTrains, ()) {
    FreeCurve curve = *test::anyCurve();
    curve.zeroTerminal = false;
    for (auto& point : curve.points) {
        point.logSnr = *test::realIn(-40, 40);
        point.t = 0.1 + 0.7 * point.t;
    }
    if (*rc::gen::arbitrary<bool>()) curve.clamp = std::pair{-12.0, 11.0};
    FreeSettings settings{50, std::pow(10, *test::realIn(-0.5, 0.5))};
    for (int round = 0; round < 8; ++round)
        for (const Finding& finding : examine(curve, settings))
            if (!finding.holds) {
                RC_ASSERT(finding.repair.has_value());
                curve = finding.repair->curve;
                settings = finding.repair->settings;
                break;
            }
    for (const Finding& finding : examine(curve, settings))
        if (!finding.holds) RC_FAIL(finding.text);
    const Status status = check(curve);
    if (!status) RC_FAIL(status.error().text());
}

// The repair is the nearest falling sequence: no other that falls by the gap lies nearer.
RC_GTEST_PROP(InvariantsProperty, NoOtherFallingCurveIsNearer, ()) {
    FreeCurve curve = *test::anyCurve();
    for (auto& point : curve.points) point.logSnr = *test::realIn(-10, 10);
    const auto distance = [&](const std::vector<double>& ratios) {
        double sum = 0;
        for (std::size_t i = 0; i < ratios.size(); ++i)
            sum += std::pow(ratios[i] - curve.points[i].logSnr, 2);
        return sum;
    };
    const auto nearest = ratiosOf(withDecreasingPoints(curve, 0.01));
    std::vector<double> other = nearest;
    for (double& ratio : other) ratio += *test::realIn(-1, 1);
    std::sort(other.rbegin(), other.rend());
    for (std::size_t i = 0; i < other.size(); ++i) other[i] -= 0.01 * static_cast<double>(i);
    RC_ASSERT(distance(nearest) <= distance(other) + 1e-9);
}

}  // namespace
}  // namespace kurve::schedule
