// The whole window on a synthetic project: what other panels bring into the prompt bar and into sight.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QTableView>
#include <QTest>

#include "core/trace/candidates.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/synthetic_trace.h"
#include "views/candidates/candidate_model.h"
#include "views/candidates/candidates_panel.h"
#include "views/corpus/corpus_panel.h"
#include "views/prompt/prompt_panel.h"
#include "views/samples/samples_panel.h"

namespace kurve::studio {
namespace {

TEST_F(WindowTest, PairsAndSamplesAreTriedWithTheirReferences) {
    const auto app = open();
    app->window()->openWorkspace(WorkspaceId::Data);
    auto* corpus = panelOf<views::CorpusPanel>(*app, WorkspaceId::Data, "corpus");
    ASSERT_NE(corpus, nullptr);
    Q_EMIT corpus->tryRequested("the cat", "The cat sat.");
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    ASSERT_NE(prompt, nullptr);
    EXPECT_TRUE(prompt->isVisible()) << "in sight";
    EXPECT_EQ(prompt->request().input, "the cat");
    EXPECT_EQ(prompt->request().reference, "The cat sat.");

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

TEST_F(WindowTest, TheCandidatesOfAnAnswerComeIntoSight) {
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
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    Q_EMIT prompt->candidatesRequested();
    EXPECT_TRUE(soon([&] { return candidates->isVisible(); }));
}

}  // namespace
}  // namespace kurve::studio
