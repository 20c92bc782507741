// What can be done with the selected run, and what a menu says of what cannot.
#include "views/runs/run_deeds.h"

#include <gtest/gtest.h>

#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "views/common/command_registry.h"
#include "views/common/engine_info.h"
#include "views/common/run_catalog.h"

namespace kurve::views {
namespace {

class RunDeedsTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        engine_ = *EngineInfo::fromJson(nlohmann::json::parse(testing::syntheticDescription()));
        run_.id = "20261120-100000-0001";
        run_.family = "toy";
        run_.state = "failed";
        data_.checkpoints.resize(1);
    }
    [[nodiscard]] std::string why(RunDeed deed) const {
        return refusal(deed, &run_, &data_, engine_).toStdString();
    }
    EngineInfo engine_;
    store::RunSummary run_;
    RunData data_;
};

TEST_F(RunDeedsTest, AFailedRunWithACheckpointCanGoOnInEveryWay) {
    for (int deed = 0; deed < kRunDeeds; ++deed)
        EXPECT_EQ(why(static_cast<RunDeed>(deed)), "") << RunDeeds::command(static_cast<RunDeed>(deed));
}

TEST_F(RunDeedsTest, ACompletedRunIsExtendedAndNotResumed) {
    run_.state = "completed";
    EXPECT_NE(why(RunDeed::Resume).find("extend it instead"), std::string::npos) << why(RunDeed::Resume);
    EXPECT_EQ(why(RunDeed::Extend), "");
    run_.step = 300;
    run_.totalSteps = 1000;
    EXPECT_EQ(why(RunDeed::Resume), "") << "--max-seconds ended it before its plan";
}

TEST_F(RunDeedsTest, AnExtensionCountsFromThePlannedEnd) {
    run_.state = "cancelled";
    run_.step = 300;
    run_.totalSteps = 1000;
    EXPECT_EQ(plannedEnd(run_), 1000);
    run_.step = 1010;
    EXPECT_EQ(plannedEnd(run_), 1010);
}

TEST_F(RunDeedsTest, WhatTrainsIsForkedAndEvaluatedButNotTrainedTwice) {
    run_.state = "running";
    for (const RunDeed deed : {RunDeed::Resume, RunDeed::Extend, RunDeed::Again})
        EXPECT_NE(why(deed).find("It is training"), std::string::npos);
    EXPECT_EQ(why(RunDeed::Fork), "");
    EXPECT_EQ(why(RunDeed::Evaluate), "");
    run_.state = "paused";
    EXPECT_EQ(why(RunDeed::Resume), "") << "that goes on";
    EXPECT_NE(why(RunDeed::Extend), "");
}

TEST_F(RunDeedsTest, WithoutACheckpointOnlyTheSettingsAreLeft) {
    data_.checkpoints.clear();
    for (const RunDeed deed :
         {RunDeed::Resume, RunDeed::Extend, RunDeed::Fork, RunDeed::Evaluate, RunDeed::Distil})
        EXPECT_EQ(why(deed), "It has no checkpoint.");
    EXPECT_NE(why(RunDeed::LookInside), "");
    data_.traces.resize(1);
    EXPECT_EQ(why(RunDeed::LookInside), "");
    EXPECT_EQ(why(RunDeed::Again), "");
    EXPECT_EQ(why(RunDeed::Draft), "");
}

TEST_F(RunDeedsTest, WhatTrainsSaysWhenItsFirstCheckpointComes) {
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
    EXPECT_EQ(why(RunDeed::Evaluate),
              "It has no checkpoint yet: the first comes at step 400, in about 2:30 at the present speed. F8 "
              "makes one now.");
    run_.state = "paused";
    EXPECT_NE(why(RunDeed::Fork).find("when the training goes on"), std::string::npos) << why(RunDeed::Fork);
    run_.state = "failed";
    EXPECT_EQ(why(RunDeed::Fork), "It has no checkpoint.");
}

TEST_F(RunDeedsTest, AnImportedRunSaysThatItHasNoModel) {
    run_.family = "imported";
    for (const RunDeed deed : {RunDeed::Again, RunDeed::Draft, RunDeed::Evaluate})
        EXPECT_NE(why(deed).find("“imported”"), std::string::npos) << why(deed);
}

TEST_F(RunDeedsTest, WhatCameWithKurveIsForkedInsteadOfExtended) {
    run_.bundled = true;
    EXPECT_NE(why(RunDeed::Extend).find("fork it"), std::string::npos);
    EXPECT_EQ(why(RunDeed::Fork), "");
}

TEST_F(RunDeedsTest, ADisabledCommandSaysWhyUntilItCanBeUsed) {
    CommandRegistry commands;
    RunDeeds deeds(commands);
    deeds.setRun(nullptr, nullptr, engine_);
    const QAction* resume = commands.action("run.resume");
    EXPECT_FALSE(resume->isEnabled());
    EXPECT_EQ(resume->toolTip(), "Select a run first.");
    deeds.setRun(&run_, nullptr, engine_);
    EXPECT_TRUE(resume->isEnabled()) << "what is not read yet forbids nothing";
    EXPECT_TRUE(resume->toolTip().contains("last checkpoint"));
    int chosen = 0;
    QObject::connect(&deeds, &RunDeeds::chosen, &deeds,
                     [&](RunDeed deed) { chosen += deed == RunDeed::Resume; });
    commands.action("run.resume")->trigger();
    EXPECT_EQ(chosen, 1);
}

}  // namespace
}  // namespace kurve::views
