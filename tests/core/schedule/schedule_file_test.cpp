#include "core/schedule/schedule_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "core/schedule/noise_schedule.h"
#include "tests/core/schedule/random_curve.h"
#include "tests/support/temporary_folder.h"

namespace kurve::schedule {
namespace {

struct Wrong {
    std::string text, message;
};
class ScheduleFileErrors : public ::testing::TestWithParam<Wrong> {};

TEST_P(ScheduleFileErrors, NameFileLineAndPoint) {
    const auto curve = parseScheduleFile(GetParam().text, "mine.toml");
    ASSERT_FALSE(curve);
    EXPECT_EQ(curve.error().text(), GetParam().message);
    EXPECT_EQ(curve.error().exitCode(), 2);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, ScheduleFileErrors,
    ::testing::Values(
        Wrong{"points = [[0, 12]]",
              "mine.toml:1: points: 1 point; give 2 to 400: [time, log-SNR] from t = 0 to t = 1"},
        Wrong{"kind = \"mask\"\n",
              "mine.toml: points: 0 points; give 2 to 400: [time, log-SNR] from t = 0 to t = 1"},
        Wrong{"# mine\npoints = [[0, 3], [0.5, 4], [1, -12]]",
              "mine.toml:2: points: point 2 (t = 0.5, log-SNR = 4): the log-SNR must decrease, and the "
              "previous point has 3; lower it below 3"},
        Wrong{"points = [[0, 3], [0.7, 1], [0.5, 0], [1, -12]]",
              "mine.toml:1: points: point 3 (t = 0.5, log-SNR = 0) is not after t = 0.7; write the "
              "points in "
              "the order of their times"},
        Wrong{"points = [[0, 3], [0.5, nan], [1, -12]]",
              "mine.toml:1: points: point 2 (t = 0.5, log-SNR = nan) is not a finite number; write numbers"},
        Wrong{"points = [[0, 3], [0.5, 1], [1, -inf]]",
              "mine.toml:1: points: point 3 (t = 1, log-SNR = -inf) is not a finite number; write numbers"},
        Wrong{"points = [[0, 40], [1, -12]]",
              "mine.toml:1: points: point 1 (t = 0, log-SNR = 40) is beyond ±30 nats; for no signal "
              "at t = 1 "
              "write zero_terminal = true"},
        Wrong{"points = [[0.1, 4], [1, -12]]",
              "mine.toml:1: points: point 1 (t = 0.1, log-SNR = 4) must be at t = 0; the first point is the "
              "data, t "
              "= 0, the last the noise, t = 1"},
        Wrong{"clamp = [-10, 10]\npoints = [[0, 4], [1, -12]]",
              "mine.toml:2: points: point 2 (t = 1, log-SNR = -12) is outside of the clamp -10 to 10; move "
              "the point "
              "or widen the clamp"},
        Wrong{"clamp = [10, -10]\npoints = [[0, 4], [1, -12]]",
              "mine.toml:2: clamp: the clamp's first number is not the lower one; write clamp = [lowest, "
              "highest]"},
        Wrong{"pionts = [[0, 4], [1, -12]]",
              "mine.toml:1: pionts: a schedule file has no such key; did you mean points? it has: kind, "
              "points, "
              "zero_terminal, clamp, note"},
        Wrong{"points = [[0, 4], [1]]",
              "mine.toml:1: points: point 2 is not [time, log-SNR]; write points = [[0, 12], [0.5, 0], [1, "
              "-12]]"},
        Wrong{"points = \"0=4\"",
              "mine.toml:1: points: is of another type; write points = [[0, 12], [0.5, 0], [1, -12]]"},
        Wrong{
            "kind = \"masked\"\npoints = [[0, 4], [1, -12]]",
            "mine.toml:1: kind: is neither gaussian nor mask; write kind = \"gaussian\" or kind = \"mask\""},
        Wrong{"zero_terminal = 1\npoints = [[0, 4], [1, -12]]",
              "mine.toml:1: zero_terminal: is of another type; write true or false"},
        Wrong{"clamp = 12\npoints = [[0, 4], [1, -12]]",
              "mine.toml:1: clamp: is of another type; write clamp = [-12, 12]"}));

TEST(ScheduleFile, SyntaxHasALine) {
    const auto curve = parseScheduleFile("kind = \"mask\"\npoints = [[0, 4]\n", "mine.toml");
    ASSERT_FALSE(curve);
    EXPECT_EQ(curve.error().code, "schedule.syntax");
    EXPECT_GE(curve.error().line, 2);
    EXPECT_EQ(parseScheduleFile(std::string(100'000, '['), "x").error().code, "schedule.syntax");
    EXPECT_EQ(parseScheduleFile("a" + std::string(20'000, '.'), "x").error().code, "schedule.syntax");
}

TEST(ScheduleFile, ReadsAllItsKeys) {
    const auto curve = parseScheduleFile(
        "kind = \"mask\"\nzero_terminal = true\nclamp = [-12, 12.5]\nnote = \"steeper\"\n"
        "points = [[0, 12], [0.25, 3.5], [1, -12.0]]\n",
        "mine.toml");
    ASSERT_TRUE(curve) << curve.error().text();
    EXPECT_TRUE(curve->masking && curve->zeroTerminal);
    EXPECT_EQ(curve->clamp, (std::pair{-12.0, 12.5}));
    EXPECT_EQ(curve->note, "steeper");
    EXPECT_EQ(curve->points, (std::vector<SchedulePoint>{{0, 12}, {0.25, 3.5}, {1, -12}}));
}

RC_GTEST_PROP(ScheduleFileProperty, WhatIsWrittenIsReadBack, (const std::string& anyNote)) {
    FreeCurve curve = *test::anyCurve();
    curve.masking = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) curve.clamp = std::pair{-28.5, 14.25};
    for (const char c :
         anyNote)  // a note is UTF-8; here ASCII with quotes, backslashes and control characters
        if (c > 0) curve.note += c;
    const auto back = parseScheduleFile(scheduleFileText(curve), "x.toml");
    if (!back) RC_FAIL(back.error().text() + "\n" + scheduleFileText(curve));
    RC_ASSERT(*back == curve);
    FreeCurve bare = curve;
    bare.clamp.reset();
    bare.note.clear();
    const auto inlineBack = parseInline(inlineText(curve));
    RC_ASSERT(inlineBack && *inlineBack == bare);
}

class ScheduleFileInProject : public ::testing::Test {
protected:
    ScheduleFileInProject() {
        std::filesystem::create_directories(project_ / "schedules");
        std::ofstream(project_ / "schedules/mine.toml")
            << "zero_terminal = true\npoints = [[0, 8], [0.5, 1], [1, -9]]\n";
    }
    kurve::testing::TemporaryFolder project_;
};

TEST_F(ScheduleFileInProject, AFileIsAScheduleByName) {
    const auto made = makeSchedule("file:schedules/mine.toml", {{"steps", "10"}}, project_.path());
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ((*made)->name(), "free");
    EXPECT_EQ((*made)->discreteSteps(), 10);
    EXPECT_EQ((*made)->alpha(1), 0);
    EXPECT_NEAR((*made)->logSnr(0), 8, 1e-9);
    const auto again = makeSchedule("free:0=8,0.5=1,1=-9;zero-terminal", {{"steps", "10"}});
    ASSERT_TRUE(again) << again.error().text();
    for (int i = 0; i <= 20; ++i) EXPECT_EQ((*made)->alpha(i / 20.0), (*again)->alpha(i / 20.0));
    EXPECT_EQ(*inlined("file:schedules/mine.toml", project_.path()), "free:0=8,0.5=1,1=-9;zero-terminal");
    EXPECT_EQ(*inlined("sqrt", project_.path()), "sqrt");
}

TEST_F(ScheduleFileInProject, ErrorsComeThroughWithTheirFile) {
    const auto missing = makeSchedule("file:schedules/mien.toml", {}, project_.path());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "schedule.file");
    EXPECT_EQ(missing.error().text(),
              (project_ / "schedules/mien.toml").string() +
                  ": cannot be read: No such file or directory; name a schedule file of the "
                  "project, like file:schedules/NAME.toml");
    const auto twice = makeSchedule("file:schedules/mine.toml", {{"points", "0=1,1=0"}}, project_.path());
    EXPECT_EQ(twice.error().code, "config.unknown_key");
    EXPECT_EQ(makeSchedule("free:0=1,1=2").error().code, "schedule.points");
    EXPECT_EQ(makeSchedule("free", {{"points", "0=1,1=2"}}).error().code, "schedule.points");
    EXPECT_EQ(makeSchedule("free:0=1,1=0;zero-terminus").error().code, "schedule.points");
    EXPECT_EQ(makeSchedule("fere:0=1,1=0").error().code, "schedule.unknown");
}

Result<std::shared_ptr<const Schema>> toyFamily(const std::string&) {
    auto schema = std::make_shared<Schema>();
    schema->family = "toy";
    schema->fields = {choiceField("diffusion.schedule", "sqrt", {"sqrt", "linear"}, "noise schedule")
                          .orPrefixes(schedulePrefixes()),
                      integerField("seed", 1, "seed")};
    return std::shared_ptr<const Schema>(schema);
}

Result<RunConfig> experiment(const std::string& name) {
    return RunConfig::parse("family = \"toy\"\n[diffusion]\nschedule = \"" + name + "\"\n", "exp.toml",
                            toyFamily);
}

TEST_F(ScheduleFileInProject, AnExperimentIsInlined) {
    const auto config = experiment("file:schedules/mine.toml");
    ASSERT_TRUE(config) << config.error().text();
    const auto alone = withInlinedSchedules(*config, project_.path());
    ASSERT_TRUE(alone) << alone.error().text();
    EXPECT_EQ(alone->text("diffusion.schedule"), "free:0=8,0.5=1,1=-9;zero-terminal");
    EXPECT_NE(alone->contentHash(), config->contentHash());
    const auto back = RunConfig::parse(alone->canonicalText(), "run.db", toyFamily);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->contentHash(), alone->contentHash());
    EXPECT_EQ(withInlinedSchedules(*experiment("linear"), project_.path())->canonicalText(),
              experiment("linear")->canonicalText());
}

TEST_F(ScheduleFileInProject, TheSettingIsNamedWhereItsFileIsWrong) {
    std::ofstream(project_ / "schedules/wrong.toml") << "points = [[0, 8], [0.5, 9], [1, -9]]\n";
    const auto wrong = withInlinedSchedules(*experiment("file:schedules/wrong.toml"), project_.path());
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().field, "diffusion.schedule");
    EXPECT_EQ(wrong.error().line, 1);
    EXPECT_EQ(wrong.error().text(),
              (project_ / "schedules/wrong.toml").string() +
                  ":1: diffusion.schedule: points: point 2 (t = 0.5, log-SNR = 9): the "
                  "log-SNR must decrease, and the previous point has 8; lower it below 8");
}

}  // namespace
}  // namespace kurve::schedule
