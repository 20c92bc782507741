#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "app/engine/commands.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

struct Ran {
    Status status;
    json document;
};

/// Parses like the program does and gives what --json prints.
Ran runCommand(Action (*setup)(CLI::App&), std::vector<std::string> arguments,
               std::vector<Override> sets = {}) {
    CLI::App app;
    const Action action = setup(app);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    CommonOptions common;
    common.json = true;
    common.sets = std::move(sets);
    Output out(common);
    testing::internal::CaptureStdout();
    const Status status = action(common, out);
    const std::string printed = testing::internal::GetCapturedStdout();
    return {status, printed.empty() ? json() : json::parse(printed)};
}

TEST(SplineCommand, PrintsWhatWasPromised) {
    const Ran ran =
        runCommand(setupSpline, {"--length", "4", "--control-points", "5", "--degree", "2", "--margin", "0"});
    ASSERT_TRUE(ran.status.has_value());
    const json& d = ran.document;
    EXPECT_EQ(d.at("psi").size(), 4u);
    EXPECT_NEAR(d.at("psi")[1][2].get<double>(), 0.5, 1e-15);
    EXPECT_NEAR(d.at("pinv")[1][1].get<double>(), 4.0 / 3, 1e-12);
    for (const char* key : {"rank", "singular_values", "reconstruction_mse", "R_L", "R_M", "R_1",
                            "input_gain", "dead_control_points", "words_per_control_point"})
        EXPECT_TRUE(d.contains(key)) << key;
    EXPECT_EQ(d.at("rank"), 4);
}

TEST(SplineCommand, FollowsTheRulesWhereNothingIsGiven) {
    const Ran ran = runCommand(setupSpline, {"--length", "25", "--rho", "3.5", "--kappa", "0.1"});
    EXPECT_EQ(ran.document.at("control_points"), 88);
    EXPECT_EQ(ran.document.at("degree"), 8);
}

/// All loss is rank loss: M < L loses 1 - rho, and float32 loses more where the degree is high.
TEST(SplineCommand, PrintsTheGridOfFigure8) {
    const json cells = runCommand(setupSpline, {"--length", "50", "--grid"}).document.at("cells");
    ASSERT_EQ(cells.size(), 72u);
    std::map<std::pair<std::string, double>, std::pair<double, double>> mse;
    for (const json& cell : cells)
        mse[{cell.at("degree_rule"), cell.at("rho")}] = {cell.at("mse_float64"), cell.at("mse_float32")};
    EXPECT_EQ((mse[{"2", 0.5}]), (std::pair(0.5, 0.5)));
    EXPECT_EQ((mse[{".1 M", 1.2}]), (std::pair(0.0, 0.0)));
    EXPECT_NEAR((mse[{".5 M", 2.0}].first), 0, 0.02);
    EXPECT_NEAR((mse[{".5 M", 2.0}].second), 0.1, 0.04);
}

TEST(SplineCommand, RefusesImpossibleShapes) {
    const auto code = [](std::vector<std::string> arguments) {
        return runCommand(setupSpline, std::move(arguments)).status.error().code;
    };
    EXPECT_EQ(code({"--length", "9", "--control-points", "5", "--degree", "5"}), "spline.control_points");
    EXPECT_EQ(code({"--length", "9", "--control-points", "5", "--degree", "0"}), "spline.degree");
    EXPECT_EQ(code({"--length", "0", "--control-points", "5", "--degree", "2"}), "spline.words");
}

TEST(ScheduleCommand, GivesTheTablesAtTimesAndTrainingSteps) {
    const Ran byStep = runCommand(setupSchedule, {"sqrt", "--at", "0,999,1999"});
    EXPECT_NEAR(byStep.document.at("alpha_bar")[1].get<double>(), 0.2957803148187003, 1e-14);
    EXPECT_NEAR(byStep.document.at("beta")[2].get<double>(), 0.999, 1e-14);
    const Ran byTime = runCommand(setupSchedule, {"sqrt", "--at", "0, 0.5,1"});
    EXPECT_EQ(byTime.document.at("alpha")[1], byStep.document.at("alpha")[1]);
    EXPECT_EQ(byTime.document.at("log_snr")[0], "inf");
    const Ran mask = runCommand(setupSchedule, {"log-linear", "--at", "0.1"}, {{"epsilon", "0.001"}});
    EXPECT_NEAR(mask.document.at("mask_prob")[0].get<double>(), 0.0999, 1e-15);
    EXPECT_NEAR(mask.document.at("weight")[0].get<double>(), 10, 1e-12);
    EXPECT_NEAR(mask.document.at("sigma")[0].get<double>(), 0.10524941071909749, 1e-14);
}

// Of every schedule, on its training steps, between them and at both ends.
TEST(ScheduleCommand, AlphaBarIsAlphaSquaredAtEveryTime) {
    for (const auto& kind : schedule::scheduleKinds()) {
        const auto made = std::move(*schedule::makeSchedule(kind.id));
        const Ran ran = runCommand(setupSchedule, {kind.id, "--at", "0,0.0001,0.1234567,0.31,0.5,0.77777,1"});
        ASSERT_TRUE(ran.status) << kind.id;
        ASSERT_EQ(ran.document.contains("alpha_bar"), made->discreteSteps() > 0) << kind.id;
        if (made->discreteSteps() == 0) continue;
        for (std::size_t i = 0; i < ran.document["t"].size(); ++i) {
            const double alpha = ran.document["alpha"][i];
            EXPECT_DOUBLE_EQ(ran.document["alpha_bar"][i].get<double>(), alpha * alpha)
                << kind.id << " at " << ran.document["t"][i];
        }
        const int last = made->discreteSteps() - 1;
        const Ran steps =
            runCommand(setupSchedule, {kind.id, "--at", fmt::format("2,{},{}", last / 3, last)});
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(steps.document["alpha_bar"][i].get<double>(),
                        made->alphaBars()[steps.document["step"][i].get<std::size_t>()], 1e-14)
                << kind.id;
    }
}

TEST(ScheduleCommand, RespacesToFewerSteps) {
    const Ran ran = runCommand(setupSchedule, {"sqrt", "--steps", "20"}, {{"steps", "2000"}});
    ASSERT_EQ(ran.document.at("t").size(), 20u);
    EXPECT_EQ(ran.document.at("step")[1], 105);
    EXPECT_NEAR(ran.document.at("reverse")[5].at("c1").get<double>(), 0.1450686381, 1e-10);
}

TEST(ScheduleCommand, Refuses) {
    const auto code = [](std::vector<std::string> arguments, std::vector<Override> sets = {}) {
        return runCommand(setupSchedule, std::move(arguments), std::move(sets)).status.error().code;
    };
    EXPECT_EQ(code({"sqrd"}), "schedule.unknown");
    EXPECT_EQ(code({"sqrt", "--at", "0.1,x"}), "schedule.time");
    EXPECT_EQ(code({"sqrt", "--at", "2000"}), "schedule.time");
    EXPECT_EQ(code({"log-linear", "--at", "2"}), "schedule.time");
    EXPECT_EQ(code({"sqrt", "--steps", "2001"}), "schedule.steps");
    EXPECT_EQ(code({"sqrt"}, {{"step", "3"}}), "config.unknown_key");
}

class ScoreCommand : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
    ~ScoreCommand() override { std::filesystem::remove_all(folder_); }

private:
    std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                    testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ScoreCommand, ScoresFiles) {
    const std::string hyp = file("hyp", "a b c d e\r\nx y\n"), ref = file("ref", "a b c d e\nx z");
    const Ran ran = runCommand(setupScore, {"bleu", "--hyp", hyp, "--ref", ref});
    ASSERT_TRUE(ran.status.has_value());
    EXPECT_EQ(ran.document.at("metric"), "bleu");
    EXPECT_EQ(ran.document.at("n"), 2);
    EXPECT_EQ(ran.document.at("ci95").size(), 2u);
    EXPECT_NEAR(ran.document.at("parts").at("precision1").get<double>(), 600.0 / 7, 1e-12);
    EXPECT_EQ(ran.document.at("signature"), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.5.1");
}

TEST_F(ScoreCommand, NamesTheFaultyFileAndLine) {
    const std::string two = file("two", "a\nb\n"), one = file("one", "a\n"), bad = file("bad", "ok\n\xff\n");
    const auto error = [](std::vector<std::string> arguments) {
        return runCommand(setupScore, std::move(arguments)).status.error();
    };
    EXPECT_EQ(error({"bleu", "--hyp", two, "--ref", one}).code, "metric.counts");
    EXPECT_EQ(error({"bleu", "--hyp", two}).code, "metric.counts");
    EXPECT_EQ(error({"reps_word", "--hyp", bad}).line, 2);
    EXPECT_EQ(error({"bleu", "--hyp", file("empty", ""), "--ref", one}).code, "metric.counts");
    EXPECT_EQ(error({"reps_word", "--hyp", file("empty", "")}).code, "metric.empty");
    EXPECT_EQ(error({"bleu", "--hyp", "/no/such/file"}).code, "io.open");
    EXPECT_EQ(error({"bleu", "--hyp", two, "--ref", two, "--tokenize", "x"}).code, "metric.bad_option");
}

}  // namespace
}  // namespace kurve::engine
