// What steers runs: alert rules, the disk, the ridges, and what the monitor draws of the past.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QTreeWidget>
#include <fstream>

#include "core/base/clock.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/drawn_curves.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/chart/line_chart.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/lineage.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_list.h"
#include "views/common/services/project_files.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/monitor/alert_rules.h"
#include "views/monitor/alerts_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/monitor/ridge_card.h"
#include "views/runs/disk_panel.h"
#include "views/runs/run_edits.h"
#include "views/runs/run_facts.h"
#include "views/runs/runs_panel.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

class PanelTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        kurve::testing::writeSyntheticProject(folder_.path());
        info_ = *EngineInfo::fromJson(nlohmann::json::parse(kurve::testing::syntheticDescription()));
        project_ = *store::Project::open(folder_.path());
        context_.project = &*project_;
        context_.commands = &commands_;
        context_.playhead = &playhead_;
        context_.selection = &selection_;
        context_.engine = &info_;
    }
    kurve::testing::TemporaryFolder folder_;
    EngineInfo info_;
    std::optional<store::Project> project_;
    CommandRegistry commands_;
    Playhead playhead_;
    Selection selection_;
    StudioContext context_;
};

struct UsualRules : AlertRules {
    UsualRules() { rules_ = alerts::defaultRules(); }
    void setRules(const std::vector<alerts::Rule>& rules) override { rules_ = rules; }
};

struct NotedFiles : ProjectFiles {
    void purge(const QStringList& runs) override { purgedRuns = runs; }
    void purgeTraces(const std::vector<store::TraceFile>& files) override { purged = files; }
    double diskBudget() const override { return budget; }
    void setDiskBudget(double bytes) override { budget = bytes; }
    QStringList purgedRuns;
    void trashTraces(const std::vector<store::TraceFile>& files, bool on) override {
        moved = files;
        toTrash = on;
    }
    std::vector<store::TraceFile> purged, moved;
    bool toTrash = false;
    double budget = 0;
};

TEST_F(PanelTest, AlertRulesAreEditedInTheTable) {
    UsualRules rules;
    context_.services->offer<AlertRules>(rules);
    AlertsPanel panel(context_);
    const auto& kept = rules.rules();
    auto* table = panel.findChild<QTableWidget*>("alerts.table");
    const int usual = static_cast<int>(alerts::defaultRules().size());
    ASSERT_EQ(table->rowCount(), usual);
    auto* action = qobject_cast<QComboBox*>(table->cellWidget(0, 4));
    action->setCurrentIndex(3);
    Q_EMIT action->activated(3);
    EXPECT_EQ(kept.at(0).action, alerts::Action::Stop);
    qobject_cast<QCheckBox*>(table->cellWidget(1, 0))->setChecked(false);
    EXPECT_FALSE(kept.at(1).enabled);
    auto* metric = qobject_cast<QComboBox*>(table->cellWidget(1, 2));
    metric->setCurrentText("valid_bleu");
    EXPECT_EQ(kept.at(1).metric, "valid_bleu");
    EXPECT_TRUE(kept.at(1).higherIsBetter);
    panel.findChild<QPushButton*>("alerts.add")->click();
    ASSERT_EQ(kept.size(), static_cast<std::size_t>(usual) + 1);
    auto* kind = qobject_cast<QComboBox*>(table->cellWidget(usual, 1));
    kind->setCurrentIndex(2);
    Q_EMIT kind->activated(2);
    EXPECT_EQ(kept.back().kind, alerts::Kind::Plateau);
    EXPECT_GT(kept.back().steps, 0);
    QTest::qWait(10);
    EXPECT_NE(qobject_cast<QSpinBox*>(table->cellWidget(usual, 3)), nullptr) << "steps instead of a factor";
    EXPECT_TRUE(alerts::parseRules(alerts::toText(kept)));
    table->selectRow(0);
    panel.findChild<QPushButton*>("alerts.remove")->click();
    EXPECT_EQ(kept.size(), static_cast<std::size_t>(usual));
}

TEST_F(PanelTest, WhatAnAlertDoesIsInSightInANarrowPanel) {
    UsualRules rules;
    context_.services->offer<AlertRules>(rules);
    AlertsPanel panel(context_);
    panel.resize(px(530), px(250));
    panel.show();
    QCoreApplication::processEvents();
    const auto* table = panel.findChild<QTableWidget*>("alerts.table");
    EXPECT_EQ(table->columnWidth(0), px(30));
    EXPECT_LE(table->columnViewportPosition(4) + table->columnWidth(4), table->viewport()->width());
    EXPECT_GE(table->columnWidth(4), px(80));
}

TEST_F(PanelTest, TheMonitorDrawsTheParentToTheForkAndAbandonedAttemptsOnRequest) {
    {
        // Two attempts: 0 to 100, then again from 61 on.
        auto parent = *store::RunWriter::open(folder_ / "runs" / "parent");
        for (const char* key : {"id", "name"}) parent->set(key, "parent");
        parent->set("state", "completed");
        parent->set("started", "1000");
        parent->beginSegment(0, "started");
        for (int step = 10; step <= 100; step += 10) parent->scalar("loss", step, 1000 + step, 5.0);
        parent->beginSegment(61, "resumed");
        for (int step = 70; step <= 80; step += 10) parent->scalar("loss", step, 2000 + step, 4.0);
        parent->histogram("weights/decoder.layers.0", 10,
                          {{"edges", {-8, -7, -6}}, {"values", {0.5, 0.5}}, {"weights", {1, 1}}});
        auto fork = *store::RunWriter::open(folder_ / "runs" / "fork");
        for (const char* key : {"id", "name"}) fork->set(key, "fork");
        fork->set("state", "completed");
        fork->set("started", "3000");
        fork->set("parent", "parent");
        fork->set("parent_checkpoint", "step-00000040");
        fork->beginSegment(41, "forked");
        for (int step = 50; step <= 90; step += 10) fork->scalar("loss", step, 3000 + step, 3.0);
    }
    RunCatalog catalog(*project_);
    context_.catalog = &catalog;
    MonitorPanel panel(context_);
    panel.resize(900, 700);
    panel.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 2; }, 30000));
    selection_.setRuns({"fork"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.data("fork") && catalog.data("parent"); }, 30000));
    EXPECT_EQ(catalog.data("fork")->summary.parentStep, 40);
    EXPECT_EQ(catalog.data("parent")->summary.parentStep, -1);
    LineChart* loss = panel.chart("loss");
    const auto steps = [&](const QString& id) {
        return static_cast<int>(test::pointsOf(*loss, id).x.size());
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return steps("fork|loss|parent") == 4; }, 30000))
        << "10, 20, 30, 40 and not one more";
    EXPECT_EQ(steps("fork|loss"), 5);
    // A fork's training time begins with the fork; what came before has negative times.
    auto* axis = panel.findChild<QComboBox*>("monitor.axis");
    axis->setCurrentIndex(axis->findData("training"));
    Q_EMIT axis->activated(axis->currentIndex());
    EXPECT_THAT(test::pointsOf(*loss, "fork|loss|parent").x, ElementsAre(-30, -20, -10, 0));
    EXPECT_THAT(test::pointsOf(*loss, "fork|loss").x, ElementsAre(50, 60, 70, 80, 90));
    axis->setCurrentIndex(axis->findData("step"));
    Q_EMIT axis->activated(axis->currentIndex());
    selection_.hideRuns({"fork"}, true);
    EXPECT_TRUE(test::curveIds(*loss).isEmpty());
    EXPECT_FALSE(panel.hasData()) << "says that the runs are hidden";
    selection_.hideRuns({"fork"}, false);
    EXPECT_EQ(steps("fork|loss"), 5);
    selection_.setRuns({"parent"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return steps("parent|loss") == 8; }, 30000));
    EXPECT_EQ(steps("fork|loss|parent"), 0);
    auto* earlier = panel.findChild<QPushButton*>("monitor.earlier");
    EXPECT_TRUE(earlier->isVisible());
    EXPECT_EQ(steps("parent|loss|attempt0"), 0) << "only on request";
    earlier->click();
    EXPECT_EQ(steps("parent|loss|attempt0"), 4) << "70 to 100 of the first attempt";
    auto* ridges = panel.findChild<RidgeCard*>();
    EXPECT_TRUE(ridges->hasData());
    EXPECT_TRUE(ridges->isVisible());
    selection_.setRuns({"parent", "fork"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return steps("fork|loss") == 5; }, 30000));
    selection_.hideRuns({"parent"}, true);
    EXPECT_FALSE(ridges->hasData()) << "of the first run that is shown";
}

TEST_F(PanelTest, ChartsOfTheMonitorGoAndComeBack) {
    for (int r = 0; r < 3; ++r) {
        const std::string id = "run" + std::to_string(r);
        auto run = *store::RunWriter::open(folder_ / "runs" / id);
        for (const char* key : {"id", "name"}) run->set(key, id);
        run->set("state", "completed");
        run->beginSegment(1, "started");
        for (int step = 10; step <= 90; step += 10) {
            run->scalar("loss", step, 1000 + step, 3.0 - r);
            run->scalar("valid_loss", step, 1000 + step, 4.0 - r);
            run->scalar("lr", step, 1000 + step, 0.1 + r);
        }
    }
    RunCatalog catalog(*project_);
    context_.catalog = &catalog;
    MonitorPanel panel(context_);
    panel.resize(900, 700);
    panel.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 3; }, 30000));
    selection_.setRuns({"run0", "run1", "run2"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return test::curveIds(*panel.chart("loss")).size() == 6; }, 30000));
    const auto pick = [&](LineChart& chart, const char* title) {
        const QPoint middle = chart.rect().center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, middle, chart.mapToGlobal(middle));
        QCoreApplication::sendEvent(&chart, &event);
        auto* menu = panel.findChild<QMenu*>("monitor.menu");
        for (QAction* action : menu->actions())
            if (action->text() == QLatin1String(title)) action->trigger();
        delete menu;
    };
    pick(*panel.chart("lr"), "Select best 1 at cursor");
    EXPECT_EQ(selection_.runs().size(), 3) << "of a learning rate there is no best";
    pick(*panel.chart("loss"), "Select best 1 at cursor");
    EXPECT_EQ(selection_.runs(), QStringList{"run2"}) << "lower is better";
    pick(*panel.chart("loss"), "Remove chart");
    EXPECT_EQ(panel.chart("loss"), nullptr);
    const QJsonObject saved = panel.saveState();
    panel.findChild<QPushButton*>("monitor.add")->click();
    auto* metrics = panel.findChild<ChoiceList*>("monitor.metrics");
    const int offered = metrics->shownCount();
    metrics->search()->setText("LOSS");
    ASSERT_GE(metrics->shownCount(), 1);
    EXPECT_LE(metrics->shownCount(), offered);
    QTest::keyClick(metrics->search(), Qt::Key_Return);
    ASSERT_NE(panel.chart("loss"), nullptr);
    EXPECT_EQ(test::curveIds(*panel.chart("loss")).size(), 2) << "with its validation loss, as it was";
    panel.restoreState(saved);
    EXPECT_EQ(panel.chart("loss"), nullptr) << "stays away";
}

TEST_F(PanelTest, DiskWarnsAboveTheBudgetAndProposes) {
    kurve::testing::writeSyntheticRun(folder_.path(), {"a", "first", "completed", "", 100, 1});
    const auto folder = folder_.path() / "runs/a/traces";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "one.safetensors") << std::string(3'000'000, 'x');
    RunCatalog catalog(*project_);
    context_.catalog = &catalog;
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.run("a") != nullptr; }, 30000));
    NotedFiles files;
    context_.services->offer<ProjectFiles>(files);
    DiskPanel panel(context_);
    panel.show();
    auto* rows = panel.findChild<QTreeWidget*>("disk.rows");
    ASSERT_TRUE(QTest::qWaitFor([&] { return rows->topLevelItemCount() == 1; }, 30000));
    auto* total = panel.findChild<QLabel*>("disk.total");
    EXPECT_FALSE(total->text().contains("budget")) << total->text().toStdString();
    EXPECT_TRUE(panel.findChild<QLabel*>("disk.proposal")->text().contains("Traces of"));
    panel.findChild<QDoubleSpinBox*>("disk.budget")->setValue(0.001);
    EXPECT_DOUBLE_EQ(files.budget, 1e6);
    EXPECT_TRUE(total->text().startsWith("⚠")) << total->text().toStdString();
}

TEST_F(PanelTest, DiskMovesTracesToTheTrashAndEmptiesItAfterASecondPress) {
    kurve::testing::writeSyntheticRun(folder_.path(), {"a", "first", "completed", "", 100, 1});
    const auto run = folder_.path() / "runs/a";
    for (const auto& [file, bytes] :
         {std::pair{"traces/one.safetensors", 3'000'000}, {"trash/1/traces/two.safetensors", 2'000'000}}) {
        std::filesystem::create_directories((run / file).parent_path());
        std::ofstream(run / file) << std::string(static_cast<std::size_t>(bytes), 'x');
    }
    RunCatalog catalog(*project_);
    context_.catalog = &catalog;
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.run("a") != nullptr; }, 30000));
    NotedFiles files;
    context_.services->offer<ProjectFiles>(files);
    DiskPanel panel(context_);
    panel.show();
    auto* rows = panel.findChild<QTreeWidget*>("disk.rows");
    ASSERT_TRUE(QTest::qWaitFor([&] { return rows->topLevelItemCount() == 1; }, 30000));
    EXPECT_TRUE(panel.findChild<QLabel*>("disk.total")->text().endsWith("of which 2.0 MB in the trash."))
        << panel.statement().toStdString();
    const auto* proposal = panel.findChild<QLabel*>("disk.proposal");
    EXPECT_TRUE(proposal->text().contains("Trash of traces"));
    EXPECT_TRUE(proposal->text().startsWith("Reclaimable, 5.0 MB")) << proposal->text().toStdString();
    constexpr int kReclaimable = 5;
    EXPECT_EQ(rows->topLevelItem(0)->text(kReclaimable), "5.0 MB")
        << "the column says what the proposal says";
    catalog.setTrashed("a", true);
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return rows->topLevelItem(0)->text(kReclaimable) == rows->topLevelItem(0)->text(1); }, 30000));
    catalog.setTrashed("a", false);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return rows->topLevelItem(0)->text(kReclaimable) == "5.0 MB"; }, 30000));
    const auto &moved = files.moved, &purged = files.purged;
    const bool& toTrash = files.toTrash;
    auto* button = panel.findChild<QPushButton*>("disk.trash");
    EXPECT_FALSE(button->isEnabled());
    ASSERT_EQ(rows->topLevelItem(0)->childCount(), 2);
    auto* one = rows->topLevelItem(0)->child(0);
    auto* two = rows->topLevelItem(0)->child(1);
    one->setSelected(true);
    EXPECT_EQ(button->text(), "Move 1 trace to the trash, 3.0 MB");
    context_.commands->action("disk.trash")->trigger();
    ASSERT_EQ(moved.size(), 1U);
    EXPECT_TRUE(toTrash);
    EXPECT_EQ(moved[0].file, "traces/one.safetensors");
    one->setSelected(false);
    two->setSelected(true);
    EXPECT_EQ(two->text(0), "two.safetensors (in the trash)");
    EXPECT_EQ(button->text(), "Restore 1 trace, 2.0 MB");
    button->click();
    EXPECT_FALSE(toTrash);
    EXPECT_EQ(moved[0].file, "trash/1/traces/two.safetensors");
    auto* purge = panel.findChild<QPushButton*>("disk.purge");
    EXPECT_EQ(purge->text(), "Delete permanently, 2.0 MB");
    purge->click();
    EXPECT_TRUE(purged.empty()) << "the first press only asks";
    EXPECT_EQ(purge->text(), "Delete 1 trace permanently?");
    purge->click();
    ASSERT_EQ(purged.size(), 1U);
    EXPECT_EQ(purged[0].file, "trash/1/traces/two.safetensors");
    // The selection survives a refill, also at another row.
    std::filesystem::rename(run / "trash/1/traces/two.safetensors", run / "traces/two.safetensors");
    std::ofstream(run / "traces/three.safetensors") << "x";
    panel.measure();
    ASSERT_TRUE(QTest::qWaitFor([&] { return rows->topLevelItem(0)->childCount() == 3; }, 30000));
    ASSERT_EQ(rows->selectedItems().size(), 1);
    EXPECT_EQ(rows->selectedItems().first()->text(0), "two.safetensors");
}

TEST_F(PanelTest, InspectorNamesProgramAndMachine) {
    {
        auto run = *store::RunWriter::open(folder_ / "runs" / "one");
        for (const char* key : {"id", "name"}) run->set(key, "one");
        run->set("state", "completed");
        run->set(
            "environment",
            R"({"version":"0.1.0","commit":"abc1234-dirty","libtorch":"2.11.0","device":"cpu","threads":1,)"
            R"("host":"lab<1>","cpu":"Intel","system":"Linux"})");
    }
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 1; }, 30000));
    const QString before = runFacts(*catalog.run("one"), nullptr);
    EXPECT_FALSE(before.contains("abc1234")) << "not read yet";
    const WatchedRuns watched(&catalog, {"one"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.data("one") != nullptr; }, 30000));
    const QString facts = runFacts(*catalog.run("one"), catalog.data("one").get());
    for (const char* part :
         {"Kurve 0.1.0, commit abc1234 ", "built from modified sources", "2.11.0", "lab&lt;1&gt;", "Intel"})
        EXPECT_TRUE(facts.contains(part)) << part << " in " << facts.toStdString();
}

TEST(RunFacts, WallTimeIncludesPausesTrainingTimeDoesNot) {
    store::RunSummary run;
    run.started = 1000, run.ended = 1000 + 918;
    RunData data;
    EXPECT_TRUE(runFacts(run, &data).contains("<td>15:18</td>")) << "nothing else is known";
    data.values["seconds"] = "197.2";
    EXPECT_TRUE(runFacts(run, &data).contains("15:18 (training 3:17)")) << runFacts(run, &data).toStdString();
    data.values["seconds"] = "900";
    EXPECT_TRUE(runFacts(run, &data).contains("<td>15:18</td>"));
}

TEST(RunFacts, ACheckpointThatIsOnAnotherMachineTakesNoSpaceHere) {
    store::RunSummary run;
    run.bytes = 5'100'000;
    RunData data;
    for (const char* path : {"checkpoints/step-00000100", "checkpoints/step-00000200"}) {
        store::CheckpointRow row;
        row.path = path;
        row.bytes = 4'000'000;
        data.checkpoints.push_back(row);
    }
    EXPECT_TRUE(runFacts(run, &data, false, {"step-00000200"}).contains("5.1 MB (checkpoints 4.0 MB)"))
        << runFacts(run, &data, false, {"step-00000200"}).toStdString();
    EXPECT_FALSE(runFacts(run, &data, false, {"step-00000100", "step-00000200"}).contains("checkpoints"));
}

TEST(RunFacts, ARunPlannedByTimeHasNoTotalSteps) {
    store::RunSummary run;
    run.step = 164, run.totalSteps = 803;
    EXPECT_TRUE(runFacts(run, nullptr).contains("164 of 803"));
    run.plannedSeconds = 90;
    const QString facts = runFacts(run, nullptr);
    EXPECT_FALSE(facts.contains("803")) << facts.toStdString();
    EXPECT_TRUE(facts.contains("1:30 of training")) << facts.toStdString();
}

TEST(StateWords, AreThoseOfTheRunsFileAndOfTheCommandLine) {
    test::guiApp();
    for (const char* state : {"running", "paused", "stopping", "completed", "cancelled", "failed", "crashed",
                              "lost_contact", "damaged"})
        EXPECT_EQ(stateStyle(state).text, QString::fromLatin1(state).replace('_', ' '));
}

TEST_F(PanelTest, HidingArchivingAndTrashAreThreeDifferentThings) {
    for (const char* id : {"one", "two", "three"}) {
        auto run = *store::RunWriter::open(folder_ / "runs" / id);
        run->set("id", id);
        run->set("name", id);
        run->set("state", "completed");
    }
    RunCatalog catalog(*project_);
    context_.catalog = &catalog;
    RunEdits edits(catalog, &*project_);
    NotedFiles files;
    context_.services->offer<ProjectFiles>(files);
    context_.services->offer(edits);
    RunsPanel panel(context_);
    panel.resize(400, 500);
    panel.show();
    auto* table = panel.findChild<QTableView*>("runs.table");
    const auto rows = [&] { return table->model()->rowCount(); };
    ASSERT_TRUE(QTest::qWaitFor([&] { return rows() == 3; }, 30000));
    QString said;
    QObject::connect(&panel, &RunsPanel::statusMessage, &panel, [&](const QString& text) { said = text; });
    selection_.setRuns({"one"});
    commands_.action("runs.hide")->trigger();
    EXPECT_EQ(selection_.hiddenRuns(), QStringList({"one"}));
    EXPECT_EQ(rows(), 3) << "a hidden run stays in the list";
    EXPECT_TRUE(panel.statement().contains("1 hidden")) << panel.statement().toStdString();
    commands_.action("runs.hide")->trigger();
    EXPECT_TRUE(selection_.hiddenRuns().isEmpty());
    commands_.action("runs.archive")->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return rows() == 2; }, 30000));
    EXPECT_TRUE(said.contains("nothing deleted")) << said.toStdString();
    selection_.setRuns({"two"});
    commands_.action("runs.trash")->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return rows() == 1; }, 30000));
    EXPECT_TRUE(said.contains("still on disk")) << said.toStdString();
    const QStringList& purged = files.purgedRuns;
    panel.findChild<QPushButton*>("runs.trash")->click();
    auto* purge = panel.findChild<QPushButton*>("runs.purge");
    ASSERT_TRUE(purge->isVisible());
    EXPECT_TRUE(purge->text().contains("B")) << "says the bytes: " << purge->text().toStdString();
    purge->click();
    EXPECT_TRUE(purged.isEmpty()) << "the first click only asks";
    purge->click();
    EXPECT_EQ(purged, QStringList({"two"}));
    commands_.action("runs.undo")->trigger();
    commands_.action("runs.undo")->trigger();
    panel.findChild<QPushButton*>("runs.trash")->click();
    EXPECT_TRUE(QTest::qWaitFor([&] { return rows() == 3; }, 30000));
}

}  // namespace
}  // namespace kurve::views
