// Rules as a file, and when they speak.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

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
    rules.push_back({Kind::Family, Action::Pause, "", 0, 0, false, true});
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
    EXPECT_THAT(problem(R"({"on": "plateau", "metric": "loss", "do": "note"})"), HasSubstr("steps"));
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

/// Finds something at step `at` and from there on.
class LateWatch final : public FamilyWatch {
public:
    LateWatch(const char* id, std::int64_t at) : id_(id), at_(at) {}
    [[nodiscard]] const char* id() const override { return id_; }
    [[nodiscard]] const char* doc() const override { return "a test"; }
    std::optional<std::string> observe(std::int64_t step,
                                       const std::map<std::string, double>& scalars) override {
        if (step < at_) return std::nullopt;
        return fmt::format("{} at {}", scalars.at("loss"), step);
    }

private:
    const char* id_;
    std::int64_t at_;
};

TEST(AlertWatch, AFamilysWatchesReportOnceByTheRuleForThem) {
    const auto watches = [] {
        std::vector<std::unique_ptr<FamilyWatch>> two;
        two.push_back(std::make_unique<LateWatch>("late", 3));
        two.push_back(std::make_unique<LateWatch>("early", 1));
        return two;
    };
    Rule pausing = rule(Kind::Family, "", 0);
    pausing.action = Action::Pause;
    AlertWatch watch({pausing}, watches());
    std::vector<Alarm> all;
    for (int step = 1; step <= 5; ++step)
        for (Alarm& alarm : watch.observe(step, {{"loss", 7}})) all.push_back(std::move(alarm));
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].watch, "early");
    EXPECT_EQ(all[1].watch, "late");
    EXPECT_EQ(all[1].text, "7 at 3");
    EXPECT_EQ(all[1].action, Action::Pause);
    AlertWatch none({rule(Kind::Disk, "", 1)}, watches());
    EXPECT_THAT(none.observe(9, {{"loss", 7}}), IsEmpty());
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
