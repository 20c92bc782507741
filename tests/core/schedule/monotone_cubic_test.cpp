#include "core/schedule/monotone_cubic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

TEST(MonotoneCubic, IsScipysPchip) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/schedules/pchip.json");
    const auto golden = nlohmann::json::parse(file);
    ASSERT_GE(golden.at("curves").size(), 8u);
    for (const auto& entry : golden.at("curves")) {
        const std::string name = entry.at("name");
        const std::vector<double> x = entry.at("x"), at = entry.at("at");
        const MonotoneCubic curve(x, entry.at("y"));
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(curve.slopes()[i], entry.at("slopes")[i].get<double>(), 1e-9) << name << " " << i;
        for (std::size_t i = 0; i < at.size(); ++i) {
            EXPECT_NEAR(curve.value(at[i]), entry.at("value")[i].get<double>(), 1e-11)
                << name << " " << at[i];
            EXPECT_NEAR(curve.slope(at[i]), entry.at("slope")[i].get<double>(), 1e-9) << name << " " << at[i];
        }
    }
}

TEST(MonotoneCubic, IsConstantBeyondItsEnds) {
    const MonotoneCubic curve({0, 0.5, 1}, {3, 1, -2});
    EXPECT_EQ(curve.value(-1), 3);
    EXPECT_EQ(curve.value(2), -2);
    EXPECT_EQ(curve.slope(2), 0);
    EXPECT_EQ(curve.inverse(9), 0);
    EXPECT_EQ(curve.inverse(-9), 1);
}

TEST(MonotoneCubic, RefusesTimesOutOfOrder) {
    EXPECT_THROW(MonotoneCubic({0}, {1}), ContractError);
    EXPECT_THROW(MonotoneCubic({0, 0.5, 0.5, 1}, {4, 3, 2, 1}), ContractError);
    EXPECT_THROW(MonotoneCubic({0, 1}, {4, 3, 2}), ContractError);
}

RC_GTEST_PROP(MonotoneCubicProperty, FallsForAnyFallingPoints, ()) {
    const FreeCurve drawn = *test::anyCurve();
    const MonotoneCubic curve = drawn.interpolated();
    const double most = drawn.points.front().logSnr, least = drawn.points.back().logSnr;
    double before = most;
    for (int i = 1; i <= 2000; ++i) {
        const double now = curve.value(i / 2000.0);
        RC_ASSERT(now < before);
        RC_ASSERT(now >= least);
        RC_ASSERT(curve.slope(i / 2000.0) <= 1e-9);
        before = now;
    }
    for (const auto& point : drawn.points) RC_ASSERT(std::abs(curve.value(point.t) - point.logSnr) < 1e-12);
}

RC_GTEST_PROP(MonotoneCubicProperty, InverseGivesTheTimeBack, ()) {
    const FreeCurve drawn = *test::anyCurve();
    const MonotoneCubic curve = drawn.interpolated();
    const double t = *test::realIn(0, 1);
    const double y = curve.value(t);
    RC_ASSERT(std::abs(curve.value(curve.inverse(y)) - y) < 1e-9);
}

}  // namespace
}  // namespace kurve::schedule
