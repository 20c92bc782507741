// The whole window on a synthetic project, off screen: every panel draws, commands act, the session comes
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QDir>
#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <set>

#include "app/studio/finder.h"
#include "app/studio/notice_list.h"
#include "app/studio/tour.h"
#include "core/base/file.h"
#include "core/trace/trace.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"
#include "views/common/view_table.h"
#include "views/compare/compare_panel.h"
#include "views/launch/launch_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/query/query_panel.h"
#include "views/runs/filter_box.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table_model.h"
#include "views/runs/runs_panel.h"
#include "views/samples/samples_panel.h"

namespace kurve::studio {
namespace {

TEST_F(WindowTest, ShowsTheRunsAndTheNewestOnesCurves) {
    auto app = open();
    EXPECT_EQ(app->window()->runs().filterModel()->rowCount(), 2);
    auto* monitor = panelOf<views::MonitorPanel>(*app, WorkspaceId::Train, "monitor");
    ASSERT_NE(monitor, nullptr);
    EXPECT_TRUE(soon([&] { return monitor->hasData(); }));
    auto* samples = panelOf<views::SamplesPanel>(*app, WorkspaceId::Train, "samples");
    EXPECT_TRUE(soon([&] { return samples->hasData(); }));
}

TEST_F(WindowTest, EveryWorkspaceOpensAndEveryPanelHasItsName) {
    auto app = open();
    for (int i = 0; i < kWorkspaces; ++i) {
        const auto id = static_cast<WorkspaceId>(i);
        app->window()->openWorkspace(id);
        QTest::qWait(50);
        for (auto* panel : app->window()->workspace(id).panels()) {
            EXPECT_FALSE(panel->accessibleName().isEmpty()) << panel->objectName().toStdString();
            EXPECT_FALSE(panel->grab().isNull());
        }
    }
}

TEST_F(WindowTest, EveryWorkspaceFitsASmallScreen) {
    auto app = open();
    app->session()->selection.setRuns({"20261120-100000-0001", "20261120-110000-0002"});
    for (int i = 0; i < kWorkspaces; ++i) {
        Workspace& space = app->window()->workspace(static_cast<WorkspaceId>(i));
        app->window()->openWorkspace(space.id());
        QTest::qWait(100);
        const QSize least = app->window()->centralWidget()->minimumSizeHint();
        const QSize screen = app->window()->screen()->availableSize();
        // Beside the narrow run list; the inspector is folded away on such a screen.
        EXPECT_LE(space.minimumSizeHint().width() + 150, screen.width())
            << workspaceName(space.id()).toStdString();
        EXPECT_LE(least.height() + 60, screen.height()) << workspaceName(space.id()).toStdString();
        // What a panel needs is what twice the size on a screen of 1600 leaves beside the run list; it
        // scrolls in less.
        for (const auto* panel : space.panels())
            EXPECT_LE(panel->minimumSizeHint().width(), 480) << panel->panelId().toStdString();
    }
}

TEST_F(WindowTest, CommandsHaveUniqueIdsAndWindowKeysAreUnique) {
    auto app = open();
    for (int i = 0; i < kWorkspaces; ++i) app->window()->openWorkspace(static_cast<WorkspaceId>(i));
    std::set<QString> ids, keys;
    for (const auto& entry : app->window()->commands().entries()) {
        EXPECT_TRUE(ids.insert(entry.command.id).second) << entry.command.id.toStdString();
        if (!entry.scope && !entry.command.keys.isEmpty())
            EXPECT_TRUE(keys.insert(entry.command.keys.toString()).second)
                << entry.command.keys.toString().toStdString();
    }
    for (const char* id :
         {"run.start", "run.pause", "run.stop", "run.sample", "palette.open", "help.keys", "layout.reset"})
        EXPECT_TRUE(ids.count(QLatin1String(id))) << id;
}

TEST_F(WindowTest, StartsWatchesPausesAndStopsARun) {
    auto app = open();
    auto& commands = app->window()->commands();
    commands.action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_NE(run, nullptr);
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Running; })) << run->reason().toStdString();
    auto* monitor = panelOf<views::MonitorPanel>(*app, WorkspaceId::Train, "monitor");
    EXPECT_TRUE(soon([&] { return app->session()->selection.primaryRun() == run->runId(); }))
        << app->session()->selection.primaryRun().toStdString() << " is shown, not "
        << run->runId().toStdString();
    EXPECT_TRUE(soon([&] { return monitor->hasData(); }));
    commands.action("run.pause")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Paused; }));
    EXPECT_EQ(commands.action("run.pause")->text(), "Resume");
    commands.action("run.pause")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Running; }));
    commands.action("run.stop")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    EXPECT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 3; }));
}

TEST_F(WindowTest, AnInvalidDraftDoesNotStartAndSaysWhere) {
    auto app = open();
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    launch->draft().setValue("model.hidden", "3");
    EXPECT_FALSE(launch->draft().isValid());
    app->window()->commands().action("run.start")->trigger();
    EXPECT_EQ(app->session()->control.liveCount(), 0);
    auto* field = launch->findChild<QLineEdit*>("launch.field.model.hidden");
    ASSERT_NE(field, nullptr);
    EXPECT_TRUE(field->property("invalid").toBool());
}

TEST_F(WindowTest, ADryRunShowsInTheFormWhatTheDraftWillTake) {
    auto app = open();
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* estimate = launch->findChild<QLabel*>("launch.estimate");
    app->window()->commands().action("run.measure")->trigger();
    EXPECT_TRUE(soon([&] { return estimate->text().contains("Done in about 10:00"); }))
        << estimate->text().toStdString();
    EXPECT_TRUE(estimate->text().startsWith("250 ms a step"));
    EXPECT_EQ(launch->findChild<QLabel*>("launch.warnings")->text(), "⚠ the disk is nearly full");
    launch->draft().setValue("train.lr", "1e-4, 2e-4, 4e-4");
    EXPECT_TRUE(estimate->isHidden()) << "it was about other settings";
    app->window()->commands().action("run.measure")->trigger();
    EXPECT_TRUE(soon([&] { return estimate->text().contains("3 runs of about 10:00: 30:00"); }))
        << estimate->text().toStdString();
    EXPECT_EQ(app->session()->catalog.runs().size(), 2u);
}

TEST_F(WindowTest, AMatrixOfRunsGoesIntoTheQueue) {
    qputenv("KURVE_FAKE_STEPS", "50");
    auto app = open();
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    launch->draft().setValue("train.lr", "1e-4, 2e-4");
    app->window()->commands().action("run.start")->trigger();
    ASSERT_EQ(app->session()->queue.state().items.size(), 2u);
    EXPECT_EQ(app->session()->queue.state().items[1].title, "toy lr=2e-4");
    EXPECT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 4; }));
}

TEST_F(WindowTest, ARestartFindsTheLiveRunAndTheDraftAgain) {
    QString id;
    {
        auto app = open();
        auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
        launch->draft().setValue("model.layers", "4");
        app->window()->commands().action("run.start")->trigger();
        RunSupervisor* run = app->session()->control.current();
        id = run->runId();
        ASSERT_TRUE(soon([&] { return run->progress().step > 20; }));
        app->window()->close();
    }
    auto app = open();
    EXPECT_TRUE(soon([&] {
        return app->session()->control.supervisor(id) &&
               app->session()->control.supervisor(id)->phase() == RunPhase::Running;
    }));
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    EXPECT_EQ(launch->draft().valueText("model.layers"), "4");
    app->session()->control.supervisor(id)->stop();
    EXPECT_TRUE(soon([&] { return app->session()->control.supervisor(id)->phase() == RunPhase::Cancelled; }));
}

TEST_F(WindowTest, AComparisonBecomesOnePage) {
    auto app = open();
    const auto file = home_ / "report.html";
    app->window()->exchange().writeReport({"20261120-110000-0002", "20261120-100000-0001"},
                                          QString::fromStdString(file.string()));
    auto* cancel = app->window()->findChild<QToolButton*>("exchange.cancel");
    EXPECT_FALSE(cancel->isHidden());
    ASSERT_TRUE(soon([&] { return cancel->isHidden(); }));
    const auto text = readFile(file.string());
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_THAT(*text, ::testing::HasSubstr("<title>second and first</title>"));
    EXPECT_THAT(*text, ::testing::Not(::testing::HasSubstr("http://")));
}

TEST_F(WindowTest, AViewBecomesAFigureAndItsData) {
    auto app = open();
    app->window()->openWorkspace(WorkspaceId::Compare);
    app->session()->selection.setRuns({"20261120-100000-0001", "20261120-110000-0002"});
    auto* compare = panelOf<views::ComparePanel>(*app, WorkspaceId::Compare, "compare");
    ASSERT_TRUE(soon([&] { return compare->hasData(); }));
    const auto write = [&](const char* name) {
        const std::string file = (home_ / name).string();
        app->window()->viewActions().write(*compare, QString::fromStdString(file));
        EXPECT_TRUE(soon([&] { return std::filesystem::exists(file); })) << name;
        return readFile(file).value_or("");
    };
    const std::string svg = write("view.svg"), pdf = write("view.pdf"), csv = write("view.csv");
    EXPECT_THAT(svg, ::testing::HasSubstr("<polyline"));  // curves stay lines
    EXPECT_THAT(svg, ::testing::HasSubstr("20261120-100000-0001, 20261120-110000-0002"));  // the caption
    const QSize plot = compare->findChild<views::LineChart*>("compare.chart")->plot()->size();
    EXPECT_THAT(svg, ::testing::Not(::testing::HasSubstr(
                         fmt::format("width=\"{}\" height=\"{}\" preserve", plot.width(), plot.height()))))
        << "the chart is no image; what is partly scrolled out of sight may be one";
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
    // Every point of the curve at full precision.
    const auto* chart = compare->findChild<views::LineChart*>("compare.chart");
    const auto points = chart->pointsOf(chart->curveIds().first());
    ASSERT_GT(points.x.size(), 1);
    for (std::size_t i = 0; i < points.x.size(); ++i)
        EXPECT_THAT(csv, ::testing::HasSubstr(fmt::format(",{},{}\n", points.x[i], points.y[i])));
    EXPECT_THAT(csv, ::testing::HasSubstr("# Final metrics of the runs"));
    const auto json = nlohmann::json::parse(write("view.json"), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_GE(json["tables"].size(), 2);
    EXPECT_THAT(write("view.md"), ::testing::HasSubstr("| --- |"));
    app->window()->viewActions().copyData(*compare, "csv");
    EXPECT_TRUE(QApplication::clipboard()->text().contains("# Final metrics of the runs"));
    app->window()->viewActions().copyImage(*compare);
    EXPECT_EQ(QApplication::clipboard()->image().width(), 2 * compare->width());
}

TEST_F(WindowTest, AFigureIsLightWhateverTheThemeIs) {
    auto app = open();
    views::applyTheme(views::ThemeMode::Dark, 1.0);
    const QString file = QString::fromStdString((home_ / "figure.png").string());
    app->window()->viewActions().write(app->window()->runs(), file);
    EXPECT_TRUE(views::theme().dark);
    const QImage image(file);
    ASSERT_FALSE(image.isNull());
    // The mean, as a single pixel may lie on a letter.
    const QImage mean = image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    EXPECT_GT(mean.pixelColor(0, 0).lightness(), 200);
    views::applyTheme(views::ThemeMode::Light, 1.0);
}

TEST_F(WindowTest, ArchiveHidesTrashIsEmptiedForGood) {
    auto app = open();
    auto& runs = app->window()->runs();
    auto& commands = app->window()->commands();
    runs.selectRun("20261120-100000-0001");
    commands.action("runs.archive")->trigger();
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 1; }));
    runs.setFilterText("tag:archived");
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 1; }));
    EXPECT_EQ(runs.filterModel()->index(0, 0).data(views::RunTableModel::IdRole).toString(),
              "20261120-100000-0001");
    commands.action("runs.undo")->trigger();
    runs.setFilterText("");
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 2; }));
    runs.selectRun("20261120-100000-0001");
    commands.action("runs.trash")->trigger();
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 1; }));
    auto* button = runs.findChild<QPushButton*>("runs.purge");
    commands.action("runs.purge")->trigger();  // asks
    EXPECT_TRUE(button->text().contains("Really")) << button->text().toStdString();
    EXPECT_TRUE(std::filesystem::exists(project_ / "runs/20261120-100000-0001"));
    button->click();
    EXPECT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 1; }));
    EXPECT_FALSE(std::filesystem::exists(project_ / "runs/20261120-100000-0001"));
    EXPECT_TRUE(std::filesystem::exists(project_ / "runs/20261120-110000-0002"));
}

TEST_F(WindowTest, TheFilterBoxCompletesAndKeepsFilters) {
    {
        auto app = open();
        auto* box = app->window()->runs().findChild<views::FilterBox*>();
        QTest::keyClicks(box, "state:f");
        EXPECT_EQ(box->proposals(), QStringList({"state:failed"}));
        box->setText("state:failed");
        app->window()->commands().action("runs.keep_filter")->trigger();
        app->window()->close();
        box->completer()->popup()->hide();
    }
    auto app = open();
    EXPECT_EQ(app->window()->runs().findChild<views::FilterBox*>()->saved(), QStringList({"state:failed"}));
}

TEST_F(WindowTest, SqlIsAskedOnAWorkerAndCanBeStopped) {
    auto app = open();
    app->window()->openWorkspace(WorkspaceId::Compare);
    auto* query = panelOf<views::QueryPanel>(*app, WorkspaceId::Compare, "query");
    ASSERT_NE(query, nullptr);
    query->setSql("SELECT id, step FROM runs ORDER BY id");
    query->runQuery();
    ASSERT_TRUE(soon([&] { return query->hasData(); })) << query->statement().toStdString();
    auto* model = query->findChild<QTableView*>("query.table")->model();
    EXPECT_EQ(model->rowCount(), 2);
    EXPECT_EQ(model->index(0, 0).data().toString(), "20261120-100000-0001");
    query->setSql("DELETE FROM runs");
    query->runQuery();
    EXPECT_TRUE(soon([&] { return query->statement().contains("only statements that read"); }));
    query->setSql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    query->runQuery();
    QTest::qWait(50);
    query->findChild<QPushButton*>("query.cancel")->click();
    EXPECT_TRUE(soon([&] { return query->statement().contains("stopped"); }));
}

TEST_F(WindowTest, TrashIsUndone) {
    auto app = open();
    auto& runs = app->window()->runs();
    runs.selectRun("20261120-100000-0001");
    app->window()->commands().action("runs.trash")->trigger();
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 1; }));
    app->window()->commands().action("runs.undo")->trigger();
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 2; }));
}

TEST_F(WindowTest, ZoomBuildsTheWindowAnew) {
    auto app = open();
    app->window()->commands().action("zoom.in")->trigger();
    EXPECT_TRUE(soon([&] { return views::theme().scale > 1.05; }));
    EXPECT_EQ(app->window()->runs().filterModel()->rowCount(), 2);
    views::applyTheme(views::ThemeMode::Light, 1.0);
}

TEST_F(WindowTest, WithoutAnEngineTheFormSaysWhatToDo) {
    qputenv("KURVE_ENGINE", "/nowhere/kurve");
    StudioOptions options;
    options.project = QString::fromStdString(project_.path().string());
    StudioApp app(options);
    app.start();
    ASSERT_TRUE(soon([&] { return !app.session()->engine.problem().isEmpty(); }));
    app.window()->commands().action("run.start")->trigger();
    auto* message = app.window()->findChild<QLabel*>("status.message");
    EXPECT_THAT(message->text().toStdString(), ::testing::HasSubstr("packaging/run"));
}

TEST_F(WindowTest, TheTourPicturesEveryPanel) {
    StudioOptions options;
    options.tour = QString::fromStdString((home_ / "tour").string());
    auto app = open(options);
    Tour tour(*app->window(), *app->session(), options.tour);
    QSignalSpy finished(&tour, &Tour::finished);
    tour.start();
    ASSERT_TRUE(finished.wait(120000));
    EXPECT_EQ(finished.first().first().toInt(), 0);
    QFile file(options.tour + "/index.json");
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QJsonArray panels = QJsonDocument::fromJson(file.readAll()).object().value("panels").toArray();
    std::set<QString> seen;
    for (const auto& entry : panels) {
        seen.insert(entry.toObject().value("panel").toString());
        EXPECT_TRUE(QFile::exists(options.tour + "/" + entry.toObject().value("file").toString()));
    }
    for (const PanelKind& kind : panelKinds()) EXPECT_TRUE(seen.count(kind.id)) << kind.id.toStdString();
}

TEST(OptionsTest, ReadsWhatTheManualPromises) {
    const auto options = parseOptions(
        {"proj", "--workspace", "compare", "--theme=dark", "--scale", "2", "--no-restore", "--run", "r"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->project, "proj");
    EXPECT_EQ(*options->workspace, WorkspaceId::Compare);
    EXPECT_EQ(*options->theme, views::ThemeMode::Dark);
    EXPECT_DOUBLE_EQ(*options->scale, 2);
    EXPECT_FALSE(options->restore);
    EXPECT_EQ(options->run, "r");
    for (const QStringList& bad : {QStringList{"--scale", "9"}, QStringList{"--theme", "pink"},
                                   QStringList{"--workspace"}, QStringList{"--what"}, QStringList{"a", "b"}})
        EXPECT_FALSE(parseOptions(bad)) << bad.join(' ').toStdString();
}

TEST(PaletteTest, RanksByWordStartsAndOrder) {
    EXPECT_EQ(Palette::score("zzz", "Start"), -1);
    EXPECT_GT(Palette::score("st", "Start"), Palette::score("st", "Show the list"));
    EXPECT_GT(Palette::score("gr", "Go to run"), -1);
}

TEST_F(WindowTest, EveryViewThatShowsDataGivesThem) {
    const auto app = open();
    app->session()->selection.setRuns({"20261120-100000-0001", "20261120-110000-0002"});
    for (int i = 0; i < kWorkspaces; ++i) {
        app->window()->openWorkspace(static_cast<WorkspaceId>(i));
        Workspace& space = app->window()->workspace(static_cast<WorkspaceId>(i));
        QTest::qWait(50);
        for (views::Panel* panel : space.panels()) {
            if (!panel->hasData() || panel->panelId() == QLatin1String("launch") ||
                panel->panelId() == QLatin1String("prompt"))
                continue;  // forms
            space.dock(panel->panelId())->raise();
            EXPECT_TRUE(soon([&] { return !views::tablesOf(*panel).empty(); }))
                << panel->panelId().toStdString();
        }
    }
}

TEST_F(WindowTest, NoticesStayInTheCornerUntilTheyAreDismissed) {
    const auto app = open();
    NoticeList* notices = app->window()->findChild<NoticeList*>();
    ASSERT_NE(notices, nullptr);
    EXPECT_FALSE(notices->isVisible());
    for (const char* text : {"one", "two", "three", "four", "five"})
        notices->add("20261120-100000-0001", "first", QLatin1String(text));
    EXPECT_TRUE(notices->isVisible());
    EXPECT_TRUE(app->window()->rect().contains(notices->geometry()));
    QTest::qWait(10);
    const auto texts = notices->findChildren<QLabel*>("notices.text");
    EXPECT_EQ(texts.size(), 4) << "the oldest goes";
    app->session()->selection.setRuns({});
    notices->findChild<QPushButton*>("notices.show")->click();
    EXPECT_EQ(app->session()->selection.runs(), QStringList({"20261120-100000-0001"}));
    while (auto* close = notices->findChild<QToolButton*>("notices.close")) {
        close->click();
        QTest::qWait(10);
    }
    EXPECT_FALSE(notices->isVisible());
}

TEST_F(WindowTest, WhatWasHiddenAndComparedStandsAgain) {
    StudioOptions restoring;
    restoring.restore = true;
    {
        const auto app = open(restoring);
        app->session()->selection.setRuns({"20261120-100000-0001", "20261120-110000-0002"});
        app->window()->openWorkspace(WorkspaceId::Compare);
        panelOf<views::ComparePanel>(*app, WorkspaceId::Compare, "compare")
            ->setBaseline("20261120-110000-0002");
        app->session()->selection.hideRuns({"20261120-100000-0001"}, true);
    }
    const auto app = open(restoring);
    EXPECT_EQ(app->session()->selection.hiddenRuns(), QStringList({"20261120-100000-0001"}));
    app->window()->openWorkspace(WorkspaceId::Compare);
    EXPECT_EQ(panelOf<views::ComparePanel>(*app, WorkspaceId::Compare, "compare")->baseline(),
              "20261120-110000-0002");
}

// No view stays empty that could show something, also where the run's record is read after the window opened.
TEST_F(WindowTest, InspectOpensOnTheNewestRecording) {
    const std::filesystem::path folder = project_.path() / "runs" / "20261120-100000-0001";
    std::filesystem::create_directories(folder / "traces");
    ASSERT_TRUE(trace::writeTrace(folder / "traces/t.safetensors", test::syntheticTrace({})));
    store::TraceRow row;
    row.path = "traces/t.safetensors";
    ASSERT_TRUE(store::RunWriter::addTrace(folder, row));
    StudioOptions options;
    options.workspace = WorkspaceId::Inspect;
    options.run = QStringLiteral("20261120-100000-0001");
    const auto app = open(options);
    EXPECT_TRUE(soon([&] { return app->session()->selection.trace() != nullptr; }));
}

TEST_F(WindowTest, ProjectsOpenedLatelyAreFoundByName) {
    testing::TemporaryFolder other;
    testing::writeSyntheticProject(other.path());
    const QString there = QString::fromStdString(other.path().string());
    const auto app = open();
    QSettings().setValue(QStringLiteral("recent"),
                         QStringList{QString::fromStdString(project_.path().string()),
                                     QStringLiteral("/no/longer/there"), there});
    QStringList opened;
    const auto items = projectItems(project_.path(), [&](const QString& folder) { opened << folder; });
    ASSERT_EQ(items.size(), 1U) << "neither this one nor one that is gone";
    items[0].run();
    EXPECT_EQ(opened, QStringList{there});
    app->window()->findChild<QPushButton*>("header.project")->click();
    EXPECT_TRUE(app->window()->findChild<Palette*>()->isVisible());
}

TEST_F(WindowTest, ThePaletteGoesToAPanelEvenAClosedOne) {
    const auto app = open();
    MainWindow& window = *app->window();
    window.openWorkspace(WorkspaceId::Inspect);
    window.workspace(WorkspaceId::Inspect).dock("similarity")->close();
    window.openWorkspace(WorkspaceId::Train);
    window.commands().action("palette.open")->trigger();
    auto* palette = window.findChild<Palette*>();
    QTest::keyClicks(palette->box(), "token similarity");
    QTest::keyClick(palette->box(), Qt::Key_Return);
    const views::Panel* similarity = window.workspace(WorkspaceId::Inspect).panel("similarity");
    EXPECT_TRUE(similarity->isVisible());
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_TRUE(similarity->isAncestorOf(QApplication::focusWidget()));
}

TEST_F(WindowTest, WhatWasSaidCanBeReadAgain) {
    const auto app = open();
    app->window()->say("the disk is full; make room");
    app->window()->say("something newer");
    app->window()->commands().action("messages.open")->trigger();
    auto* palette = app->window()->findChild<Palette*>();
    ASSERT_TRUE(palette->isVisible());
    QTest::keyClicks(palette->box(), "disk");
    QTest::keyClick(palette->box(), Qt::Key_Return);
    EXPECT_EQ(QApplication::clipboard()->text(), "the disk is full; make room");
}

}  // namespace
}  // namespace kurve::studio
