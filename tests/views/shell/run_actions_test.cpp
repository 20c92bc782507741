// The actions on the selected run, and the reasons why some are unavailable.
#include "views/runs/run_actions.h"

#include <gtest/gtest.h>

#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"

namespace kurve::views {
namespace {

class RunActionsTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        engine_ = *EngineInfo::fromJson(nlohmann::json::parse(testing::syntheticDescription()));
        run_.id = "20261120-100000-0001";
        run_.family = "toy";
        run_.state = "failed";
        data_.checkpoints.resize(1);
    }
    [[nodiscard]] std::string why(RunAction action) const {
        return refusal(action, &run_, &data_, engine_).toStdString();
    }
    EngineInfo engine_;
    store::RunSummary run_;
    RunData data_;
};

TEST_F(RunActionsTest, AFailedRunWithACheckpointAllowsEveryAction) {
    for (int i = 0; i < kRunActions; ++i) {
        const auto action = static_cast<RunAction>(i);
        if (action == RunAction::Fetch || action == RunAction::Follow)
            EXPECT_EQ(why(action), "It was trained on this machine.");
        else
            EXPECT_EQ(why(action), "") << commandOf(action);
    }
}

TEST_F(RunActionsTest, ARunOfAnotherMachineIsFetchedAndFollowedAndGoesOnThere) {
    run_.machine = "gpu";
    for (const RunAction action : {RunAction::Fetch, RunAction::Follow, RunAction::Resume, RunAction::Extend,
                                   RunAction::Fork, RunAction::Evaluate})
        EXPECT_EQ(why(action), "") << commandOf(action);
    run_.state = "running";
    EXPECT_EQ(why(RunAction::Follow), "It is followed already.");
    data_.checkpoints.clear();
    EXPECT_NE(why(RunAction::Fetch).find("no checkpoint"), std::string::npos);
}

TEST_F(RunActionsTest, ACompletedRunIsExtendedAndNotResumed) {
    run_.state = "completed";
    EXPECT_NE(why(RunAction::Resume).find("extend it instead"), std::string::npos) << why(RunAction::Resume);
    EXPECT_EQ(why(RunAction::Extend), "");
    run_.step = 300;
    run_.totalSteps = 1000;
    EXPECT_EQ(why(RunAction::Resume), "") << "--max-seconds ended it before its plan";
}

TEST_F(RunActionsTest, AnExtensionCountsFromThePlannedEnd) {
    run_.state = "cancelled";
    run_.step = 300;
    run_.totalSteps = 1000;
    EXPECT_EQ(plannedEnd(run_), 1000);
    run_.step = 1010;
    EXPECT_EQ(plannedEnd(run_), 1010);
}

TEST_F(RunActionsTest, ALiveRunIsForkedAndEvaluatedButNotTrainedTwice) {
    run_.state = "running";
    for (const RunAction action : {RunAction::Resume, RunAction::Extend, RunAction::Reproduce})
        EXPECT_NE(why(action).find("It is training"), std::string::npos);
    EXPECT_EQ(why(RunAction::Fork), "");
    EXPECT_EQ(why(RunAction::Evaluate), "");
    run_.state = "paused";
    EXPECT_EQ(why(RunAction::Resume), "") << "that goes on";
    EXPECT_NE(why(RunAction::Extend), "");
}

TEST_F(RunActionsTest, WithoutACheckpointOnlyTheSettingsAreLeft) {
    data_.checkpoints.clear();
    for (const RunAction action :
         {RunAction::Resume, RunAction::Extend, RunAction::Fork, RunAction::Evaluate, RunAction::Distil})
        EXPECT_EQ(why(action), "It has no checkpoint.");
    EXPECT_NE(why(RunAction::OpenTrace), "");
    data_.traces.resize(1);
    EXPECT_EQ(why(RunAction::OpenTrace), "");
    EXPECT_EQ(why(RunAction::Reproduce), "");
    EXPECT_EQ(why(RunAction::Draft), "");
}

TEST_F(RunActionsTest, ALiveRunSaysWhenItsFirstCheckpointIsDue) {
    auto description = nlohmann::json::parse(testing::syntheticDescription());
    auto& fields = description["families"][0]["fields"];
    for (const auto& [from, key] : {std::pair{"eval.every_steps", "checkpoint.every_steps"},
                                    {"train.seconds", "checkpoint.every_seconds"}})
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (auto field = fields[i]; field["key"] == from) {
                field["key"] = key;
                fields.push_back(field);
                break;
            }
    engine_ = *EngineInfo::fromJson(description);
    data_.checkpoints.clear();
    run_.state = "running";
    data_.values = {{"config", "family = \"toy\"\n"},
                    {"heartbeat_step", "100"},
                    {"started", "1000"},
                    {"heartbeat_wall", "1050"},
                    {"total_steps", "4000"}};
    EXPECT_EQ(why(RunAction::Evaluate),
              "It has no checkpoint yet: the first comes at step 400, in about 2:30 at the present speed. F8 "
              "makes one now.");
    run_.state = "paused";
    EXPECT_NE(why(RunAction::Fork).find("after the training is resumed"), std::string::npos)
        << why(RunAction::Fork);
    run_.state = "failed";
    EXPECT_EQ(why(RunAction::Fork), "It has no checkpoint.");
}

TEST_F(RunActionsTest, AnImportedRunSaysThatItHasNoModel) {
    run_.family = "imported";
    for (const RunAction action : {RunAction::Reproduce, RunAction::Draft, RunAction::Evaluate})
        EXPECT_NE(why(action).find("“imported”"), std::string::npos) << why(action);
}

TEST_F(RunActionsTest, ABundledRunIsForkedInsteadOfExtended) {
    run_.bundled = true;
    EXPECT_NE(why(RunAction::Extend).find("fork it"), std::string::npos);
    EXPECT_EQ(why(RunAction::Fork), "");
}

TEST_F(RunActionsTest, ADisabledCommandSaysWhyUntilItCanBeUsed) {
    CommandRegistry commands;
    int chosen = 0;
    addRunAction(commands, RunAction::Resume, [&] { ++chosen; });
    showRefusals(commands, nullptr, nullptr, engine_);
    const QAction* resume = commands.action("run.resume");
    EXPECT_FALSE(resume->isEnabled());
    EXPECT_EQ(resume->toolTip(), "Select a run first.");
    showRefusals(commands, &run_, nullptr, engine_);
    EXPECT_TRUE(resume->isEnabled()) << "data that are not read yet refuse nothing";
    EXPECT_TRUE(resume->toolTip().contains("last checkpoint"));
    commands.action("run.resume")->trigger();
    EXPECT_EQ(chosen, 1);
}

}  // namespace
}  // namespace kurve::views
