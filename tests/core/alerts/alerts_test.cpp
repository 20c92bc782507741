// Rules as a file, and when they speak.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/alerts/alert_watch.h"
#include "tests/support/temporary_folder.h"

namespace kurve::alerts {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Rule rule(Kind kind, const std::string& metric, double value, std::int64_t steps = 0) {
    return {kind, Action::Note, metric, value, steps, false, true};
}

TEST(AlertRules, AProjectWithoutAFileHasTheDefaultOnes) {
    testing::TemporaryFolder project;
    const auto rules = loadRules(project.path());
    ASSERT_TRUE(rules);
    EXPECT_EQ(*rules, defaultRules());
    std::ofstream(project / "alerts.json") << R"({"alerts": []})";
    EXPECT_THAT(*loadRules(project.path()), IsEmpty());
    std::ofstream(project / "alerts.json") << "nonsense";
    EXPECT_EQ(loadRules(project.path()).error().code, "alerts.syntax");
}

TEST(AlertRules, ComeBackFromTheirText) {
    std::vector<Rule> rules = defaultRules();
    rules.push_back({Kind::Plateau, Action::Stop, "valid_bleu", 0, 5000, true, false});
    rules.push_back({Kind::Unigram, Action::Pause, "", 0, 800, false, true});
    rules.push_back({Kind::Above, Action::Checkpoint, "grad_norm", 12.5, 0, false, true});
    const auto back = parseRules(toText(rules));
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(*back, rules);
}

TEST(AlertRules, SayWhatIsWrong) {
    const auto problem = [](const std::string& text) {
        const auto rules = parseRules("{\"alerts\": [" + text + "]}");
        return rules ? "none" : rules.error().text();
    };
    EXPECT_THAT(problem("3"), HasSubstr("rule 1"));
    EXPECT_THAT(problem(R"({"on": "eclipse", "do": "note"})"), HasSubstr("plateau"));
    EXPECT_THAT(problem(R"({"on": "done", "do": "dance"})"), HasSubstr("checkpoint"));
    EXPECT_THAT(problem(R"({"on": "spike", "do": "note", "value": 3})"), HasSubstr("metric"));
    EXPECT_THAT(problem(R"({"on": "spike", "do": "note", "metric": "loss", "value": "3"})"),
                HasSubstr("another type"));
    EXPECT_THAT(problem(R"({"on": "spike", "do": "note", "metric": "loss", "value": 1})"),
                HasSubstr("above 1"));
    EXPECT_THAT(problem(R"({"on": "unigram", "do": "note"})"), HasSubstr("steps"));
    EXPECT_THAT(problem(R"({"on": "plateau", "do": "note", "metric": "loss"})"), HasSubstr("steps"));
}

TEST(AlertWatch, ASpikeIsReportedOnceAndEntersTheMeanSlowly) {
    AlertWatch watch({rule(Kind::Spike, "loss", 3)});
    for (int i = 0; i < 30; ++i) EXPECT_THAT(watch.observe(i, {{"loss", 2 + 0.1 * std::sin(i)}}), IsEmpty());
    const auto alarms = watch.observe(30, {{"loss", 9}});
    ASSERT_THAT(alarms, SizeIs(1));
    EXPECT_THAT(alarms[0].text, HasSubstr("jumped to 9, 4."));
    EXPECT_THAT(watch.observe(31, {{"loss", 9}}), IsEmpty()) << "it is the same spike";
    EXPECT_THAT(watch.observe(32, {{"loss", 2}}), IsEmpty());
    EXPECT_THAT(watch.observe(33, {{"loss", 9}}), SizeIs(1)) << "another one";
    EXPECT_THAT(watch.observe(34, {{"other", 900}}), IsEmpty());
    EXPECT_THAT(watch.observe(34, {{"loss", std::nan("")}}), IsEmpty());
}

TEST(AlertWatch, TheFirstPointsAreNoSpike) {
    AlertWatch watch({rule(Kind::Spike, "loss", 3)});
    EXPECT_THAT(watch.observe(0, {{"loss", 0.1}}), IsEmpty());
    EXPECT_THAT(watch.observe(1, {{"loss", 10}}), IsEmpty());
}

TEST(AlertWatch, APlateauEndsWithANewBest) {
    AlertWatch lower({rule(Kind::Plateau, "valid_loss", 0, 100)});
    EXPECT_THAT(lower.observe(0, {{"valid_loss", 3}}), IsEmpty());
    EXPECT_THAT(lower.observe(90, {{"valid_loss", 3.1}}), IsEmpty());
    ASSERT_THAT(lower.observe(100, {{"valid_loss", 3.1}}), SizeIs(1));
    EXPECT_THAT(lower.observe(200, {{"valid_loss", 3.1}}), IsEmpty());
    EXPECT_THAT(lower.observe(300, {{"valid_loss", 2.9}}), IsEmpty());
    EXPECT_THAT(lower.observe(400, {{"valid_loss", 2.9}}), SizeIs(1));
    Rule higher = rule(Kind::Plateau, "bleu", 0, 100);
    higher.higherIsBetter = true;
    AlertWatch up({higher});
    EXPECT_THAT(up.observe(0, {{"bleu", 3}}), IsEmpty());
    EXPECT_THAT(up.observe(100, {{"bleu", 4}}), IsEmpty());
    EXPECT_THAT(up.observe(200, {{"bleu", 3}}), SizeIs(1));
}

TEST(AlertWatch, ThresholdsAlarmWhenTheyArePassed) {
    AlertWatch watch({rule(Kind::Above, "grad_norm", 5), rule(Kind::Below, "embedding_std", 0.1)});
    EXPECT_THAT(watch.observe(1, {{"grad_norm", 5}, {"embedding_std", 0.1}}), IsEmpty());
    EXPECT_THAT(watch.observe(2, {{"grad_norm", 6}, {"embedding_std", 0.05}}), SizeIs(2));
    EXPECT_THAT(watch.observe(3, {{"grad_norm", 6}}), IsEmpty());
    EXPECT_THAT(watch.observe(4, {{"grad_norm", 1}}), IsEmpty());
    EXPECT_THAT(watch.observe(5, {{"grad_norm", 6}}), SizeIs(1));
}

/// Points every 10 steps: the NLL falls from 8 within `fall` steps to `rest`, the length loss to `length`.
std::vector<Alarm> train(double fall, double rest, double length, double level = 5.7) {
    AlertWatch watch({rule(Kind::Unigram, "", 0, 300)});
    watch.unigramLevel(level);
    std::vector<Alarm> all;
    for (int step = 10; step <= 1000; step += 10) {
        const double part = std::exp(-step / fall), noise = 0.05 * std::sin(step);
        for (const auto& alarm : watch.observe(step, {{"nll", rest + (8 - rest) * part + noise},
                                                      {"loss_length", length + (5.5 - length) * part}}))
            all.push_back(alarm);
    }
    return all;
}

TEST(AlertWatch, OnlyLengthsLearnedIsReported) {
    const auto alarms = train(60, 5.65, 1.5);
    ASSERT_THAT(alarms, SizeIs(1)) << "once";
    EXPECT_THAT(alarms[0].text, HasSubstr("for 300 steps, near the unigram entropy (5.70)"));
    EXPECT_THAT(alarms[0].text, HasSubstr("loss.length_weight"));
    EXPECT_THAT(train(60, 4.9, 1.5), IsEmpty()) << "words are learned";
    EXPECT_THAT(train(200, 0.5, 1.5), IsEmpty()) << "passes the level";
    EXPECT_THAT(train(60, 7.2, 1.5), IsEmpty()) << "not even frequencies: something else is wrong";
    EXPECT_THAT(train(60, 5.65, 5.4), IsEmpty()) << "the length is not learned either";
    AlertWatch unknown({rule(Kind::Unigram, "", 0, 10)});
    for (int step = 1; step < 99; ++step)
        EXPECT_THAT(unknown.observe(step, {{"nll", 5.7}, {"loss_length", 5.0 / step}}), IsEmpty());
}

TEST(AlertWatch, DiskEndAndNonFiniteAreReportedToTheCaller) {
    const AlertWatch silent;
    EXPECT_FALSE(silent.reportsEnd());
    EXPECT_EQ(silent.onNonFinite(), std::nullopt);
    AlertWatch watch(defaultRules());
    EXPECT_TRUE(watch.reportsEnd());
    EXPECT_EQ(watch.onNonFinite(), Action::Pause);
    EXPECT_THAT(watch.observeDisk(501), IsEmpty());
    EXPECT_THAT(watch.observeDisk(499), SizeIs(1));
    EXPECT_THAT(watch.observeDisk(400), IsEmpty());
    Rule off = rule(Kind::Disk, "", 500);
    off.enabled = false;
    EXPECT_FALSE(AlertWatch({off}).watchesDisk());
}

}  // namespace
}  // namespace kurve::alerts
