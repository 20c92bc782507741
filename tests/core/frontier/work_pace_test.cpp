#include "core/frontier/work_pace.h"

#include <gtest/gtest.h>

namespace kurve::frontier {
namespace {

TEST(WorkPace, KnowsNothingBeforeTheFirstJob) {
    const WorkPace pace;
    EXPECT_FALSE(pace.known());
    EXPECT_EQ(pace.secondsFor({1, 2}), 0);
}

TEST(WorkPace, OneJobIsTakenAsProportional) {
    WorkPace pace;
    pace.add(4, 2);
    EXPECT_DOUBLE_EQ(pace.secondsFor({4, 8}), 6);
}

TEST(WorkPace, FindsWhatEveryJobCostsBesideItsWork) {
    WorkPace pace;
    pace.add(1, 0.5 + 0.25);
    pace.add(32, 0.5 + 32 * 0.25);
    EXPECT_NEAR(pace.secondsFor({2, 8, 16}), 3 * 0.5 + 26 * 0.25, 1e-12);
}

TEST(WorkPace, ASmallJobLastSaysNothingAboutTheLargeOnesThatAreLeft) {
    WorkPace pace;
    pace.add(32, 32);
    pace.add(1, 1);
    EXPECT_NEAR(pace.secondsFor({32, 32}), 64, 1e-12);
}

TEST(WorkPace, NeitherPartFallsBelowZero) {
    WorkPace steep, falling;
    steep.add(1, 0.1);
    steep.add(10, 10);
    EXPECT_GT(steep.secondsFor({1}), 0);
    falling.add(1, 3);
    falling.add(10, 1);
    EXPECT_DOUBLE_EQ(falling.secondsFor({100}), 2);
}

}  // namespace
}  // namespace kurve::frontier
