#include "views/frontier/frontier_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

frontier::SweepPoint point(int steps, double entropy, double bleu, std::int64_t step = 100) {
    frontier::SweepPoint made;
    made.settings = {{"sampler.steps", std::to_string(steps)}, {"sampler.length_beam", "2"}};
    made.step = step;
    made.checkpointSha256 = std::to_string(step);
    made.seeds = {1, 2, 3};
    made.sentences = 60;
    made.reference = "r";
    made.quality["bleu"] = {bleu, bleu - 2, bleu + 2, 60, "", {bleu - 1, bleu, bleu + 1}};
    made.diversity["entropy"] = {entropy, entropy, entropy, 60, "", {entropy, entropy + 0.1, entropy - 0.1}};
    made.referenceDiversity["entropy"] = 6;
    return made;
}

TEST(FrontierModel, OneCurvePerCheckpoint) {
    const std::vector<RunPoints> runs{{"a", "first", {point(1, 5, 20), point(8, 4, 30), point(2, 3, 10)}, {}},
                                      {"b", "second", {point(1, 5, 25, 50), point(1, 5, 26, 1200)}, {}}};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    ASSERT_THAT(plane.curves, SizeIs(3));
    EXPECT_EQ(plane.curves[0].title, "first");
    EXPECT_THAT(plane.curves[0].front, ElementsAre(1, 0));
    EXPECT_TRUE(plane.curves[0].ellipses[0]);
    EXPECT_EQ(plane.curves[1].title, "second @ 50");
    EXPECT_EQ(plane.referenceDiversity, 6);
    EXPECT_EQ(plane.leftOut, 0);
    // Above (3, 10): 1 x 20 up to x = 4, then 1 x 10.
    EXPECT_DOUBLE_EQ(plane.curves[0].hypervolume, 30);
}

TEST(FrontierModel, LeavesOutPointsWithoutTheMetric) {
    auto other = point(4, 5, 50);
    other.quality = {{"chrf", other.quality.at("bleu")}};
    const std::vector<RunPoints> runs{{"a", "a", {point(1, 5, 20), other}, {}}};
    EXPECT_THAT(planeOf(runs, "bleu", "entropy").curves.at(0).points, SizeIs(1));
    EXPECT_TRUE(planeOf(runs, "ter", "entropy").isEmpty());
    EXPECT_THAT(qualitiesOf(runs), ElementsAre("bleu", "chrf"));
    EXPECT_THAT(diversitiesOf(runs), ElementsAre("entropy"));
}

TEST(FrontierModel, ShowsTheLargestGroupWithEqualEvaluationSettings) {
    auto few = point(1, 5, 20), others = point(1, 5, 20);
    few.sentences = 10;
    others.reference = "other";
    const std::vector<RunPoints> runs{{"a", "a", {point(1, 5, 20), point(2, 5, 20), few}, {}},
                                      {"b", "b", {others}, {}}};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    ASSERT_THAT(plane.curves, SizeIs(1));
    EXPECT_THAT(plane.curves[0].points, SizeIs(2));
    EXPECT_EQ(plane.leftOut, 2);
}

TEST(FrontierModel, OneMinusSelfBleuLeads) {
    auto both = point(1, 5, 20);
    both.diversity["one-minus-self-bleu"] = both.diversity.at("entropy");
    both.diversity["distinct-2"] = both.diversity.at("entropy");
    EXPECT_EQ(diversitiesOf({{"a", "a", {both}, {}}}).front(), "one-minus-self-bleu");
}

TEST(FrontierModel, NamesTheCommonSettingsOfPoints) {
    const auto of = [](int steps, const char* noise) {
        auto made = point(steps, 5, 20);
        made.settings = {{"sampler.steps", std::to_string(steps)}, {"sampler.noise_factor", noise}};
        return made;
    };
    const std::vector<frontier::SweepPoint> all{of(2, "1"),  of(8, "1"),  of(16, "1"),
                                                of(16, "2"), of(32, "4"), of(32, "1")};
    std::vector<const frontier::SweepPoint*> every;
    for (const auto& each : all) every.push_back(&each);
    const auto common = [&](std::initializer_list<int> which) {
        std::vector<const frontier::SweepPoint*> chosen;
        for (const int i : which) chosen.push_back(every[static_cast<std::size_t>(i)]);
        return commonSettings(chosen, every);
    };
    EXPECT_THAT(common({2, 4}), ElementsAre("steps ≥ 16"));  // the noise goes from end to end
    EXPECT_THAT(common({0, 1}), ElementsAre("noise factor 1", "steps ≤ 8"));
    EXPECT_THAT(common({1, 3}), ElementsAre("noise factor ≤ 2", "steps 8 to 16"));
    EXPECT_THAT(common({0, 1, 2, 3, 4, 5}), ElementsAre());
}

TEST(FrontierModel, GivesTheDistanceOfTheBestPointFromTheReferences) {
    const std::vector<RunPoints> runs{{"a", "first", {point(1, 5, 20), point(8, 4, 30)}, {}}};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    ASSERT_TRUE(plane.curves[0].fromReference);
    EXPECT_DOUBLE_EQ(*plane.curves[0].fromReference, -2);  // the best has 4, the references 6
}

TEST(FrontierModel, NamesSettings) {
    EXPECT_EQ(settingsText(point(8, 1, 1)), "length beam 2, steps 8");
    EXPECT_EQ(settingsText({}), "the run's own settings");
}

}  // namespace
}  // namespace kurve::views
