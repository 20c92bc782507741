// The whole window on a synthetic project, off screen: every panel draws and leaves the window as figure and
// data, the tour pictures them all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <nlohmann/json.hpp>
#include <set>

#include "app/studio/tour/tour.h"
#include "core/base/file.h"
#include "core/store/run_writer.h"
#include "core/trace/trace.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/drawn_curves.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/table/view_table.h"
#include "views/compare/compare_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/runs_panel.h"
#include "views/samples/samples_panel.h"

namespace kurve::studio {
namespace {

TEST_F(WindowTest, ShowsTheRunsAndTheNewestOnesCurves) {
    auto app = open();
    EXPECT_EQ(panelOf<views::RunsPanel>(*app, "runs").filterModel()->rowCount(), 2);
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
    for (const char* id : {"run.start", "run.pause", "run.stop", "run.sample", "palette.open",
                           "help.shortcuts", "layout.reset"})
        EXPECT_TRUE(ids.count(QLatin1String(id))) << id;
}

TEST_F(WindowTest, AComparisonIsExportedAsOnePage) {
    auto app = open();
    const auto file = home_ / "report.html";
    app->window()->exchange().writeReport({"20261120-110000-0002", "20261120-100000-0001"}, {},
                                          QString::fromStdString(file.string()));
    auto* cancel = app->window()->findChild<QToolButton*>("exchange.cancel");
    EXPECT_FALSE(cancel->isHidden());
    ASSERT_TRUE(soon([&] { return cancel->isHidden(); }));
    const auto text = readFile(file.string());
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_THAT(*text, ::testing::HasSubstr("<title>second and first</title>"));
    EXPECT_THAT(*text, ::testing::Not(::testing::HasSubstr("http://")));
}

TEST_F(WindowTest, AViewIsExportedAsFigureAndData) {
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
    const auto points = test::pointsOf(*chart, test::curveIds(*chart).first());
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

TEST_F(WindowTest, TheChartThatHasTheFocusIsExportedAndNotItsPage) {
    auto app = open();
    app->window()->activateWindow();
    app->session()->selection.setRuns({"20261120-100000-0001"});
    app->window()->openWorkspace(WorkspaceId::Train);
    auto* monitor = panelOf<views::MonitorPanel>(*app, WorkspaceId::Train, "monitor");
    ASSERT_TRUE(soon([&] { return monitor->chart("loss") != nullptr && monitor->chart("loss")->hasData(); }));
    const auto exported = [&] {
        app->window()->commands().action("view.export")->trigger();
        auto* dialog = app->window()->findChild<QFileDialog*>();
        const QString title = dialog ? dialog->windowTitle() : QString();
        delete dialog;
        return title;
    };
    views::LineChart* chart = monitor->chart("loss");
    chart->setFocus();
    ASSERT_TRUE(soon([&] { return chart->hasFocus() || chart->isAncestorOf(QApplication::focusWidget()); }));
    EXPECT_EQ(exported(), "Export: " + chart->accessibleName());
    monitor->findChild<QWidget*>("monitor.axis")->setFocus();
    EXPECT_EQ(exported(), "Export: " + monitor->title()) << "a control of the page belongs to no chart";
}

TEST_F(WindowTest, WithoutAFocusTheVisibleViewIsExported) {
    auto app = open();
    app->window()->openWorkspace(WorkspaceId::Compare);
    const auto exported = [&] {
        if (QWidget* focused = QApplication::focusWidget()) focused->clearFocus();
        app->window()->commands().action("view.export")->trigger();
        auto* dialog = app->window()->findChild<QFileDialog*>();
        const QString title = dialog ? dialog->windowTitle() : QString();
        delete dialog;
        return title;
    };
    auto& compare = app->window()->workspace(WorkspaceId::Compare);
    compare.reveal("compare");
    EXPECT_TRUE(soon([&] { return exported() == "Export: Compare"; })) << exported().toStdString();
    compare.reveal("query");
    EXPECT_TRUE(soon([&] { return exported() == "Export: SQL"; })) << exported().toStdString();
}

TEST_F(WindowTest, AFigureIsLightWhateverTheThemeIs) {
    auto app = open();
    views::applyTheme(views::ThemeMode::Dark, 1.0);
    const QString file = QString::fromStdString((home_ / "figure.png").string());
    app->window()->viewActions().write(*app->window()->panel("runs"), file);
    EXPECT_TRUE(views::theme().dark);
    ASSERT_TRUE(soon([&] { return QFile::exists(file); }));
    const QImage image(file);
    ASSERT_FALSE(image.isNull());
    // The mean, as a single pixel may lie on a letter.
    const QImage mean = image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    EXPECT_GT(mean.pixelColor(0, 0).lightness(), 200);
    views::applyTheme(views::ThemeMode::Light, 1.0);
}

TEST_F(WindowTest, ZoomRebuildsTheWindow) {
    auto app = open();
    const views::Playhead& playhead = app->session()->playhead;
    app->session()->selection.setRuns({"20261120-100000-0001"});
    ASSERT_TRUE(soon([&] { return playhead.trainStep() > 100; })) << "at its end";
    app->session()->playhead.setTrainStep(50);
    app->window()->commands().action("zoom.in")->trigger();
    EXPECT_TRUE(soon([&] { return views::theme().scale > 1.05; }));
    EXPECT_EQ(panelOf<views::RunsPanel>(*app, "runs").filterModel()->rowCount(), 2);
    EXPECT_EQ(playhead.trainStep(), 50);
    auto* samples = panelOf<views::SamplesPanel>(*app, WorkspaceId::Train, "samples");
    EXPECT_FALSE(samples->findChild<QPushButton*>("samples.newest")->isChecked());
    views::applyTheme(views::ThemeMode::Light, 1.0);
}

TEST_F(WindowTest, AProjectThatIsOpenedAgainRunsItsQueue) {
    auto app = open();
    EXPECT_FALSE(app->session()->queue.isElsewhere());
    ASSERT_TRUE(app->openProject(QString::fromStdString(project_.path().string())));
    EXPECT_FALSE(app->session()->queue.isElsewhere());
}

TEST_F(WindowTest, ZoomStaysWhereTheCommandLineOpened) {
    StudioOptions options;
    options.workspace = WorkspaceId::Data;
    auto app = open(options);
    app->window()->commands().action("zoom.in")->trigger();
    ASSERT_TRUE(soon([&] { return views::theme().scale > 1.05; }));
    EXPECT_TRUE(app->window()->workspace(WorkspaceId::Data).isVisible());
    views::applyTheme(views::ThemeMode::Light, 1.0);
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
    std::set<QString> shown;
    for (const auto& entry : panels) {
        shown.insert(entry.toObject().value("panel").toString());
        EXPECT_TRUE(QFile::exists(options.tour + "/" + entry.toObject().value("file").toString()));
    }
    for (const PanelKind& kind : panelKinds()) EXPECT_TRUE(shown.count(kind.id)) << kind.id.toStdString();
}

TEST_F(WindowTest, TheNextAreaIsEnteredWhereItWasLeft) {
    const auto app = open();
    MainWindow& window = *app->window();
    window.activateWindow();
    ASSERT_TRUE(soon([&] { return QApplication::activeWindow() == &window; }));
    QWidget* table = panelOf<views::RunsPanel>(*app, "runs").table();
    table->setFocus();
    std::set<QWidget*> focused;
    for (int i = 0; i < 4; ++i) {
        window.commands().action("focus.next")->trigger();
        focused.insert(QApplication::focusWidget());
    }
    EXPECT_EQ(focused.size(), 4U) << "runs, centre, inspector, playhead";
    EXPECT_EQ(QApplication::focusWidget(), table) << "not the filter box, which comes first";
}

TEST_F(WindowTest, EveryMenuHasItsOwnMnemonic) {
    const auto app = open();
    std::set<QString> keys;
    for (const QAction* menu : app->window()->menuBar()->actions()) {
        if (menu->text().contains(QLatin1Char('&')))
            EXPECT_TRUE(keys.insert(QKeySequence::mnemonic(menu->text()).toString()).second)
                << menu->text().toStdString();
    }
    EXPECT_EQ(keys.size(), 7U);
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
    EXPECT_EQ(options->runs, QStringList{"r"});
    EXPECT_FALSE(options->size);
    EXPECT_EQ(*parseOptions({"proj", "--tour", "pictures"})->size, QSize(1600, 1000));
    EXPECT_EQ(*parseOptions({"proj", "--tour", "pictures", "--size=1280x800"})->size, QSize(1280, 800));
    for (const QStringList& bad :
         {QStringList{"--scale", "9"}, QStringList{"--theme", "pink"}, QStringList{"--size", "big"},
          QStringList{"--size", "1280x20"}, QStringList{"--size", "1280"}, QStringList{"--workspace"},
          QStringList{"--what"}, QStringList{"a", "b"}})
        EXPECT_FALSE(parseOptions(bad)) << bad.join(' ').toStdString();
}

TEST(OptionsTest, HelpAndManualPageNameEveryOption) {
    const QString help = usageText();
    const std::string page = manualSource(manualPage());
    // As they stand in the contract of the command line.
    for (const char* option : {"--workspace", "--run", "--theme", "--scale", "--size", "--no-restore",
                               "--tour", "--version", "--help"}) {
        EXPECT_EQ(help.count(QStringLiteral("\n  %1 ").arg(QLatin1String(option))), 1) << option;
        const std::string term =
            ".TP\n\\fB" +
            QString::fromUtf8(option).replace(QLatin1Char('-'), QLatin1String("\\-")).toStdString();
        EXPECT_NE(page.find(term + "\\fR"), std::string::npos) << option;
    }
    EXPECT_EQ(help.count(QStringLiteral("\n  --")), 9) << "each of the help is above";
    EXPECT_EQ(parseOptions({"--manual-pages", "man"})->manualPages, "man");
}

TEST_F(WindowTest, EveryViewWithDataHasTables) {
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

// Also where the run is read after the window opened.
TEST_F(WindowTest, InspectOpensOnTheNewestTrace) {
    const std::filesystem::path folder = project_.path() / "runs" / "20261120-100000-0001";
    std::filesystem::create_directories(folder / "traces");
    ASSERT_TRUE(trace::writeTrace(folder / "traces/t.safetensors", test::syntheticTrace({})));
    store::TraceRow row;
    row.path = "traces/t.safetensors";
    ASSERT_TRUE(store::RunWriter::addTrace(folder, row));
    StudioOptions options;
    options.workspace = WorkspaceId::Inspect;
    options.runs = QStringList{QStringLiteral("20261120-100000-0001")};
    const auto app = open(options);
    EXPECT_TRUE(soon([&] { return app->session()->selection.trace() != nullptr; }));
}

/// The top-level widgets that were shown while it lived.
struct ShownWindows : QObject {
    ShownWindows() { qApp->installEventFilter(this); }
    bool eventFilter(QObject* watched, QEvent* event) override {
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (event->type() == QEvent::Show && widget != nullptr && widget->isWindow())
            names << QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
                         widget->objectName();
        return false;
    }
    QStringList names;
};

// A widget that is shown before it has a parent flashes as a window of its own.
TEST_F(WindowTest, NothingFlashesAsAWindowOfItsOwn) {
    ShownWindows shown;
    const auto app = open();
    for (const WorkspaceId id :
         {WorkspaceId::Inspect, WorkspaceId::Compare, WorkspaceId::Data, WorkspaceId::Train})
        app->window()->openWorkspace(id);
    app->session()->selection.setRuns({"20261120-100000-0001", "20261120-110000-0002"});
    for (const char* command : {"help.shortcuts", "help.shortcuts", "palette.open", "palette.open"}) {
        QAction* action = app->window()->commands().action(QLatin1String(command));
        ASSERT_NE(action, nullptr) << command;
        action->trigger();
        QTest::qWait(20);
    }
    EXPECT_EQ(shown.names.join("; ").toStdString(), "kurve::studio::MainWindow studio");
}

}  // namespace
}  // namespace kurve::studio
