#include "core/series/percentile_range.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random_stream.h"
#include "core/series/pyramid.h"

namespace kurve::series {
namespace {

std::vector<double> ramp(int n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(i);
    return values;
}

TEST(PercentileRange, LeavesOneInAHundredOutAtEitherEnd) {
    const auto values = ramp(1000);
    EXPECT_EQ(percentileRange({values}, Values::All), std::pair(10.0, 989.0));
}

TEST(PercentileRange, OneSpikeAmongFewValuesIsLeftOutAndOfVeryFewNothing) {
    auto values = ramp(40);
    values[17] = 1e6;
    EXPECT_EQ(percentileRange({values}, Values::All), std::pair(1.0, 39.0));
    const std::vector<double> few{3, 1e6, 2};
    EXPECT_EQ(percentileRange({few}, Values::All), std::pair(2.0, 1e6));
}

TEST(PercentileRange, CountsWhatCanBeShownOfAllCurvesTogether) {
    const double nan = std::nan("");
    const std::vector<double> a{nan, 1, -5}, b{INFINITY, 4};
    EXPECT_EQ(percentileRange({a, b}, Values::All), std::pair(-5.0, 4.0));
    EXPECT_EQ(percentileRange({a, b}, Values::Positive), std::pair(1.0, 4.0));
    const std::vector<double> none{nan, 0};
    EXPECT_FALSE(percentileRange({none}, Values::Positive));
    EXPECT_FALSE(percentileRange({}, Values::All));
}

TEST(PercentileRange, OfMillionsItIsAnEvenlySampledEstimate) {
    const auto values = ramp(3'000'000);
    const std::span<const double> all(values);
    const auto range = percentileRange({all.first(1'000'000), all.subspan(1'000'000)}, Values::All);
    EXPECT_NEAR(range->first, 30'000, 100);
    EXPECT_NEAR(range->second, 2'970'000, 100);
}

TEST(Pyramid, CountsThePointsOutsideOfARangeAsAScanDoes) {
    RandomStream random(5, "test.beyond");
    Pyramid pyramid;
    for (int i = 0; i < 5000; ++i)
        pyramid.append(i, random.below(30) == 0 ? NAN : random.normal() + 0.002 * i);
    for (const auto& [begin, end] :
         {std::pair<std::size_t, std::size_t>{0, 5000}, {3, 4999}, {256, 512}, {7, 7}, {17, 300}})
        for (const auto& [low, high] : {std::pair(-1.0, 8.0), {3.0, 4.0}, {-100.0, 100.0}, {50.0, 60.0}}) {
            Beyond scanned;
            for (std::size_t i = begin; i < end; ++i) {
                scanned.below += pyramid.y()[i] < low ? 1 : 0;
                scanned.above += pyramid.y()[i] > high ? 1 : 0;
            }
            EXPECT_EQ(pyramid.beyond(begin, end, low, high), scanned) << begin << ' ' << end << ' ' << low;
        }
}

}  // namespace
}  // namespace kurve::series
