// The whole window on a synthetic project: what other panels bring into the prompt bar and into sight.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLabel>
#include <QTableView>
#include <QTest>
#include <fstream>

#include "core/interop/import_run.h"
#include "core/trace/candidates.h"
#include "tests/app/studio/large_screen.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/synthetic_trace.h"
#include "views/candidates/candidate_model.h"
#include "views/candidates/candidates_panel.h"
#include "views/corpus/corpus_panel.h"
#include "views/corpus/corpus_tables.h"
#include "views/curve/curve_panel.h"
#include "views/prompt/prompt_outcome.h"
#include "views/prompt/prompt_panel.h"
#include "views/samples/samples_panel.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::studio {
namespace {

TEST_F(WindowTest, PairsAndSamplesAreTriedWithTheirReferences) {
    const auto app = open();
    app->window()->openWorkspace(WorkspaceId::Data);
    auto* corpus = panelOf<views::CorpusPanel>(*app, WorkspaceId::Data, "corpus");
    ASSERT_NE(corpus, nullptr);
    ASSERT_TRUE(soon([&] { return corpus->hasData(); }));
    auto* pairs = corpus->findChild<QTableView*>("corpus.pairs");
    pairs->setCurrentIndex(pairs->model()->index(0, 0));
    app->window()->commands().action("corpus.try")->trigger();
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    ASSERT_NE(prompt, nullptr);
    EXPECT_TRUE(prompt->isVisible()) << "raised";
    const auto pair = [&](int column) { return pairs->model()->index(0, column).data().toString(); };
    EXPECT_FALSE(pair(views::PairTable::Source).isEmpty());
    EXPECT_EQ(prompt->request().input, pair(views::PairTable::Source));
    EXPECT_EQ(prompt->request().reference, pair(views::PairTable::Target));

    app->session()->selection.setRuns({"20261120-100000-0001"});
    app->window()->openWorkspace(WorkspaceId::Train);
    auto* samples = panelOf<views::SamplesPanel>(*app, WorkspaceId::Train, "samples");
    ASSERT_TRUE(soon([&] { return samples->hasData(); }));
    auto* table = samples->findChild<QTableView*>("samples.table");
    table->setCurrentIndex(table->model()->index(0, 1));
    app->window()->commands().action("samples.try")->trigger();
    EXPECT_EQ(prompt->request().input, table->model()->index(0, 0).data().toString().simplified());
    EXPECT_EQ(prompt->request().reference, table->model()->index(0, 2).data().toString().simplified());
    EXPECT_FALSE(prompt->request().reference.isEmpty());
}

TEST_F(WindowTest, AnImportedRunHasNoModelToPrompt) {
    std::ofstream(project_.path() / "old.csv") << "step,loss\n1,5\n2,4\n";
    const auto project = *store::Project::open(project_.path());
    ASSERT_TRUE(interop::importRuns({project_.path() / "old.csv", "", "old", "old", {}, false, {}}, project));
    const auto app = open();
    app->session()->selection.setRuns({"old"});
    ASSERT_TRUE(soon([&] { return app->session()->catalog.data("old") != nullptr; }));
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    prompt->tryText("the cat", "");
    app->window()->commands().action("prompt.run")->trigger();
    auto* status = prompt->findChild<QLabel*>("prompt.status");
    ASSERT_NE(status, nullptr);
    EXPECT_TRUE(status->text().contains("no model")) << status->text().toStdString();
    EXPECT_FALSE(app->session()->inspect.engineRunning());
}

TEST_F(WindowTest, APausedModelAnswersAPrompt) {
    const auto app = open();
    auto& commands = app->window()->commands();
    commands.action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_NE(run, nullptr);
    ASSERT_TRUE(soon([&] { return run->progress().step > 20; }));
    commands.action("run.pause")->trigger();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Paused; }));
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    EXPECT_EQ(prompt->request().checkpoint, views::kLiveModel) << "of the paused run";
    prompt->tryText("the cat", "");
    commands.action("prompt.run")->trigger();
    const auto shown = [&] { return app->session()->selection.trace(); };
    ASSERT_TRUE(soon([&] { return shown() != nullptr && shown()->metaText("prompt") == "the cat"; }));
    EXPECT_EQ(shown()->metaText("checkpoint_step"), std::to_string(run->progress().step));
    EXPECT_EQ(app->session()->inspect.engineRunning(), false) << "the model is loaded already";
    EXPECT_TRUE(soon([&] {
        const auto data = app->session()->catalog.data(run->runId());
        return data != nullptr && !data->traces.empty() && data->traces.back().text == "the cat" &&
               data->traces.back().step == run->progress().step;
    })) << "it is listed with the run, at its step of the training";
    run->stop();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    EXPECT_EQ(prompt->request().checkpoint, "last");
}

TEST_F(WindowTest, TheStatusIsShownUntilTheAnswer) {
    const auto app = open();
    app->window()->commands().action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_NE(run, nullptr);
    ASSERT_TRUE(soon([&] { return run->progress().step > 20; }));
    app->window()->commands().action("run.pause")->trigger();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Paused; }));
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto recorded = std::make_shared<trace::Trace>(test::syntheticTrace({.words = 6, .steps = 3}));
    recorded->meta["run"] = run->runId().toStdString();
    recorded->meta["checkpoint_step"] = std::to_string(run->progress().step);
    recorded->meta["prompt"] = "the cat";
    auto* message = app->window()->findChild<QLabel*>("status.message");
    views::PromptRequest again = app->session()->inspect.requestOf(*recorded);
    again.what = QStringList{"hidden"};
    app->session()->inspect.repeat(again, "Recording the layers…");
    EXPECT_EQ(message->text(), "Recording the layers…");
    ASSERT_TRUE(soon([&] { return app->session()->selection.trace() != nullptr; }));
    EXPECT_EQ(message->text(), "");
    run->stop();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
}

TEST_F(WindowTest, SimilarityReplacesAMissingCurveUntilThereIsOne) {
    if (doneOnLargeScreen()) return;
    const auto app = open();
    app->window()->resize(1600, 1000);
    app->window()->openWorkspace(WorkspaceId::Inspect);
    Workspace& space = app->window()->workspace(WorkspaceId::Inspect);
    auto* curve = panelOf<views::CurvePanel>(*app, WorkspaceId::Inspect, "curve");
    auto* similarity = panelOf<views::SimilarityPanel>(*app, WorkspaceId::Inspect, "similarity");
    const auto inFront = [](const QWidget& panel) { return !panel.visibleRegion().isEmpty(); };
    space.dock("curve")->raise();
    ASSERT_TRUE(soon([&] { return inFront(*curve); }));
    const auto show = [&](bool latents) {
        auto words = std::make_shared<trace::Trace>(test::syntheticTrace({.words = 6, .steps = 3}));
        if (!latents) words->blocks.clear();
        app->session()->selection.setTrace(words);
    };
    show(false);
    EXPECT_TRUE(soon([&] { return inFront(*similarity); }));
    EXPECT_FALSE(curve->hasData());
    show(true);
    EXPECT_TRUE(soon([&] { return inFront(*curve); }));
    space.dock("candidates")->raise();
    show(false);
    QTest::qWait(200);
    EXPECT_FALSE(inFront(*similarity)) << "chosen by hand";
}

TEST_F(WindowTest, TheCandidatesOfAnAnswerAreShown) {
    const auto app = open();
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* candidates = panelOf<views::CandidatesPanel>(*app, WorkspaceId::Inspect, "candidates");
    ASSERT_NE(candidates, nullptr);
    app->window()->workspace(WorkspaceId::Inspect).dock("candidates")->close();
    EXPECT_FALSE(candidates->isVisible());
    auto trace = std::make_shared<trace::Trace>(test::syntheticTrace({.words = 6, .steps = 3}));
    trace->meta["candidates"] = trace::candidatesJson({{"one", -1, 4, 1}, {"two", -2, 0, 1}}).dump();
    app->session()->selection.setTrace(trace);
    EXPECT_EQ(candidates->model()->rowCount(), 2);
    Q_EMIT app->window()->panel("prompt")->findChild<views::PromptOutcome*>()->candidatesRequested();
    EXPECT_TRUE(soon([&] { return candidates->isVisible(); }));
}

}  // namespace
}  // namespace kurve::studio
