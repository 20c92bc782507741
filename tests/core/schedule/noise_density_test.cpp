#include "core/schedule/noise_density.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

double areaOf(const NoiseDensity& density) {
    return std::accumulate(density.mass.begin(), density.mass.end(), 0.0);
}

// p(lambda) of the cosine schedule is sech(lambda / 2) / (2 pi).
TEST(NoiseDensity, CosineIsAHyperbolicSecant) {
    const NoiseDensity density = densityOf(**makeSchedule("continuous-cosine"));
    EXPECT_NEAR(density.area, 1, 1e-12);
    int compared = 0;
    for (std::size_t i = 0; i < density.logSnr.size(); ++i) {
        if (std::abs(density.logSnr[i]) > 8) continue;  // the cells get wide towards the ends
        const double expected = 1 / std::cosh(density.logSnr[i] / 2) / (2 * M_PI);
        EXPECT_NEAR(density.density[i], expected, 1e-3 * expected) << density.logSnr[i];
        ++compared;
    }
    EXPECT_GT(compared, 500);
}

// Sigmoid(g, d) is the logistic density with location d and scale g.
TEST(NoiseDensity, SigmoidIsALogisticDistribution) {
    FreeCurve curve;
    const double g = 1.5, d = -1;
    for (int i = 0; i <= 100; ++i) {
        const double t = i / 100.0;
        curve.points.push_back({t, i == 0 ? 14 : i == 100 ? -14 : d - g * std::log(t / (1 - t))});
    }
    const NoiseDensity density = densityOf(*makeFreeSchedule(curve, {20000}));
    for (std::size_t i = 0; i < density.logSnr.size(); ++i) {
        const double z = (density.logSnr[i] - d) / g;
        if (std::abs(z) > 3) continue;
        const double expected = 1 / (4 * g * std::pow(std::cosh(z / 2), 2));
        EXPECT_NEAR(density.density[i], expected, 0.01 * expected) << density.logSnr[i];
    }
}

TEST(NoiseDensity, EveryScheduleHasAreaOne) {
    for (const auto& kind : scheduleKinds())
        for (const auto& times :
             {TimeDensity{}, TimeDensity{TimeDensity::Kind::LogitNormal, -0.5, 1.2, {}}}) {
            const NoiseDensity density = densityOf(**makeSchedule(kind.id), times);
            EXPECT_NEAR(density.area, 1, 1e-9) << kind.id;
            EXPECT_NEAR(areaOf(density), 1, 1e-9) << kind.id;
        }
}

TEST(TimeDensity, LogitNormalIsEssersFormula) {
    const TimeDensity times{TimeDensity::Kind::LogitNormal, 0, 1, {}};
    EXPECT_NEAR(times.density(0.5), 4 / std::sqrt(2 * M_PI), 1e-12);
    EXPECT_NEAR(times.cumulative(0.5), 0.5, 1e-12);
    // P(logit t < 1) is Phi(1).
    EXPECT_NEAR(times.cumulative(1 / (1 + std::exp(-1.0))), 0.841344746068543, 1e-12);
    EXPECT_EQ(times.cumulative(0), 0);
    EXPECT_EQ(times.cumulative(1), 1);
    EXPECT_EQ(times.density(0), 0);
}

TEST(TimeDensity, LinesAreNormalised) {
    const TimeDensity times{
        TimeDensity::Kind::Free, 0, 1, {{0, 0}, {0.5, 2}, {1, 0}}};  // a triangle of area 1
    EXPECT_NEAR(times.density(0.25), 1, 1e-12);
    EXPECT_NEAR(times.density(0.5), 2, 1e-12);
    EXPECT_NEAR(times.cumulative(0.25), 0.125, 1e-12);
    EXPECT_NEAR(times.cumulative(0.75), 0.875, 1e-12);
    const TimeDensity doubled{TimeDensity::Kind::Free, 0, 1, {{0, 0}, {0.5, 4}, {1, 0}}};
    EXPECT_NEAR(doubled.density(0.5), 2, 1e-12);
}

TEST(TimeDensity, DensityIsTheSlopeOfTheCumulative) {
    for (const TimeDensity& times :
         {TimeDensity{}, TimeDensity{TimeDensity::Kind::LogitNormal, 0.4, 0.8, {}},
          TimeDensity{TimeDensity::Kind::Free, 0, 1, {{0, 1}, {0.3, 3}, {1, 0.5}}}})
        for (const double t : {0.07, 0.29, 0.5, 0.93}) {
            const double slope = (times.cumulative(t + 1e-6) - times.cumulative(t - 1e-6)) / 2e-6;
            EXPECT_NEAR(times.density(t), slope, 1e-5);
        }
}

// Folding p(t) into the schedule changes nothing of what training draws: the fractions of draws above each
// level agree.
RC_GTEST_PROP(TimeDensityProperty, FoldingKeepsTheDraws, ()) {
    FreeCurve curve;
    double t = 0, ratio = *test::realIn(4, 12);
    curve.points.push_back({0, ratio});
    for (const double step : {0.1, 0.25, 0.3, 0.2, 0.15})
        curve.points.push_back({t += step, ratio -= *test::realIn(0.5, 6)});
    curve.points.back().t = 1;
    const TimeDensity times{
        TimeDensity::Kind::LogitNormal, *test::realIn(-1, 1), *test::realIn(0.6, 1.5), {}};
    const FreeCurve folded = withUniformTime(curve, times);
    RC_ASSERT(check(folded));
    const MonotoneCubic before = curve.interpolated(), after = folded.interpolated();
    for (int i = 1; i < 20; ++i) {
        const double level = ratio + (curve.points.front().logSnr - ratio) * i / 20;
        RC_ASSERT(std::abs(times.cumulative(before.inverse(level)) - after.inverse(level)) < 0.01);
    }
}

TEST(LossWeight, AreThePapersFormulas) {
    EXPECT_EQ(lossWeight("x0").at(3, 5), 1);
    EXPECT_NEAR(lossWeight("eps").at(std::log(4), 5), 4, 1e-12);
    EXPECT_NEAR(lossWeight("v").at(std::log(4), 5), 5, 1e-12);
    EXPECT_EQ(lossWeight("min-snr").at(std::log(8), 5), 5);
    EXPECT_NEAR(lossWeight("min-snr").at(std::log(4), 5), 4, 1e-12);
    EXPECT_EQ(lossWeight("truncated").at(-3, 5), 1);
    EXPECT_EQ(lossWeight("nonsense").id, "x0");
    EXPECT_NEAR(clampedSnr(1.5, 0.001, 5), 4.48168907, 1e-8);
    EXPECT_EQ(clampedSnr(2, 0.001, 5), 5);
    EXPECT_EQ(clampedSnr(-7, 0.001, 5), 0.001);
    EXPECT_EQ(clampedSnr(std::numeric_limits<double>::infinity(), 0, 10), 10);
    EXPECT_EQ(clampedSnr(-std::numeric_limits<double>::infinity(), 0, 10), 0);
    for (const LossWeight& weight : lossWeights())
        EXPECT_FALSE(weight.source.empty() || weight.formula.empty() || weight.title.empty());
}

// With z = alpha z0 + sigma eps, what each prediction's error is worth as an error of z0.
TEST(LossWeight, FollowFromTheParametrisation) {
    const auto schedule = std::move(*makeSchedule("continuous-cosine"));
    for (const double s : {0.2, 0.5, 0.8}) {
        const double a = schedule->alpha(s), b = schedule->sigma(s), z0 = 0.7, wrong = 0.4, eps = -1.1;
        const double z = a * z0 + b * eps, impliedEps = (z - a * wrong) / b;
        const double x0Error = std::pow(z0 - wrong, 2), epsError = std::pow(eps - impliedEps, 2);
        const double vError = std::pow((a * eps - b * z0) - (a * impliedEps - b * wrong), 2);
        const double level = schedule->logSnr(s);
        EXPECT_NEAR(lossWeight("eps").at(level, 0) * x0Error, epsError, 1e-12);
        EXPECT_NEAR(lossWeight("v").at(level, 0) * x0Error, vError, 1e-12);
    }
}

TEST(FreeCurveOf, FollowsEveryKind) {
    for (const auto& kind : scheduleKinds()) {
        const auto schedule = std::move(*makeSchedule(kind.id));
        const FreeCurve curve = freeCurveOf(*schedule);
        const Status status = check(curve);
        EXPECT_TRUE(status) << kind.id << ": " << (status ? "" : status.error().text());
        EXPECT_LE(curve.points.size(), 17u) << kind.id;
        EXPECT_EQ(curve.masking, kind.masking);
        const auto drawn = makeFreeSchedule(curve);
        for (double s = 0.02; s <= 0.98; s += 0.01)
            EXPECT_NEAR(drawn->alpha(s), schedule->alpha(s), 0.02) << kind.id << " at " << s;
    }
    FreeCurve three;
    three.points = {{0, 9}, {0.5, 1}, {1, -9}};
    EXPECT_EQ(freeCurveOf(*makeFreeSchedule(three, {512}), 1e-6).points.size(), 17u);
}

}  // namespace
}  // namespace kurve::schedule
