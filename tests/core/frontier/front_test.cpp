#include "core/frontier/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "core/frontier/front_numbers.h"

namespace kurve::frontier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Front, KeepsWhatNoOtherBeats) {
    const std::vector<PlanePoint> points{{1, 5}, {2, 4}, {2, 3}, {3, 1}, {0.5, 4.9}, {3, 0.5}};
    EXPECT_THAT(paretoFront(points), ElementsAre(0, 1, 3));
    EXPECT_THAT(paretoFront({}), IsEmpty());
    EXPECT_THAT(paretoFront(std::vector<PlanePoint>{{1, 1}, {1, 1}}), ElementsAre(0));
    EXPECT_THAT(paretoFront(std::vector<PlanePoint>{{NAN, 9}, {1, 1}}), ElementsAre(1));
}

// Against the definition, point by point.
TEST(Front, AgreesWithTheDefinition) {
    rc::check("no point of the front is beaten, every other is",
              [](const std::vector<std::pair<int, int>>& raw) {
                  std::vector<PlanePoint> points;
                  for (const auto& [x, y] : raw)
                      points.push_back({static_cast<double>(x % 9), static_cast<double>(y % 9)});
                  const auto front = paretoFront(points);
                  for (std::size_t i = 0; i < points.size(); ++i) {
                      bool beaten = false;
                      for (std::size_t j = 0; j < points.size(); ++j) {
                          const bool asGood = points[j].x >= points[i].x && points[j].y >= points[i].y;
                          const bool same = points[j].x == points[i].x && points[j].y == points[i].y;
                          beaten = beaten || (asGood && (!same || j < i));
                      }
                      RC_ASSERT(beaten == (std::find(front.begin(), front.end(), i) == front.end()));
                  }
              });
}

TEST(Front, HypervolumeIsTheAreaOfTheStaircase) {
    const std::vector<PlanePoint> points{{1, 3}, {2, 2}, {3, 1}, {1.5, 1.5}};
    EXPECT_DOUBLE_EQ(hypervolume(points, 0, 0), 3 + 2 + 1);
    EXPECT_DOUBLE_EQ(hypervolume(points, 1, 1), 1);  // only (2, 2) lies beyond the corner on both axes
    EXPECT_DOUBLE_EQ(hypervolume({}, 0, 0), 0);
}

SweepPoint decoded(double distinct, double chrf) {
    SweepPoint made;
    made.diversity["distinct-2"].value = distinct;
    made.quality["chrf"].value = chrf;
    return made;
}

TEST(Front, TheAreaOfARunHasOneCornerAndOnePairOfNumbers) {
    EXPECT_TRUE(frontNumbers({}).empty());
    SweepPoint half;
    half.quality["chrf"].value = 50;
    EXPECT_TRUE(frontNumbers(std::vector{half}).empty()) << "a point without diversity says nothing";
    // Worked out: 0.5 wide 0.6 high, then 0.3 more at 0.2; the third is beaten.
    EXPECT_NEAR(
        frontNumbers(std::vector{decoded(0.5, 60), decoded(0.8, 20), decoded(0.4, 50), half}).at(kFrontArea),
        0.5 * 0.6 + 0.3 * 0.2, 1e-12);
}

TEST(Front, DistanceOfARunIsToItsReferences) {
    auto near = decoded(0.5, 60), far = decoded(0.9, 20);
    EXPECT_FALSE(frontNumbers(std::vector{near}).contains(kFrontDistance)) << "no references are known";
    near.referenceDiversity["distinct-2"] = far.referenceDiversity["distinct-2"] = 0.8;
    // Worked out: 0.3 beside and 0.4 below the references; the other one 0.8 below.
    EXPECT_NEAR(frontNumbers(std::vector{far, near}).at(kFrontDistance), 0.5, 1e-12);
}

// A quick trial on four sentences has a distinct-2 near 1.
TEST(Front, NumbersOfARunAreOfThePointsThatCompare) {
    auto real = decoded(0.5, 60), trial = decoded(0.99, 60);
    real.sentences = 200, trial.sentences = 4;
    for (auto* one : {&real, &trial}) one->referenceDiversity["distinct-2"] = one == &trial ? 1 : 0.8;
    const auto numbers = frontNumbers(std::vector{trial, real});
    EXPECT_NEAR(numbers.at(kFrontArea), 0.5 * 0.6, 1e-12);
    EXPECT_NEAR(numbers.at(kFrontDistance), 0.5, 1e-12);
    EXPECT_NEAR(frontNumbers(std::vector{trial, real, trial}).at(kFrontArea), 0.99 * 0.6, 1e-12)
        << "of most points";
}

TEST(Front, AQualityOfWhichLessIsBetterIsNegatedInThePlane) {
    EXPECT_EQ(direction("chrf"), 1);
    EXPECT_EQ(direction("gen_ppl"), -1);
    const Estimate x{0.5, 0.4, 0.7, 1, "", {}}, y{20, 18, 25, 1, "", {}};
    const PlanePoint point = planePoint(x, y, -1);
    EXPECT_DOUBLE_EQ(point.y, -20);
    EXPECT_DOUBLE_EQ(point.dy.below, 5);
    EXPECT_DOUBLE_EQ(point.dy.above, 2);
    EXPECT_NEAR(point.dx.above, 0.2, 1e-12);
    const Slice back = oriented({-20, -25, -18}, -1);
    EXPECT_DOUBLE_EQ(back.y, 20);
    EXPECT_DOUBLE_EQ(back.low, 18);
    EXPECT_DOUBLE_EQ(back.high, 25);
}

TEST(Front, SliceLiesBetweenTheNeighbours) {
    const std::vector<PlanePoint> points{{1, 10, {0.25, 0.5}, {1, 3}}, {3, 6, {0.75, 0.25}, {2, 1}}};
    const auto slice = sliceAt(points, 1.5);  // a quarter of the way
    ASSERT_TRUE(slice);
    EXPECT_DOUBLE_EQ(slice->y, 9);
    EXPECT_DOUBLE_EQ(slice->low, 9 - 1.25);
    EXPECT_DOUBLE_EQ(slice->high, 9 + 2.5);
    EXPECT_DOUBLE_EQ(sliceAt(points, 1)->y, 10);
    EXPECT_DOUBLE_EQ(sliceAt(points, 1)->low, 9) << "at a point: its own bounds";
    EXPECT_DOUBLE_EQ(sliceAt(points, 1)->high, 13);
    EXPECT_DOUBLE_EQ(sliceAt(points, 3)->y, 6);
    EXPECT_FALSE(sliceAt(points, 3.01));
    EXPECT_FALSE(sliceAt(points, 0.99));
    const auto across = sliceAtQuality(points, 8);  // half way
    ASSERT_TRUE(across);
    EXPECT_DOUBLE_EQ(across->y, 2);
    EXPECT_DOUBLE_EQ(across->low, 1.5);
    EXPECT_DOUBLE_EQ(across->high, 2.375);
}

TEST(Front, TwoEstimatesDifferOnlyOutsideTheirErrors) {
    const Difference close = difference({10, 8, 12}, {9, 7.5, 10.5});
    EXPECT_DOUBLE_EQ(close.value, 1);
    EXPECT_DOUBLE_EQ(close.high, 1 + std::sqrt(4 + 2.25));
    EXPECT_FALSE(close.distinguishable());
    EXPECT_TRUE(difference({10, 9.5, 10.5}, {8, 7.5, 8.5}).distinguishable());
    EXPECT_FALSE(difference({10, NAN, NAN}, {8, 7.5, 8.5}).distinguishable()) << "an interval is unknown";
}

// Closed form with right triangles of whole numbers (3-4-5, 5-12-13): what each bound says by itself.
TEST(Front, DifferencesOfSkewedIntervalsStaySkewed) {
    const Difference d = difference({70, 67, 82}, {60, 55, 64});  // 3 below, 12 above; 5 below, 4 above
    EXPECT_DOUBLE_EQ(d.value, 10);
    EXPECT_DOUBLE_EQ(d.low, 10 - 5);    // 3 of a's lower bound with 4 of b's upper
    EXPECT_DOUBLE_EQ(d.high, 10 + 13);  // 12 of a's upper bound with 5 of b's lower
    EXPECT_TRUE(d.distinguishable());
    // Half widths about the value, 7.5 and 4.5, would say: not distinguishable from 8.
    EXPECT_TRUE(difference({68, 65, 80}, {60, 55, 64}).distinguishable());
    const Difference outside = difference({70, 71, 74}, {60, 60, 63});
    EXPECT_DOUBLE_EQ(outside.low, 10 - 3) << "a value below its own interval bounds nothing there";
}

// Axes of a covariance that is known: rotated by 30 degrees with variances 9 and 1.
TEST(Front, SeedEllipseHasTheCovariancesAxes) {
    const double angle = std::acos(-1.0) / 6;
    std::vector<double> xs, ys;
    for (const auto& [u, v] : {std::pair{3.0, 1.0}, {3.0, -1.0}, {-3.0, 1.0}, {-3.0, -1.0}}) {
        xs.push_back(5 + u * std::cos(angle) - v * std::sin(angle));
        ys.push_back(7 + u * std::sin(angle) + v * std::cos(angle));
    }
    const auto ellipse = seedEllipse(xs, ys);  // sample variances: 4/3 of 9 and of 1
    ASSERT_TRUE(ellipse);
    EXPECT_NEAR(ellipse->x, 5, 1e-12);
    EXPECT_NEAR(ellipse->y, 7, 1e-12);
    EXPECT_NEAR(ellipse->angle, angle, 1e-12);
    EXPECT_NEAR(ellipse->major, std::sqrt(5.991464547107979 * 12), 1e-9);
    EXPECT_NEAR(ellipse->minor, std::sqrt(5.991464547107979 * 4.0 / 3), 1e-9);
    EXPECT_FALSE(seedEllipse(std::vector<double>{1, 2}, std::vector<double>{1, 2}));
}

TEST(Front, CaveatsSayWhyPointsAreNotComparable) {
    SweepPoint a, b;
    a.sentences = b.sentences = 50;
    a.reference = b.reference = "r";
    a.seeds = b.seeds = {1, 2};
    EXPECT_THAT(caveats(std::vector{a, b}), IsEmpty());
    b.sentences = 100;
    b.seeds = {1};
    const auto found = caveats(std::vector{a, b});
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_THAT(found[0], HasSubstr("50 to 100"));
    EXPECT_THAT(found[1], HasSubstr("seeds"));
}

}  // namespace
}  // namespace kurve::frontier
