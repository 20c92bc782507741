#include "core/frontier/sweep_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"

namespace kurve::frontier {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SweepPoint example() {
    SweepPoint point;
    point.run = "r";
    point.checkpoint = "step-00000012";
    point.checkpointSha256 = "c";
    point.split = "valid";
    point.reference = "ref";
    point.step = 12;
    point.settings = {{"sampler.steps", "8"}};
    point.seeds = {1, 18446744073709551615u};
    point.sentences = 2;
    point.quality["bleu"] = {31.25, 20, 40, 2, "tok:13a", {30, 32.5}};
    point.diversity["entropy"] = {NAN, -INFINITY, INFINITY, 2, "", {}};
    point.referenceDiversity["entropy"] = 4.5;
    point.scorer = "j step-00000004 abc";
    point.referenceQuality["gen_ppl"] = 3.5;
    point.cost = {160, 1.5, 30};
    point.texts = {{"a b", "A b.", {"A b.", "A B"}}};
    point.texts[0].noise = {64, 5};
    return point;
}

TEST(SweepPoint, ComesBackEqual) {
    testing::TemporaryFolder folder;
    const auto file = pointFile(folder.path(), "abc");
    ASSERT_TRUE(savePoint(file, example()));
    const auto back = loadPoint(file);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(toJson(*back).dump(), toJson(example()).dump());
    EXPECT_EQ(back->seeds, example().seeds);
    EXPECT_TRUE(std::isnan(back->diversity.at("entropy").value));
    EXPECT_EQ(back->diversity.at("entropy").high, INFINITY);
    EXPECT_DOUBLE_EQ(toJson(*back).at("cost").at("ms_per_token").get<double>(), 50);
}

TEST(SweepPoint, APointWithoutAScorerComesBackEqual) {
    SweepPoint point = example();
    point.scorer.clear();
    point.referenceQuality.clear();
    EXPECT_FALSE(toJson(point).contains("scorer"));
    const auto back = pointFromJson(toJson(point));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->scorer, "");
    EXPECT_TRUE(back->referenceQuality.empty());
}

TEST(SweepPoint, IsRepetitiveBelowNineTenthsOfTheReferencesInAnyDiversity) {
    SweepPoint point = example();
    point.diversity["entropy"].value = 4.1;
    point.diversity["distinct-2"].value = 0.5;
    EXPECT_FALSE(isRepetitive(point)) << "nothing is known of the references' distinct-2";
    point.referenceDiversity["distinct-2"] = 0.56;
    EXPECT_TRUE(isRepetitive(point));
    point.diversity["distinct-2"].value = 0.51;
    EXPECT_FALSE(isRepetitive(point));
}

TEST(SweepPoint, TextsThatAreNoUtf8AreStillSaved) {
    testing::TemporaryFolder folder;
    SweepPoint point = example();
    point.texts[0].outputs[0] = "\xff";
    ASSERT_TRUE(savePoint(pointFile(folder.path(), "x"), point));
    EXPECT_THAT(loadPoints(folder.path()).points, SizeIs(1));
}

TEST(SweepPoint, TheHashKnowsWhatChangesTheNumbers) {
    const std::map<std::string, std::string> sampler{{"sampler.steps", "8"},
                                                     {"sampler.skip_last_steps", "0"}};
    const auto hash = pointHash(example(), sampler, {"bleu", "chrf"});
    EXPECT_EQ(hash, pointHash(example(), sampler, {"chrf", "bleu"}));
    SweepPoint renamed = example();
    renamed.run = "copied elsewhere";
    renamed.quality.clear();
    EXPECT_EQ(hash, pointHash(renamed, sampler, {"bleu", "chrf"}));
    const auto differs = [&](auto change) {
        SweepPoint other = example();
        change(other);
        return pointHash(other, sampler, {"bleu", "chrf"}) != hash;
    };
    EXPECT_TRUE(differs([](auto& p) { p.checkpointSha256 = "d"; }));
    EXPECT_TRUE(differs([](auto& p) { p.seeds = {1}; }));
    EXPECT_TRUE(differs([](auto& p) { p.sentences = 3; }));
    EXPECT_TRUE(differs([](auto& p) { p.split = "test"; }));
    EXPECT_NE(hash, pointHash(example(), {{"sampler.steps", "9"}, {"sampler.skip_last_steps", "0"}},
                              {"bleu", "chrf"}));
    EXPECT_NE(hash, pointHash(example(), sampler, {"bleu"}));
    // Python: hashlib.sha256(json.dumps(what, sort_keys=True, separators=(",", ":")).encode()), of form 2.
    EXPECT_EQ(hash, "af5629265642bf5b5c01121c");
}

// Under the same settings it has other numbers: no file's name shows that.
TEST(SweepPoint, PointsOfAnotherVersionAreLeftOutAndCounted) {
    testing::TemporaryFolder folder;
    ASSERT_TRUE(savePoint(pointFile(folder.path(), "new"), example()));
    auto older = toJson(example());
    std::ofstream(pointFile(folder.path(), "older")) << older;
    older["form"] = 1;
    std::ofstream(pointFile(folder.path(), "old")) << older;
    const auto stored = loadPoints(folder.path());
    EXPECT_THAT(stored.points, SizeIs(1));
    ASSERT_THAT(stored.damaged, SizeIs(1));
    EXPECT_THAT(stored.damaged[0].text(), HasSubstr("2 points left out"));
    EXPECT_EQ(loadPoint(pointFile(folder.path(), "old")).error().code, "sweep.other_form");
}

TEST(SweepPoint, ADamagedFileIsNamedAndTheOthersAreRead) {
    testing::TemporaryFolder folder;
    ASSERT_TRUE(savePoint(pointFile(folder.path(), "good"), example()));
    std::ofstream(pointFile(folder.path(), "cut")) << R"({"run": "r", "sett)";
    std::ofstream(pointFile(folder.path(), "other")) << R"({"form": 2, "run": 3})";
    std::ofstream(pointFile(folder.path(), "deep")) << std::string(100000, '[');
    const auto stored = loadPoints(folder.path());
    EXPECT_THAT(stored.points, SizeIs(1));
    ASSERT_THAT(stored.damaged, SizeIs(3));
    EXPECT_THAT(stored.damaged[0].text(), HasSubstr("cut.json"));
    EXPECT_THAT(stored.damaged[0].remedy, HasSubstr("delete"));
    EXPECT_THAT(loadPoints(folder.path() / "nothing").points, IsEmpty());
}

}  // namespace
}  // namespace kurve::frontier
