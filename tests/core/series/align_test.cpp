#include "core/series/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kurve::series {
namespace {

using ::testing::ElementsAre;
using Steps = std::vector<std::int64_t>;
using Values = std::vector<double>;

TEST(Align, StepsNeverFall) {
    EXPECT_THAT(stepAxis(Steps{0, 10, 20}), ElementsAre(0, 10, 20));
    EXPECT_THAT(stepAxis(Steps{0, 10, 5, 11}), ElementsAre(0, 10, 10, 11));
}

TEST(Align, WallTimeIsRelativeAndLeavesPausesOut) {
    const Values wall{100, 101, 200, 150, 201};
    EXPECT_THAT(wallAxis(wall, 99), ElementsAre(1, 2, 101, 101, 102));
    const std::vector<std::pair<double, double>> pauses{{90, 99.5}, {150, 180}, {160, 190}, {201, 300}};
    EXPECT_THAT(wallAxis(wall, 99, pauses), ElementsAre(0.5, 1.5, 60.5, 60.5, 61.5));
    EXPECT_THAT(wallAxis(wall, 99, std::vector<std::pair<double, double>>{{120, 130}, {101, 199}}),
                ElementsAre(1, 2, 3, 3, 4))
        << "one within the other";
    EXPECT_THAT(wallAxis(wall, 100.5), ElementsAre(0, 0.5, 99.5, 99.5, 100.5));
}

TEST(Align, TokensAreInterpolatedBetweenTheirOwnSteps) {
    const Steps known{10, 20, 40};
    const Values tokens{1000, 3000, 4000};
    EXPECT_THAT(tokenAxis(Steps{0, 5, 10, 15, 20, 30, 40, 60}, known, tokens),
                ElementsAre(0, 500, 1000, 2000, 3000, 3500, 4000, 5000));
    EXPECT_THAT(tokenAxis(Steps{5, 20}, Steps{10}, Values{100}), ElementsAre(50, 200));
    EXPECT_TRUE(tokenAxis(Steps{1}, Steps{}, Values{}).empty());
    EXPECT_TRUE(tokenAxis(Steps{1}, Steps{5}, Values{NAN}).empty());
    EXPECT_THAT(tokenAxis(Steps{10, 20, 30}, Steps{10, 20, 30}, Values{100, 50, 300}),
                ElementsAre(100, 100, 300))
        << "a counter that fell (a resumed run) does not fold the curve";
}

TEST(Align, ResamplingIsLinearAndKeepsHoles) {
    const Values x{0, 10, 10, 20, 30, 40}, y{0, 1, 3, 5, NAN, 7};
    const auto at = [&](double g) { return resample(x, y, Values{g})[0]; };
    EXPECT_EQ(at(0), 0);
    EXPECT_EQ(at(5), 0.5);
    EXPECT_EQ(at(10), 3) << "the later of two points at one x";
    EXPECT_EQ(at(15), 4);
    EXPECT_EQ(at(20), 5);
    EXPECT_EQ(at(40), 7);
    for (const double g : {-1.0, 21.0, 30.0, 35.0, 41.0, static_cast<double>(NAN)})
        EXPECT_TRUE(std::isnan(at(g))) << g;
    EXPECT_TRUE(std::isnan(resample({}, {}, Values{1})[0]));
}

}  // namespace
}  // namespace kurve::series
