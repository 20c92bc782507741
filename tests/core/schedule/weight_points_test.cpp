#include "core/schedule/weight_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kurve::schedule {
namespace {

TEST(WeightPoints, AreLinearInTheLogarithm) {
    const auto points = parseWeightPoints("-4=0.25, 0=1, 2=16");
    ASSERT_TRUE(points);
    EXPECT_DOUBLE_EQ(weightAt(*points, -4), 0.25);
    EXPECT_NEAR(weightAt(*points, -2), 0.5, 1e-12) << "the geometric mean";
    EXPECT_NEAR(weightAt(*points, 1), 4, 1e-12);
    EXPECT_DOUBLE_EQ(weightAt(*points, -30), 0.25) << "level beyond the ends";
    EXPECT_DOUBLE_EQ(weightAt(*points, 30), 16);
    EXPECT_EQ(weightAt({}, 3), 1);
}

TEST(WeightPoints, AreReadBackAsTheyWereWritten) {
    const WeightPoints points{{-7.25, 0.1}, {0.5, 2}, {9, 1.0 / 3}};
    const auto read = parseWeightPoints(weightPointsText(points));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, points);
}

TEST(WeightPoints, ErrorsNameThePoint) {
    for (const char* text : {"", "0=0", "0=-1", "1=1,1=2", "2=1,1=2", "a=1", "1"}) {
        const auto read = parseWeightPoints(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, "schedule.weight") << text;
        EXPECT_FALSE(read.error().remedy.empty());
    }
}

}  // namespace
}  // namespace kurve::schedule
