// The whole window on a synthetic project: archive, trash, filters, SQL, palette, messages and undo.
#include <gtest/gtest.h>

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QClipboard>
#include <QCompleter>
#include <QDockWidget>
#include <QJsonArray>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <filesystem>
#include <fstream>

#include "app/studio/window/notice_list.h"
#include "app/studio/window/window_finders.h"
#include "core/base/file.h"
#include "core/store/run_writer.h"
#include "core/trace/trace.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/text/format.h"
#include "views/compare/compare_panel.h"
#include "views/query/query_panel.h"
#include "views/runs/disk_panel.h"
#include "views/runs/filter_box.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table_model.h"
#include "views/runs/runs_panel.h"
#include "views/schedule/schedule_panel.h"

namespace kurve::studio {
namespace {

TEST_F(WindowTest, ArchiveHidesTrashIsEmptiedForGood) {
    auto app = open();
    auto& runs = panelOf<views::RunsPanel>(*app, "runs");
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
    EXPECT_TRUE(button->text().contains("permanently?")) << button->text().toStdString();
    EXPECT_TRUE(std::filesystem::exists(project_ / "runs/20261120-100000-0001"));
    button->click();
    EXPECT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 1; }));
    EXPECT_FALSE(std::filesystem::exists(project_ / "runs/20261120-100000-0001"));
    EXPECT_TRUE(std::filesystem::exists(project_ / "runs/20261120-110000-0002"));
}

TEST_F(WindowTest, TheFilterBoxCompletesAndKeepsFilters) {
    {
        auto app = open();
        auto* box = app->window()->panel("runs")->findChild<views::FilterBox*>();
        QTest::keyClicks(box, "state:f");
        EXPECT_EQ(box->proposals(), QStringList({"state:failed"}));
        box->setText("state:failed");
        app->window()->commands().action("runs.save_filter")->trigger();
        app->window()->close();
        box->completer()->popup()->hide();
    }
    auto app = open();
    EXPECT_EQ(app->window()->panel("runs")->findChild<views::FilterBox*>()->saved(),
              QStringList({"state:failed"}));
}

TEST_F(WindowTest, SqlRunsOnAWorkerAndCanBeCancelled) {
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
    EXPECT_FALSE(query->hasData()) << "no rows of the previous query";
    query->setSql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    query->runQuery();
    QTest::qWait(50);
    query->findChild<QPushButton*>("query.cancel")->click();
    EXPECT_TRUE(soon([&] { return query->statement().contains("stopped"); }));
}

TEST_F(WindowTest, TrashIsUndone) {
    auto app = open();
    auto& runs = panelOf<views::RunsPanel>(*app, "runs");
    runs.selectRun("20261120-100000-0001");
    app->window()->commands().action("runs.trash")->trigger();
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 1; }));
    app->window()->commands().action("runs.undo")->trigger();
    EXPECT_TRUE(soon([&] { return runs.filterModel()->rowCount() == 2; }));
}

TEST(PaletteTest, RanksByWordStartsAndOrder) {
    EXPECT_EQ(Palette::score("zzz", "Start"), -1);
    EXPECT_GT(Palette::score("st", "Start"), Palette::score("st", "Show the list"));
    EXPECT_GT(Palette::score("gr", "Go to run"), -1);
}

TEST_F(WindowTest, NoticesStayInTheCornerUntilTheyAreDismissed) {
    const auto app = open();
    NoticeList* notices = app->window()->findChild<NoticeList*>();
    ASSERT_NE(notices, nullptr);
    EXPECT_FALSE(notices->isVisible());
    for (const char* text : {"one", "two", "three", "four", "five"})
        notices->add("20261120-100000-0001", "first", QLatin1String(text));
    EXPECT_TRUE(notices->isVisible());
    for (const QLabel* text : notices->findChildren<QLabel*>("notices.text"))
        if (text->isVisible()) EXPECT_GE(text->height(), text->heightForWidth(text->width())) << "cut";
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

TEST_F(WindowTest, HiddenRunsAndTheBaselineAreRestored) {
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

// A fresh session and --tour lose neither a draft nor saved filters.
TEST_F(WindowTest, WithoutRestoringNothingOfTheLastSessionIsLost) {
    const std::filesystem::path layouts = project_.path() / "layouts";
    const std::string session = R"({"panels":{"launch":{"values":{"train.lr":"0.1"}},)"
                                R"("runs":{"filter":"x","filters":["lr<1e-3"]}},"runs":"x"})";
    std::filesystem::create_directories(layouts);
    ASSERT_TRUE(writeFileAtomically(layouts / "session.json", session));
    StudioOptions options;
    options.tour = QString::fromStdString((home_ / "tour").string());
    {
        const auto app = open(options);
        app->session()->putPanel("query", {{"sql", "SELECT 1"}});
        app->session()->file().saveNow();
    }
    EXPECT_EQ(*readFile(layouts / "session.json"), session) << "a tour leaves it alone";
    options.tour.clear();
    options.restore = false;
    {
        const auto app = open(options);
        const auto kept = [&](const char* panel) { return app->session()->panelState(panel); };
        EXPECT_EQ(kept("runs").value("filters").toArray().size(), 1);
        EXPECT_EQ(kept("runs").value("filter").toString(), "");
        EXPECT_FALSE(kept("launch").value("values").toObject().contains("train.lr"));
        app->session()->putPanel("query", {{"sql", "SELECT 1"}});
        app->session()->file().saveNow();
    }
    EXPECT_EQ(*readFile(layouts / "session.previous.json"), session);
    EXPECT_NE(readFile(layouts / "session.json")->find("lr<1e-3"), std::string::npos);
}

TEST_F(WindowTest, RecentProjectsAreFoundByName) {
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

TEST_F(WindowTest, ThePaletteFindsCommandsOfAWorkspaceThatWasNeverOpenedAndGoesThere) {
    const auto app = open();
    MainWindow& window = *app->window();
    ASSERT_EQ(window.workspace(WorkspaceId::Data).panel("schedule"), nullptr);
    window.commands().action("palette.open")->trigger();
    auto* palette = window.findChild<Palette*>();
    const auto* list = palette->findChild<QListWidget*>("palette.list");
    QTest::keyClicks(palette->box(), "swap schedules");
    ASSERT_TRUE(soon([&] { return list->count() > 0 && list->item(0)->text() == "Swap schedules A and B"; }));
    auto* schedule =
        qobject_cast<views::SchedulePanel*>(window.workspace(WorkspaceId::Data).panel("schedule"));
    ASSERT_NE(schedule, nullptr);
    const std::string kind = schedule->scheduleA().kind;
    QTest::keyClick(palette->box(), Qt::Key_Return);
    EXPECT_TRUE(schedule->isVisible());
    EXPECT_NE(schedule->scheduleA().kind, kind);
}

TEST_F(WindowTest, ThePaletteShowsUnavailableCommandsWithTheReason) {
    const auto app = open();
    MainWindow& window = *app->window();
    window.commands().action("palette.open")->trigger();
    auto* palette = window.findChild<Palette*>();
    const auto* list = palette->findChild<QListWidget*>("palette.list");
    const auto reasonOf = [&](const QString& title) {
        for (int row = 0; row < list->count(); ++row)
            if (list->item(row)->text() == title)
                return list->item(row)->data(Qt::AccessibleTextRole).toString();
        return QString();
    };
    QTest::keyClicks(palette->box(), "checkpoint now");
    ASSERT_GT(list->count(), 0);
    EXPECT_EQ(list->item(0)->text(), "Checkpoint now");
    EXPECT_TRUE(reasonOf("Checkpoint now").contains("No run is training"));
    QTest::keyClick(palette->box(), Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible()) << "something else may be chosen";
    EXPECT_TRUE(window.findChild<QLabel*>("status.message")->text().contains("No run is training"));
    palette->box()->setText("run is training");
    EXPECT_NE(reasonOf("Stop"), "") << "found by words of the reason";
    palette->box()->clear();
    EXPECT_EQ(list->item(0)->data(Qt::AccessibleTextRole).toString(), "")
        << "without a search what can be done comes first";
}

TEST_F(WindowTest, MessagesAreListedAndCopied) {
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

TEST_F(WindowTest, ADamagedIndexHidesNoRunAndIsRenamed) {
    std::ofstream(project_.path() / "index.db") << std::string(4096, 'x');
    const auto app = open();
    EXPECT_TRUE(soon([&] { return panelOf<views::RunsPanel>(*app, "runs").filterModel()->rowCount() == 2; }));
    EXPECT_EQ(std::filesystem::file_size(project_.path() / "index.db.damaged"), 4096U) << "kept";
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(message->text().contains("index.db.damaged")) << message->text().toStdString();
    panelOf<views::RunsPanel>(*app, "runs").selectRun("20261120-100000-0001");
    app->window()->commands().action("runs.star")->trigger();
    EXPECT_TRUE(soon([&] { return app->session()->catalog.run("20261120-100000-0001")->starred; }));
}

TEST_F(WindowTest, ATraceInTheTrashIsUndoneAndEmptyingFreesIt) {
    const std::filesystem::path run = project_.path() / "runs" / "20261120-100000-0001";
    std::filesystem::create_directories(run / "traces");
    ASSERT_TRUE(trace::writeTrace(run / "traces/t.safetensors", test::syntheticTrace({})));
    const auto size = std::filesystem::file_size(run / "traces/t.safetensors");
    store::TraceRow row;
    row.path = "traces/t.safetensors";
    row.text = "a prompt";
    ASSERT_TRUE(store::RunWriter::addTrace(run, row));
    const auto app = open();
    auto& commands = app->window()->commands();
    app->session()->selection.setRuns({"20261120-100000-0001"});
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* asked = app->window()->findChild<QTreeWidget*>("prompt.requested");
    ASSERT_TRUE(soon([&] { return asked->topLevelItemCount() == 1; }));
    asked->setCurrentItem(asked->topLevelItem(0));
    commands.action("prompt.requested_trash")->trigger();
    EXPECT_TRUE(soon([&] { return asked->topLevelItemCount() == 0; })) << "out of the list";
    EXPECT_FALSE(std::filesystem::exists(run / "traces/t.safetensors"));
    commands.action("runs.undo")->trigger();
    EXPECT_TRUE(soon([&] { return asked->topLevelItemCount() == 1; }));
    commands.action("runs.redo")->trigger();
    EXPECT_TRUE(soon([&] { return asked->topLevelItemCount() == 0; }));
    app->window()->openWorkspace(WorkspaceId::Data);
    app->window()->goTo("disk");
    auto* disk = panelOf<views::DiskPanel>(*app, WorkspaceId::Data, "disk");
    auto* purge = disk->findChild<QPushButton*>("disk.purge");
    ASSERT_TRUE(soon([&] { return purge->isVisible(); }));
    purge->click();
    purge->click();
    EXPECT_TRUE(soon([&] { return !std::filesystem::exists(run / "trash"); }));
    EXPECT_TRUE(soon([&] { return purge->isHidden(); }));
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(soon([&] {
        return message->text() == views::bytesText(static_cast<double>(size)) + QStringLiteral(" freed.");
    })) << message->text().toStdString();
    commands.action("runs.undo")->trigger();
    EXPECT_TRUE(soon([&] { return message->text().contains("the trace is gone"); }))
        << message->text().toStdString();
}

}  // namespace
}  // namespace kurve::studio
