#include "views/common/data/series_growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve::views::detail {
namespace {

using ::testing::ElementsAre;

/// Points at steps first .. first + count - 1, half a second apart.
store::Series points(std::int64_t first, int count) {
    store::Series series;
    for (std::int64_t step = first; step < first + count; ++step) {
        series.step.push_back(step);
        series.wall.push_back(0.5 * static_cast<double>(step));
        series.value.push_back(-static_cast<double>(step));
    }
    return series;
}

bool shareAxes(const SeriesGrowth::Shared& a, const SeriesGrowth::Shared& b) {
    return a->step.isSameAs(b->step) && a->wall.isSameAs(b->wall);
}

TEST(SeriesGrowth, MetricsOfOneLogCallKeepTheirStepsAndTimesOnce) {
    SeriesGrowth::Shared loss, rate;
    for (int read = 0; read < 5000; ++read) {
        SeriesGrowth growth;
        loss = growth.extended(loss, points(read, 1));
        rate = growth.extended(rate, points(read, 1));
        ASSERT_TRUE(shareAxes(loss, rate)) << read;
    }
    EXPECT_EQ(loss->step, points(0, 5000).step);
    EXPECT_EQ(rate->wall, points(0, 5000).wall);
    EXPECT_EQ(rate->value, points(0, 5000).value);
    EXPECT_NE(loss->value.data(), rate->value.data());
}

TEST(SeriesGrowth, WhatAReadPartedMeetsAgain) {
    SeriesGrowth first, second;
    const auto loss = first.extended(nullptr, points(0, 40)), rate = first.extended(nullptr, points(0, 41));
    EXPECT_FALSE(shareAxes(loss, rate));
    const auto lossAfter = second.extended(loss, points(40, 3)),
               rateAfter = second.extended(rate, points(41, 2));
    EXPECT_TRUE(shareAxes(lossAfter, rateAfter));
    EXPECT_EQ(rateAfter->step, points(0, 43).step);
    EXPECT_EQ(rate->size(), 41U) << "a snapshot does not change";
}

TEST(SeriesGrowth, OtherStepsOrTimesAreTheirOwn) {
    SeriesGrowth growth;
    store::Series late = points(0, 3);
    late.wall.pop_back();
    late.wall.push_back(7);
    const auto loss = growth.extended(nullptr, points(0, 3)), later = growth.extended(nullptr, late),
               other = growth.extended(nullptr, points(1, 3));
    EXPECT_THAT(loss->wall, ElementsAre(0, 0.5, 1));
    EXPECT_THAT(later->wall, ElementsAre(0, 0.5, 7));
    EXPECT_THAT(other->step, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace kurve::views::detail
