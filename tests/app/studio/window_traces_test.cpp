// The whole window on a synthetic project: which trace is shown, and its request in the prompt bar.
#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <functional>

#include "core/store/run_writer.h"
#include "core/trace/trace.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/shell/empty_state.h"
#include "views/prompt/prompt_outcome.h"
#include "views/prompt/prompt_panel.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::studio {
namespace {

/// A run with the same prompt recorded after 150 and 200 training steps; the window stands in Inspect.
class TraceListTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        std::filesystem::create_directories(folder() / "traces");
        for (const int step : {150, 200}) {
            trace::Trace recorded = test::syntheticTrace({});
            recorded.meta["run"] = kRun;
            recorded.meta["checkpoint_step"] = std::to_string(step);
            store::TraceRow row;
            row.step = step;
            row.prompt = 0;
            row.path = store::RunFile("traces/" + std::to_string(step) + ".safetensors");
            row.text = recorded.metaText("prompt");
            ASSERT_TRUE(trace::writeTrace(folder() / row.path.text(), recorded));
            ASSERT_TRUE(store::RunWriter::addTrace(folder(), row));
        }
    }
    [[nodiscard]] std::filesystem::path folder() const { return project_.path() / "runs" / kRun; }
    void openInspect() {
        StudioOptions options;
        options.workspace = WorkspaceId::Inspect;
        options.runs = QStringList{QLatin1String(kRun)};
        app_ = open(options);
        ASSERT_TRUE(soon([&] { return shown() == "200"; }));
    }
    /// The training step of the trace in the timeline.
    [[nodiscard]] std::string shown() const {
        const auto trace = app_->session()->selection.trace();
        return trace != nullptr ? trace->metaText("checkpoint_step") : "";
    }
    static constexpr const char* kRun = "20261120-100000-0001";
    std::unique_ptr<StudioApp> app_;
};

// "After training" has the step of the shown trace, also when the requested trace cannot be read.
TEST_F(TraceListTest, ADamagedOneLeavesTheShownOneWithItsStep) {
    std::filesystem::resize_file(folder() / "traces/150.safetensors", 300);
    openInspect();
    app_->session()->playhead.setTrainStep(150);
    app_->window()->traces().open(QLatin1String(kRun), QStringLiteral("traces/150.safetensors"));
    auto* message = app_->window()->findChild<QLabel*>("status.message");
    ASSERT_TRUE(soon([&] { return message->text().contains("damaged"); })) << message->text().toStdString();
    EXPECT_EQ(app_->session()->playhead.trainStep(), 200);
    EXPECT_EQ(shown(), "200");
}

// A live run moves the playhead, but does not replace the shown trace.
TEST_F(TraceListTest, ALiveRunsPlayheadKeepsTheTraceUnlessItIsFollowed) {
    openInspect();
    views::Playhead& playhead = app_->session()->playhead;
    playhead.setTrainStep(150);
    ASSERT_TRUE(soon([&] { return shown() == "150"; }));
    playhead.carryTrainStep(200);
    QTest::qWait(100);
    EXPECT_EQ(shown(), "150");
    app_->window()->commands().action("timeline.train_follow")->trigger();
    ASSERT_TRUE(soon([&] { return shown() == "200"; }));
}

/// The same with a trace of the other run, and a second one of this run that was requested in the prompt bar.
class ShownTraceTest : public TraceListTest {
protected:
    void SetUp() override {
        TraceListTest::SetUp();
        trace::Trace other = test::syntheticTrace({.words = 6});
        other.meta["run"] = kOther;
        other.meta["prompt"] = "of the other run";
        record(kOther, "traces/other.safetensors", other);
        trace::Trace requested = test::syntheticTrace({.words = 6});
        requested.meta["run"] = kRun;
        requested.meta["prompt"] = "let there be light";
        requested.meta["reference"] = "Let there be light.";
        requested.meta["seed"] = "31";
        requested.meta["noise_row"] = "16";
        requested.meta["checkpoint_step"] = "150";
        requested.meta["sampler"] = R"({"sampler.steps":7,"sampler.noise_beam":1})";
        record(kRun, "traces/requested.safetensors", requested);
        // The newest is opened automatically.
        trace::Trace newest = test::syntheticTrace({});
        newest.meta["run"] = kRun;
        newest.meta["checkpoint_step"] = "200";
        record(kRun, "traces/newest.safetensors", newest);
    }
    void record(const char* run, const char* file, const trace::Trace& recorded) const {
        const auto runFolder = project_.path() / "runs" / run;
        std::filesystem::create_directories(runFolder / "traces");
        store::TraceRow row;
        row.step = 200;
        row.path = store::RunFile(file);
        row.text = recorded.metaText("prompt");
        ASSERT_TRUE(trace::writeTrace(runFolder / file, recorded));
        ASSERT_TRUE(store::RunWriter::addTrace(runFolder, row));
    }
    [[nodiscard]] views::Selection& selection() const { return app_->session()->selection; }
    [[nodiscard]] std::string shownPrompt() const {
        return selection().trace() != nullptr ? selection().trace()->metaText("prompt") : "";
    }
    [[nodiscard]] views::PromptPanel& prompt() const {
        return *panelOf<views::PromptPanel>(*app_, WorkspaceId::Inspect, "prompt");
    }
    /// The bar has the request of the shown trace.
    [[nodiscard]] bool barIsThatOfTheTrace() const {
        const views::PromptRequest bar = prompt().request();
        const trace::Trace& shown = *selection().trace();
        return bar.runId.toStdString() == shown.metaText("run") &&
               bar.input.toStdString() == shown.metaText("prompt") &&
               std::to_string(bar.seed) == shown.metaText("seed");
    }
    static constexpr const char* kOther = "20261120-110000-0002";
};

TEST_F(ShownTraceTest, IsTheNewestOfTheSelectedRun) {
    openInspect();
    prompt().findChild<views::PromptOutcome*>()->showAnswer({"x", "an answer of the first run", 1, 1, 1, 0});
    selection().setRuns({kOther});
    ASSERT_TRUE(soon([&] { return shownPrompt() == "of the other run"; }));
    EXPECT_TRUE(barIsThatOfTheTrace());
    EXPECT_FALSE(prompt().findChild<QLabel*>("prompt.answer")->isVisible());
    EXPECT_EQ(prompt().findChild<QLabel*>("prompt.status")->text(), "");
    selection().setRuns({kOther, kRun});
    EXPECT_EQ(shownPrompt(), "of the other run") << "a run that is selected besides changes nothing";
    selection().setRuns({});
    EXPECT_EQ(shownPrompt(), "of the other run");
    selection().setRuns({kRun});
    EXPECT_TRUE(soon([&] { return shown() == "200"; }));
    EXPECT_TRUE(barIsThatOfTheTrace());
}

TEST_F(TraceListTest, ARunWithoutOneShowsNoneAndOffersToRecordOne) {
    openInspect();
    app_->session()->selection.setRuns({"20261120-110000-0002"});
    ASSERT_TRUE(soon([&] { return app_->session()->selection.trace() == nullptr; }));
    auto* timeline = panelOf<views::TimelinePanel>(*app_, WorkspaceId::Inspect, "timeline");
    auto* empty = timeline->findChild<views::EmptyState*>();
    ASSERT_TRUE(soon([&] { return empty->button()->text() == "Record a trace"; }));
    EXPECT_TRUE(empty->isVisible());
    auto* prompt = panelOf<views::PromptPanel>(*app_, WorkspaceId::Inspect, "prompt");
    QSignalSpy requested(&app_->session()->inspect, &InspectService::requested);
    prompt->tryText("let there be light", "");
    empty->button()->click();
    EXPECT_EQ(requested.size(), 1);
}

TEST_F(ShownTraceTest, OfAnotherRunSelectsThatRun) {
    openInspect();
    selection().setRuns({kRun, kOther});
    app_->window()->traces().open(QLatin1String(kOther), "traces/other.safetensors");
    ASSERT_TRUE(soon([&] { return shownPrompt() == "of the other run"; }));
    EXPECT_EQ(selection().runs(), QStringList({kOther, kRun}));
    EXPECT_TRUE(barIsThatOfTheTrace());
}

TEST_F(ShownTraceTest, AnAnswerForAnUnselectedRunIsReportedAndNotShown) {
    openInspect();
    selection().setRuns({kOther});
    ASSERT_TRUE(soon([&] { return shownPrompt() == "of the other run"; }));
    auto late = std::make_shared<trace::Trace>(test::syntheticTrace({.words = 6}));
    late->meta["run"] = kRun;
    Q_EMIT app_->session()->inspect.traceReady(late);
    EXPECT_EQ(shownPrompt(), "of the other run");
    EXPECT_TRUE(app_->window()->findChild<QLabel*>("status.message")->text().contains("select first"));
    EXPECT_EQ(selection().primaryRun(), kOther);
}

TEST_F(ShownTraceTest, HasItsRequestInThePromptBarHoweverItWasOpened) {
    openInspect();
    const auto requested =
        std::make_shared<const trace::Trace>(*trace::readTrace(folder() / "traces/requested.safetensors"));
    const std::function<void()> ways[] = {
        [&] { app_->window()->traces().open(QLatin1String(kRun), "traces/requested.safetensors"); },
        [&] { app_->window()->traces().replace(QLatin1String(kRun), "traces/requested.safetensors"); },
        [&] { Q_EMIT app_->session()->inspect.traceReady(requested); },
        [&] { Q_EMIT app_->session()->inspect.traceExtended(requested); },
        [&] { selection().setTrace(requested); },
    };
    for (const auto& open : ways) {
        app_->window()->traces().open(QLatin1String(kRun), "traces/150.safetensors");
        ASSERT_TRUE(soon([&] { return shown() == "150" && barIsThatOfTheTrace(); }));
        open();
        ASSERT_TRUE(soon([&] { return shownPrompt() == "let there be light"; }));
        const views::PromptRequest bar = prompt().request();
        EXPECT_EQ(bar.input, "let there be light");
        EXPECT_EQ(bar.reference, "Let there be light.");
        EXPECT_EQ(bar.seed, 31U);
        EXPECT_EQ(bar.row, 16U);
        EXPECT_EQ(bar.settings,
                  (std::map<QString, QString>{{"sampler.noise_beam", "1"}, {"sampler.steps", "7"}}))
            << "the rest is the run's own";
        EXPECT_TRUE(prompt().findChild<QLabel*>("prompt.status")->text().contains("sentence 17"));
    }
    auto* text = prompt().findChild<QLineEdit*>("prompt.text");
    text->setText("another one");
    EXPECT_EQ(prompt().request().row, 0U) << "an edited prompt has its own noise";
    app_->window()->traces().open(QLatin1String(kRun), "traces/150.safetensors");
    ASSERT_TRUE(soon([&] { return shown() == "150"; }));
    QTest::keyClick(text, Qt::Key_Up);
    EXPECT_EQ(text->text(), "another one") << "unsent texts are in the history";
}

TEST_F(ShownTraceTest, AnUnsentTextStaysWhenATraceOpensAutomatically) {
    openInspect();
    prompt().tryText("a half written", "");
    selection().setRuns({kOther});
    ASSERT_TRUE(soon([&] { return shownPrompt() == "of the other run"; }));
    EXPECT_EQ(prompt().request().input, "a half written");
}

}  // namespace
}  // namespace kurve::studio
