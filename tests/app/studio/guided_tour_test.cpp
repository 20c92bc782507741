// The tour of four stops and the page of keyboard shortcuts on the real window, off screen.
#include <gmock/gmock.h>

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <fstream>

#include "app/studio/tour/guided_tour.h"
#include "core/store/run_writer.h"
#include "tests/app/studio/window_fixture.h"
#include "views/common/theme/theme.h"
#include "views/guide/keys_page.h"
#include "views/launch/launch_panel.h"

namespace kurve::studio {
namespace {

class GuidedTourTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        std::ofstream(project_.path() / "runs" / "20261120-100000-0001" / "BUNDLED");
    }
};

TEST_F(GuidedTourTest, BeginsByItselfOnceAndNeverAgain) {
    {
        auto app = open();
        GuidedTour* tour = app->window()->tour();
        ASSERT_TRUE(soon([&] { return tour->isRunning(); }));
        EXPECT_EQ(tour->stop(), 0);
        EXPECT_FALSE(QApplication::activeModalWidget());
        // The guide says "at any time": the card itself has not got the focus.
        QTest::keyClick(panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch"), Qt::Key_Escape);
        EXPECT_FALSE(tour->isRunning());
        app->window()->close();
    }
    auto app = open();
    QTest::qWait(100);
    EXPECT_FALSE(app->window()->tour()->isRunning());
    app->window()->commands().action("help.tour")->trigger();
    EXPECT_TRUE(app->window()->tour()->isRunning());
}

TEST_F(GuidedTourTest, KeepsItsStopAfterAChangeOfZoom) {
    auto app = open();
    ASSERT_TRUE(soon([&] { return app->window()->tour()->isRunning(); }));
    app->window()->tour()->go(2);
    app->window()->commands().action("zoom.in")->trigger();
    ASSERT_TRUE(soon([] { return views::theme().scale > 1; }));
    ASSERT_TRUE(soon([&] { return app->window()->tour()->isRunning(); }));
    EXPECT_EQ(app->window()->tour()->stop(), 2);
}

TEST_F(GuidedTourTest, EveryStopPointsAtItsPanelAndActs) {
    qputenv("KURVE_FAKE_STEPS", "30");
    QSettings().setValue("tour/end_shown", true);  // the card of the result would interrupt the stops
    auto app = open();
    MainWindow& window = *app->window();
    window.resize(1500, 950);
    GuidedTour* tour = window.tour();
    ASSERT_TRUE(soon([&] { return tour->isRunning(); }));
    const std::pair<WorkspaceId, const char*> stops[] = {{WorkspaceId::Train, "launch"},
                                                         {WorkspaceId::Inspect, "timeline"},
                                                         {WorkspaceId::Compare, "compare"},
                                                         {WorkspaceId::Data, "corpus"}};
    auto* next = tour->card().findChild<QPushButton*>("tour.next");
    auto* act = tour->card().findChild<QPushButton*>("tour.action");
    std::set<QString> sentences;
    for (const auto& [workspace, panel] : stops) {
        QWidget* widget = window.workspace(workspace).panel(QLatin1String(panel));
        ASSERT_NE(widget, nullptr) << panel;
        // The frame is around the scroll area of the dock.
        widget = window.workspace(workspace).dock(QLatin1String(panel))->widget();
        EXPECT_TRUE(soon([&] {
            const QRect there(widget->mapTo(&window, QPoint()), widget->size());
            return widget->isVisible() && tour->card().frame().targetRect() == there &&
                   tour->card().frame().geometry() == there;
        })) << panel;
        EXPECT_TRUE(window.rect().contains(tour->card().geometry())) << panel;
        // Where a small window has no space beside it, the card points at nothing.
        EXPECT_TRUE(soon([&] {
            return tour->card().frame().isVisible() !=
                   tour->card().geometry().intersects(tour->card().frame().targetRect());
        })) << panel;
        sentences.insert(tour->card().findChild<QLabel*>("tour.sentence")->text());
        EXPECT_FALSE(act->text().isEmpty());
        act->click();
        if (tour->stop() == 0) EXPECT_TRUE(soon([&] { return app->session()->control.liveCount() == 1; }));
        if (tour->stop() == 2)
            EXPECT_TRUE(soon([&] { return app->session()->selection.runs().size() == 2; }));
        if (tour->stop() == 3) {
            auto* form = window.findChild<QWidget*>("import.import");
            ASSERT_NE(form, nullptr);
            EXPECT_TRUE(form->isVisible()) << "the text import";
        }
        next->click();
    }
    EXPECT_EQ(sentences.size(), 4U);
    EXPECT_FALSE(tour->isRunning());
    EXPECT_TRUE(tour->card().frame().isHidden());
}

TEST_F(GuidedTourTest, TheCardNeverCoversItsTarget) {
    const auto app = open();
    MainWindow& window = *app->window();
    GuidedTour* tour = window.tour();
    ASSERT_TRUE(soon([&] { return tour->isRunning(); }));
    const TourCard& card = tour->card();
    for (const QSize size : {QSize(1600, 1000), QSize(1280, 800), QSize(1000, 700), QSize(800, 600)}) {
        window.resize(size);
        for (std::size_t stop = 0; stop < 4; ++stop) {
            tour->go(stop);
            QTest::qWait(100);
            EXPECT_TRUE(soon([&] {
                return !tour->card().frame().isVisible() ||
                       !card.geometry().intersects(tour->card().frame().geometry());
            })) << stop
                << " at " << size.width();
        }
    }
}

/// Trains the draft until it has completed and the card shows it.
void trainToTheEnd(StudioApp& app) {
    app.window()->commands().action("run.start")->trigger();
    ASSERT_TRUE(soon([&] { return app.session()->control.liveCount() == 1; }));
    ASSERT_TRUE(soon([&] { return !app.window()->tour()->endedRun().isEmpty(); }));
}

TEST_F(GuidedTourTest, DuringATrainingTheFirstStopOffersPauseInsteadOfStart) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    const auto app = open();
    MainWindow& window = *app->window();
    GuidedTour* tour = window.tour();
    ASSERT_TRUE(soon([&] { return tour->isRunning(); }));
    auto* act = tour->card().findChild<QPushButton*>("tour.action");
    const QString start = act->text();
    ASSERT_TRUE(soon([&] { return window.commands().action("run.start")->isEnabled(); }));
    window.commands().action("run.start")->trigger();  // not by the card
    ASSERT_TRUE(soon([&] { return act->text() != start; }));
    EXPECT_EQ(tour->stop(), 0);
    const std::size_t runs = app->session()->catalog.runs().size();
    act->click();
    const auto paused = [&] {
        const auto& all = app->session()->catalog.runs();
        return std::any_of(all.begin(), all.end(), [](const auto& run) { return run.state == "paused"; });
    };
    EXPECT_TRUE(soon(paused));
    EXPECT_EQ(app->session()->catalog.runs().size(), runs);
    window.openWorkspace(WorkspaceId::Inspect);
    window.commands().action("run.stop")->trigger();
    EXPECT_TRUE(soon([&] { return act->text() == start; }));
    EXPECT_TRUE(window.workspace(WorkspaceId::Inspect).isVisible()) << "the workspace stays";
}

TEST_F(GuidedTourTest, TheFirstCompletedTrainingOffersItsTraceAndAComparisonOnce) {
    qputenv("KURVE_FAKE_STEPS", "30");
    const auto app = open();
    MainWindow& window = *app->window();
    GuidedTour* tour = window.tour();
    ASSERT_TRUE(soon([&] { return tour->isRunning(); }));
    tour->leave();
    trainToTheEnd(*app);
    const QString run = tour->endedRun();
    TourCard& card = tour->card();
    EXPECT_TRUE(card.isVisible());
    EXPECT_LT(card.x(), window.width() / 4) << "notices are in the other corner";
    EXPECT_TRUE(soon([&] {
        const auto data = app->session()->catalog.data(run);
        return data && data->summary.state == "completed";
    })) << "the catalog has the end";
    EXPECT_FALSE(QApplication::activeModalWidget());
    EXPECT_FALSE(card.isAncestorOf(QApplication::focusWidget())) << "it takes no focus";
    auto* openTrace = card.findChild<QPushButton*>("tour.action");
    auto* compare = card.findChild<QPushButton*>("tour.other");
    EXPECT_TRUE(compare->isVisible());
    EXPECT_FALSE(card.findChild<QPushButton*>("tour.next")->isVisible()) << "there was no tour";
    for (int i = 0; i < 5 && !card.isAncestorOf(QApplication::focusWidget()); ++i)
        window.commands().action("focus.next")->trigger();
    EXPECT_TRUE(card.isAncestorOf(QApplication::focusWidget())) << "Ctrl+Tab goes there";
    compare->click();
    const QStringList both{run, "20261120-100000-0001"};
    EXPECT_TRUE(soon([&] { return app->session()->selection.runs() == both; })) << "and the bundled one";
    EXPECT_FALSE(card.isVisible());
    EXPECT_TRUE(window.workspace(WorkspaceId::Compare).panel("compare")->isVisible());

    tour->showEnd(run);
    ASSERT_TRUE(soon([&] { return tour->endedRun() == run; }));
    openTrace->click();
    EXPECT_TRUE(window.workspace(WorkspaceId::Inspect).panel("timeline")->isVisible());
    EXPECT_EQ(app->session()->selection.primaryRun(), run);
    EXPECT_FALSE(card.isVisible());

    window.commands().action("run.start")->trigger();
    ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 1; }));
    ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 0; }));
    QTest::qWait(300);
    EXPECT_FALSE(card.isVisible()) << "once";
}

/// A run newer than the fixture's, which are of one corpus.
void addThird(const std::filesystem::path& project, const std::string& corpus) {
    testing::writeSyntheticRun(project, {"20261120-120000-0003", "third", "completed", "", 50, 3, corpus});
}
QString shownText(const TourCard& card, const char* label) {
    return card.findChild<QLabel*>(QLatin1String(label))->text();
}

TEST_F(GuidedTourTest, ComparesRunsOfTheSameEvaluationData) {
    addThird(project_.path(), "another");
    // An imported run has no settings, nor has one that begins.
    for (const char* state : {"completed", "running"}) {
        const auto run = store::RunWriter::open(project_.path() / "runs" / state);
        ASSERT_TRUE(run);
        (*run)->set("state", state);
    }
    auto app = open();
    ASSERT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 5; }));
    GuidedTour* tour = app->window()->tour();
    tour->go(2);
    tour->card().findChild<QPushButton*>("tour.action")->click();
    const QStringList pair{"20261120-110000-0002", "20261120-100000-0001"};
    EXPECT_TRUE(soon([&] { return app->session()->selection.runs() == pair; }));
}

TEST_F(GuidedTourTest, TheResultCardHasMetricsAndNoReferenceOfOtherData) {
    addThird(project_.path(), "another");
    const auto app = open();
    ASSERT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 3; }));
    GuidedTour* tour = app->window()->tour();
    const TourCard& card = tour->card();
    auto* compare = card.findChild<QPushButton*>("tour.other");
    tour->showEnd("20261120-120000-0003");
    ASSERT_TRUE(soon([&] { return !tour->endedRun().isEmpty(); }));
    EXPECT_EQ(shownText(card, "tour.headline"), "third");
    // 64 (1 - e^(-3.2 * 48/50)) - 6 at point 48 of 50, one a second.
    EXPECT_THAT(shownText(card, "tour.sentence").toStdString(),
                ::testing::MatchesRegex("Validation BLEU 55 after 0:48; loss from .* to .*\\. Inspect .*"));
    EXPECT_FALSE(compare->isVisible());
    const QStringList before = app->session()->selection.runs();
    tour->compareWithReference();
    QTest::qWait(300);
    EXPECT_EQ(app->session()->selection.runs(), before);

    tour->showEnd("20261120-110000-0002");
    ASSERT_TRUE(soon([&] { return tour->endedRun() == "20261120-110000-0002"; }));
    EXPECT_TRUE(compare->isVisible());
    EXPECT_THAT(shownText(card, "tour.sentence").toStdString(), ::testing::HasSubstr("with first"));
}

TEST_F(GuidedTourTest, RunsEvaluatedOnOtherSamplesAreNotCompared) {
    {
        const auto run = store::RunWriter::open(project_.path() / "runs" / "20261120-110000-0002");
        ASSERT_TRUE(run);
        (*run)->set("config", "family = \"toy\"\nname = \"second\"\n[eval]\nsamples = 64\n");
    }
    const auto app = open();
    GuidedTour* tour = app->window()->tour();
    tour->showEnd("20261120-110000-0002");
    ASSERT_TRUE(soon([&] { return !tour->endedRun().isEmpty(); }));
    EXPECT_FALSE(tour->card().findChild<QPushButton*>("tour.other")->isVisible());
}

TEST_F(GuidedTourTest, TheResultCardInterruptsATourAndReturnsToIt) {
    qputenv("KURVE_FAKE_STEPS", "30");
    const auto app = open();
    GuidedTour* tour = app->window()->tour();
    ASSERT_TRUE(soon([&] { return tour->isRunning(); }));
    tour->go(1);
    trainToTheEnd(*app);
    auto* next = tour->card().findChild<QPushButton*>("tour.next");
    EXPECT_TRUE(next->isVisible());
    next->click();
    EXPECT_TRUE(tour->endedRun().isEmpty());
    EXPECT_TRUE(tour->isRunning());
    EXPECT_EQ(tour->stop(), 1);
    tour->showEnd("20261120-110000-0002");
    ASSERT_TRUE(soon([&] { return !tour->endedRun().isEmpty(); }));
    tour->card().findChild<QPushButton*>("tour.other")->click();
    EXPECT_TRUE(soon([&] { return tour->stop() == 2; })) << "the stop that tells of comparing";
    QTest::keyClick(&tour->card(), Qt::Key_Escape);
    EXPECT_FALSE(tour->isRunning());
}

TEST_F(WindowTest, TheResultCardIsNotShownInOnesOwnProject) {
    qputenv("KURVE_FAKE_STEPS", "30");
    const auto app = open();
    app->window()->commands().action("run.start")->trigger();
    ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 1; }));
    ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 0; }));
    QTest::qWait(300);
    EXPECT_FALSE(app->window()->tour()->isRunning());
}

TEST_F(WindowTest, TheTourDoesNotBeginOnOnesOwnProject) {
    auto app = open();
    QTest::qWait(100);
    EXPECT_FALSE(app->window()->tour()->isRunning());
}

TEST_F(WindowTest, TheShortcutsPageListsEveryCommandAndAChangedKeyIsSaved) {
    {
        auto app = open();
        app->window()->commands().action("help.shortcuts")->trigger();
        auto* page = app->window()->findChild<views::KeysPage*>();
        ASSERT_NE(page, nullptr);
        for (const char* id : {"run.start", "timeline.play", "runs.star", "frontier.lasso", "zoom.in"}) {
            page->choose(QLatin1String(id));
            EXPECT_EQ(page->chosen(), id);
        }
        page->choose("palette.open");
        page->findChild<QPushButton*>("keys.change")->click();
        QTest::keyClick(page->findChild<QWidget*>("keys.field"), Qt::Key_K, Qt::ControlModifier);
        EXPECT_TRUE(app->window()->findChild<QPushButton*>("header.search")->text().endsWith("Ctrl+K"));
        app->window()->close();
    }
    auto app = open();
    EXPECT_EQ(app->window()->commands().keyText("palette.open"), "Ctrl+K");
}

}  // namespace
}  // namespace kurve::studio
