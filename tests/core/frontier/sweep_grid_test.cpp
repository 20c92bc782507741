#include "core/frontier/sweep_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <set>

namespace kurve::frontier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

std::vector<std::string> valuesOf(const std::string& text) {
    const auto axis = parseAxis(text);
    EXPECT_TRUE(axis) << axis.error().text();
    return axis ? axis->values : std::vector<std::string>{};
}

std::string problemOf(const std::string& text) {
    const auto axis = parseAxis(text);
    return axis ? "none" : axis.error().text();
}

TEST(SweepGrid, ReadsListsAndRanges) {
    EXPECT_EQ(parseAxis("sampler.steps=4,8")->key, "sampler.steps");
    EXPECT_THAT(valuesOf("a=4, 8,16,8"), ElementsAre("4", "8", "16"));
    EXPECT_THAT(valuesOf("a=5..20:5"), ElementsAre("5", "10", "15", "20"));
    EXPECT_THAT(valuesOf("a=0.5..1:0.25,x"), ElementsAre("0.5", "0.75", "1", "x"));
    EXPECT_THAT(valuesOf("a=1..3"), ElementsAre("1", "2", "3"));
    EXPECT_THAT(valuesOf("a=0..0.3:0.1"), SizeIs(4));
    EXPECT_THAT(valuesOf("a=1e-4..1e-2:x10"), ElementsAre("0.0001", "0.001", "0.01"));
    EXPECT_THAT(valuesOf("a=64..600:x2"), ElementsAre("64", "128", "256", "512"));
}

TEST(SweepGrid, SaysWhatIsWrong) {
    EXPECT_THAT(problemOf("steps"), HasSubstr("KEY="));
    EXPECT_THAT(problemOf("=3"), HasSubstr("KEY="));
    EXPECT_THAT(problemOf("a=1,,2"), HasSubstr("empty"));
    EXPECT_THAT(problemOf("a=1..x"), HasSubstr("not a number"));
    EXPECT_THAT(problemOf("a=64..512:"), HasSubstr("not a number"));
    EXPECT_THAT(problemOf("a=5..1"), HasSubstr("grow"));
    EXPECT_THAT(problemOf("a=1..5:0"), HasSubstr("grow"));
    EXPECT_THAT(problemOf("a=0..8:x2"), HasSubstr("above zero"));
    EXPECT_THAT(problemOf("a=1..8:x1"), HasSubstr("above one"));
    EXPECT_THAT(problemOf("a=1..1e9"), HasSubstr("more than"));
    EXPECT_THAT(problemOf("a=1..nan"), HasSubstr("not a number"));
}

TEST(SweepGrid, DrawsFromListsAndRanges) {
    const std::vector<std::string> axes{"lr=1e-4..1e-1", "hidden=8..11", "kind=a,b", "rate=0.1..0.3:0.1"};
    const auto drawn = draw(axes, 300, 7);
    ASSERT_TRUE(drawn);
    ASSERT_THAT(*drawn, SizeIs(300));
    int low = 0;
    std::set<std::string> hidden, kinds, rates;
    for (const auto& one : *drawn) {
        const double rate = std::stod(one.at("lr"));
        EXPECT_GE(rate, 1e-4);
        EXPECT_LE(rate, 1e-1);
        low += rate < std::sqrt(1e-4 * 1e-1);
        hidden.insert(one.at("hidden"));
        kinds.insert(one.at("kind"));
        rates.insert(one.at("rate"));
    }
    EXPECT_NEAR(low, 150, 45) << "half of them below the geometric mean: a logarithmic scale";
    EXPECT_THAT(hidden, ElementsAre("10", "11", "8", "9"));
    EXPECT_THAT(kinds, ElementsAre("a", "b"));
    EXPECT_THAT(rates, ElementsAre("0.1", "0.2", "0.3"));
    EXPECT_EQ(*drawn, *draw(axes, 300, 7));
    EXPECT_NE(*drawn, *draw(axes, 300, 8));
    EXPECT_THAT(*draw({"a=1,2", "b=1..2"}, 50, 1), SizeIs(4)) << "there are no more";
    EXPECT_THAT(draw({"a=1,,2"}, 3, 1).error().text(), HasSubstr("empty"));
}

TEST(SweepGrid, CornersComeFirst) {
    const auto grid = expand({{"a", {"1", "2", "3", "4", "5"}}, {"b", {"x", "y"}}});
    ASSERT_TRUE(grid);
    ASSERT_THAT(*grid, SizeIs(10));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NE((*grid)[i].at("a"), "3") << i;
    EXPECT_EQ((*grid)[4].at("a"), "3");  // then the middle
    EXPECT_EQ((*grid)[5].at("a"), "3");
}

TEST(SweepGrid, EveryCombinationOnce) {
    rc::check("the grid is the product of its axes", [] {
        const auto sizes = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(1, 8));
        std::vector<Axis> axes;
        std::size_t product = 1;
        for (std::size_t a = 0; a < sizes.size(); ++a) {
            axes.push_back({std::string(1, static_cast<char>('a' + a)), {}});
            for (int v = 0; v < sizes[a]; ++v) axes.back().values.push_back(std::to_string(v));
            product *= static_cast<std::size_t>(sizes[a]);
        }
        const auto grid = expand(axes);
        RC_ASSERT(grid.has_value());
        RC_ASSERT(std::set<Settings>(grid->begin(), grid->end()).size() == product);
        RC_ASSERT(grid->size() == product);
    });
}

TEST(SweepGrid, RefusesWhatNobodyWaitsFor) {
    EXPECT_THAT(expand({{"a", {"1", "2", "3"}}, {"b", {"1", "2", "3"}}}, 8).error().text(), HasSubstr("8"));
    EXPECT_THAT(expand({{"a", {"1"}}, {"a", {"2"}}}).error().text(), HasSubstr("twice"));
    EXPECT_THAT(*expand({}), SizeIs(1));  // the run's own settings
}

SweepPoint pointAt(const std::string& steps, double x, double y) {
    SweepPoint point;
    point.settings = {{"sampler.steps", steps}, {"sampler.selection", "likelihood"}};
    point.quality["bleu"].value = y;
    point.diversity["entropy"].value = x;
    return point;
}

TEST(SweepGrid, RefinesTheLargestGapOfTheFront) {
    const std::vector<SweepPoint> points{pointAt("4", 5.0, 10), pointAt("8", 4.9, 12), pointAt("32", 3.0, 30),
                                         pointAt("16", 2.9, 5)};  // beaten
    const auto fresh = refine(points, "bleu", "entropy", 1);
    ASSERT_THAT(fresh, SizeIs(1));
    EXPECT_THAT(fresh[0], ElementsAre(Pair("sampler.selection", "likelihood"), Pair("sampler.steps", "20")));
}

TEST(SweepGrid, RefinesNothingTwice) {
    std::vector<SweepPoint> points{pointAt("4", 5, 10), pointAt("5", 3, 30)};
    for (const auto& settings : refine(points, "bleu", "entropy", 9))
        EXPECT_NE(settings.at("sampler.steps"), "5");
    points.push_back(pointAt("8", 4, 1));
    EXPECT_THAT(refine({pointAt("4", 5, 10)}, "bleu", "entropy", 3), IsEmpty());
    EXPECT_THAT(refine(points, "chrf", "entropy", 3), IsEmpty());
}

TEST(SweepGrid, FindsSettingsWithoutEffect) {
    const auto point = [](const std::string& steps, const std::string& temperature, const std::string& output,
                          double bleu) {
        SweepPoint made;
        made.settings = {{"steps", steps}, {"temperature", temperature}};
        made.texts = {{"", "", {output}}};
        made.quality["bleu"].value = bleu;
        return made;
    };
    std::vector<SweepPoint> points{point("1", "0.5", "a", 1), point("1", "1", "a", 1),
                                   point("2", "0.5", "b", 2), point("2", "1", "b", 2)};
    EXPECT_THAT(settingsWithoutEffect(points), ElementsAre("temperature"));
    points.back().quality["bleu"].value = 3;
    EXPECT_THAT(settingsWithoutEffect(points), IsEmpty()) << "the scores of a longer list differ";
    points.back() = point("2", "1", "c", 2);
    EXPECT_THAT(settingsWithoutEffect(points), IsEmpty());
    EXPECT_THAT(settingsWithoutEffect({points.front(), points[3]}), IsEmpty())
        << "no two differ in one alone";
}

}  // namespace
}  // namespace kurve::frontier
