// Which weights answer a prompt, and the model that trains among them.
#include "views/prompt/checkpoint_box.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QTest>

#include "tests/views/prompt/prompt_panel_fixture.h"
#include "views/common/format.h"

namespace kurve::views {
namespace {

const LiveModel kTraining{"run-1", 0, false}, kPaused{"run-1", 4120, true};

class CheckpointBoxTest : public ::testing::Test {
protected:
    /// As somebody does: activated() does not come of a choice by program.
    void pick(const QString& id) {
        box_.setCurrentIndex(box_.findData(id));
        Q_EMIT box_.activated(box_.currentIndex());
    }
    QApplication& app_ = test::guiApp();
    CheckpointBox box_;
};

TEST_F(CheckpointBoxTest, OffersTheModelThatTrainsWithItsState) {
    box_.setSteps({100, 2000});
    EXPECT_EQ(box_.findData(kLiveModel), -1);
    box_.setLive(kTraining);
    EXPECT_EQ(box_.itemText(box_.findData(kLiveModel)), "as it is now (training)");
    box_.setLive(kPaused);
    EXPECT_EQ(box_.itemText(box_.findData(kLiveModel)),
              QStringLiteral("as it is now (step %1, paused)").arg(countText(4120)));
}

TEST_F(CheckpointBoxTest, APausedModelIsMeantUntilSomebodyChooses) {
    box_.setSteps({100});
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), "last") << "a training is not disturbed unasked";
    box_.setLive(kPaused);
    EXPECT_EQ(box_.id(), kLiveModel);
    EXPECT_EQ(box_.kept(), "") << "nobody chose it";
    pick("100");
    box_.setLive(kTraining);
    box_.setLive(kPaused);
    EXPECT_EQ(box_.id(), "100");
    EXPECT_EQ(box_.kept(), "100");
}

TEST_F(CheckpointBoxTest, WithoutACheckpointTheModelThatTrainsAnswers) {
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), kLiveModel);
    box_.setSteps({100});
    EXPECT_EQ(box_.id(), "last");
}

TEST_F(CheckpointBoxTest, WhatWasAskedStaysWhenTheTrainingGoesOn) {
    box_.setSteps({100});
    box_.setLive(kPaused);
    box_.keepAsked();
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), kLiveModel);
}

TEST_F(CheckpointBoxTest, AnEndedTrainingIsTold) {
    int ended = 0;
    QObject::connect(&box_, &CheckpointBox::liveEnded, [&] { ++ended; });
    box_.setSteps({100});
    box_.setLive(kTraining);
    box_.setLive(std::nullopt);
    EXPECT_EQ(ended, 0) << "it was not chosen";
    box_.setLive(kTraining);
    pick(kLiveModel);
    box_.setLive(std::nullopt);
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(box_.id(), "last");
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), "last") << "the next training of this run is another one";
}

TEST_F(CheckpointBoxTest, AKeptChoiceWaitsUntilItIsThere) {
    box_.begin("200");
    EXPECT_EQ(box_.id(), "last");
    box_.setSteps({100, 200});
    EXPECT_EQ(box_.id(), "200");
    EXPECT_FALSE(box_.choose("300"));
    EXPECT_EQ(box_.id(), "200");
}

TEST_F(PromptPanelTest, AsksTheModelThatTrainsAsItIs) {
    auto* text = find<QLineEdit>("prompt.text");
    text->setText("let there be light");
    commands_.action("prompt.live")->trigger();
    EXPECT_TRUE(asked_.empty());
    EXPECT_EQ(find<QLabel>("prompt.status")->text(),
              "The selected run does not train now; a checkpoint can answer.");
    panel_->setLiveModels({{"run-2", 7, true}, kTraining});
    commands_.action("prompt.live")->trigger();
    ASSERT_EQ(asked_.size(), 1U);
    EXPECT_EQ(asked_[0].checkpoint, kLiveModel);
    selection_.setRuns({"run-2"});
    EXPECT_EQ(panel_->request().checkpoint, kLiveModel) << "paused";
    selection_.setRuns({"run-3"});
    EXPECT_EQ(panel_->request().checkpoint, "last");
    selection_.setRuns({"run-1"});
    EXPECT_EQ(panel_->request().checkpoint, kLiveModel) << "each run keeps its choice";
    panel_->setLiveModels({});
    EXPECT_EQ(panel_->request().checkpoint, "last");
    EXPECT_EQ(find<QLabel>("prompt.status")->text(),
              "The training has ended: from now on its last checkpoint answers.");
}

}  // namespace
}  // namespace kurve::views
