// Checkpoint choice of the prompt bar, with the live model.
#include "views/prompt/checkpoint_box.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QTest>

#include "tests/support/studio_parts.h"
#include "tests/views/prompt/prompt_panel_fixture.h"
#include "views/common/text/format.h"

namespace kurve::views {
namespace {

const LiveModel kTraining{"run-1", 0, false}, kPaused{"run-1", 4120, true};

class CheckpointBoxTest : public ::testing::Test {
protected:
    /// As by the user: activated() is not emitted by setCurrentIndex().
    void pick(const QString& id) {
        box_.setCurrentIndex(box_.findData(id));
        Q_EMIT box_.activated(box_.currentIndex());
    }
    QApplication& app_ = test::guiApp();
    CheckpointBox box_;
};

TEST_F(CheckpointBoxTest, OffersTheLiveModelWithItsState) {
    box_.setSteps({100, 2000});
    EXPECT_EQ(box_.findData(kLiveModel), -1);
    box_.setLive(kTraining);
    EXPECT_EQ(box_.itemText(box_.findData(kLiveModel)), "live model (training)");
    box_.setLive(kPaused);
    EXPECT_EQ(box_.itemText(box_.findData(kLiveModel)),
              QStringLiteral("live model (step %1, paused)").arg(countText(4120)));
}

TEST_F(CheckpointBoxTest, APausedLiveModelIsTheDefault) {
    box_.setSteps({100});
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), "last") << "not the default while it trains";
    box_.setLive(kPaused);
    EXPECT_EQ(box_.id(), kLiveModel);
    EXPECT_EQ(box_.chosenId(), "") << "not chosen by the user";
    pick("100");
    box_.setLive(kTraining);
    box_.setLive(kPaused);
    EXPECT_EQ(box_.id(), "100");
    EXPECT_EQ(box_.chosenId(), "100");
}

TEST_F(CheckpointBoxTest, WithoutACheckpointTheLiveModelIsTheDefault) {
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), kLiveModel);
    box_.setSteps({100});
    EXPECT_EQ(box_.id(), "last");
}

TEST_F(CheckpointBoxTest, ARequestedModelStaysWhenTrainingContinues) {
    box_.setSteps({100});
    box_.setLive(kPaused);
    box_.keepRequested();
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), kLiveModel);
}

TEST_F(CheckpointBoxTest, AnEndedLiveModelIsSignalled) {
    int ended = 0;
    QObject::connect(&box_, &CheckpointBox::liveEnded, [&] { ++ended; });
    box_.setSteps({100});
    box_.setLive(kTraining);
    box_.setLive(std::nullopt);
    EXPECT_EQ(ended, 0) << "not selected";
    box_.setLive(kTraining);
    pick(kLiveModel);
    box_.setLive(std::nullopt);
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(box_.id(), "last");
    box_.setLive(kTraining);
    EXPECT_EQ(box_.id(), "last") << "of another training";
}

TEST_F(CheckpointBoxTest, ASavedChoiceWaitsForItsCheckpoint) {
    box_.begin("200");
    EXPECT_EQ(box_.id(), "last");
    box_.setSteps({100, 200});
    EXPECT_EQ(box_.id(), "200");
    EXPECT_FALSE(box_.choose("300"));
    EXPECT_EQ(box_.id(), "200");
}

TEST_F(CheckpointBoxTest, TheAverageOfATraceIsOfferedWhileItIsChosen) {
    box_.setSteps({100});
    EXPECT_TRUE(box_.choose("avg5"));
    EXPECT_EQ(box_.id(), "avg5");
    EXPECT_TRUE(box_.choose("100"));
    EXPECT_EQ(box_.findData("avg5"), -1);
}

TEST_F(PromptPanelTest, RunsThePromptOnTheLiveModel) {
    auto* text = find<QLineEdit>("prompt.text");
    text->setText("let there be light");
    commands_.action("prompt.live")->trigger();
    EXPECT_TRUE(requested_.empty());
    EXPECT_EQ(find<QLabel>("prompt.status")->text(),
              "The selected run is not training; choose a checkpoint.");
    trainings_.setModels({{"run-2", 7, true}, kTraining});
    commands_.action("prompt.live")->trigger();
    ASSERT_EQ(requested_.size(), 1U);
    EXPECT_EQ(requested_[0].checkpoint, kLiveModel);
    selection_.setRuns({"run-2"});
    EXPECT_EQ(panel_->request().checkpoint, kLiveModel) << "paused";
    selection_.setRuns({"run-3"});
    EXPECT_EQ(panel_->request().checkpoint, "last");
    selection_.setRuns({"run-1"});
    EXPECT_EQ(panel_->request().checkpoint, kLiveModel) << "each run has its own choice";
    trainings_.setModels({});
    EXPECT_EQ(panel_->request().checkpoint, "last");
    EXPECT_EQ(find<QLabel>("prompt.status")->text(),
              "Training has ended; prompts now use its last checkpoint.");
}

class ShownPromptTest : public ::testing::Test, protected test::StudioParts {};

/// Resumed from a checkpoint before the highest step.
TEST_F(ShownPromptTest, IsOfTheLastCheckpointIfThatWasSavedLast) {
    writeRun("r", {});
    for (const char* step : {"3000", "2600"}) {
        store::CheckpointRow row;
        row.step = std::stoll(step);
        row.path = store::RunFile(std::string("checkpoints/step-0000") + step);
        store::RunWriter::open(runFolder("r")).value()->checkpoint(row);
    }
    open();
    test::FakeServices services;
    services.offerTo(context_);
    struct : Prompts {
        PromptRequest requestOf(const trace::Trace& /*trace*/) const override { return made; }
        PromptRequest made;
    } prompts;
    context_.services->offer<Prompts>(prompts);
    PromptPanel panel(context_);
    selection_.setRuns({"r"});
    const WatchedRuns watched(catalog_.get(), {"r"});
    ASSERT_TRUE(test::waitFor([&] { return catalog_->data("r") != nullptr; }));
    prompts.made.input = "the cat";
    for (const auto& [step, id] : {std::pair{"3000", "3000"}, {"2600", "last"}}) {
        prompts.made.checkpoint = step;
        selection_.setTrace(std::make_shared<trace::Trace>());
        EXPECT_EQ(panel.request().checkpoint, id);
    }
}

}  // namespace
}  // namespace kurve::views
