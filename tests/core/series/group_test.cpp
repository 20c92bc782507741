// Mean and spread of several curves, against tables and closed forms.
#include "core/series/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kurve::series {
namespace {

using ::testing::ElementsAre;

TEST(GroupBand, MeanAndIntervalOfThreeSeeds) {
    const std::vector<double> x{0, 10}, a{1, 2}, b{2, 4}, c{3, 9};
    const Member members[] = {{x, a}, {x, b}, {x, c}};
    const Band band = groupBand(members, BandKind::Confidence);
    EXPECT_THAT(band.x, ElementsAre(0, 10));
    EXPECT_THAT(band.mean, ElementsAre(2, 5));
    EXPECT_THAT(band.count, ElementsAre(3, 3));
    // s = 1, t(0.975, 2) / sqrt(3) = 2.48414; then s = sqrt(13)
    EXPECT_NEAR(band.low[0], 2 - 2.48414, 1e-5);
    EXPECT_NEAR(band.high[1], 5 + 2.48414 * std::sqrt(13.0), 1e-4);
    const Band range = groupBand(members, BandKind::Range);
    EXPECT_THAT(range.low, ElementsAre(1, 2));
    EXPECT_THAT(range.high, ElementsAre(3, 9));
}

TEST(GroupBand, MembersCountOnlyWhereTheyAreKnown) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> xa{0, 4}, a{0, 4}, xb{2, 6}, b{10, 14}, xc{0, 6}, c{nan, 1};
    const Member members[] = {{xa, a}, {xb, b}, {xc, c}};
    const Band band = groupBand(members, BandKind::Range);
    EXPECT_THAT(band.x, ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(band.count, ElementsAre(1, 2, 2, 2));
    EXPECT_THAT(band.mean, ElementsAre(0, 6, 8, 7.5));
    EXPECT_TRUE(std::isnan(band.low[0]));
}

TEST(GroupBand, AFineGridIsMadeCoarseButKeepsItsEnds) {
    std::vector<double> x, y;
    for (int i = 0; i < 1000; ++i) x.push_back(i * 0.5), y.push_back(3 * x.back());
    const Member members[] = {{x, y}, {x, y}};
    const Band band = groupBand(members, BandKind::Range, 50);
    ASSERT_EQ(band.x.size(), 50);
    EXPECT_EQ(band.x.front(), 0);
    EXPECT_NEAR(band.x.back(), 499.5, 1e-9);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(band.mean[i], 3 * band.x[i], 1e-9);
}

TEST(GroupBand, OfNothingIsNothing) {
    EXPECT_TRUE(groupBand({}, BandKind::Range).x.empty());
}

}  // namespace
}  // namespace kurve::series
