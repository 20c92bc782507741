// The selection of the run list while filters come and go.
#include <gtest/gtest.h>

#include <QTableView>
#include <QTest>

#include "core/store/run_writer.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/runs/run_edits.h"
#include "views/runs/run_table_model.h"
#include "views/runs/runs_panel.h"

namespace kurve::views {
namespace {

// While a filter is typed it lets now this, now nothing through: the comparison must not be lost by that.
TEST(RunSelection, WhatAFilterHidesIsSelectedAgainWhenItLetsItThrough) {
    test::guiApp();
    const kurve::testing::TemporaryFolder folder;
    kurve::testing::writeSyntheticProject(folder.path());
    for (const char* id : {"one", "two", "other"}) {
        auto run = *store::RunWriter::open(folder / "runs" / id);
        run->set("id", id);
        run->set("name", id);
        run->set("state", "completed");
    }
    const store::Project project = *store::Project::open(folder.path());
    RunCatalog catalog(project);
    CommandRegistry commands;
    Playhead playhead;
    Selection selection;
    StudioContext context;
    context.project = &project;
    context.commands = &commands;
    context.playhead = &playhead;
    context.selection = &selection;
    context.catalog = &catalog;
    RunEdits edits(catalog, &project);
    context.services->offer(edits);
    RunsPanel panel(context);
    panel.show();
    auto* table = panel.findChild<QTableView*>("runs.table");
    const auto filter = [&](const char* text, int rows) {
        panel.setFilterText(text);
        return QTest::qWaitFor([&] { return table->model()->rowCount() == rows; }, 30000);
    };
    ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 3; }, 30000));
    selection.setRuns({"one", "other"});
    ASSERT_TRUE(filter("valid", 0));
    EXPECT_EQ(selection.runs(), QStringList({"one", "other"})) << "half typed";
    ASSERT_TRUE(filter("two", 1));
    EXPECT_EQ(selection.runs(), QStringList());
    ASSERT_TRUE(filter("ne", 1));
    EXPECT_EQ(selection.runs(), QStringList({"one"}));
    ASSERT_TRUE(filter("", 3));
    EXPECT_EQ(selection.runs(), QStringList({"one", "other"}));
    ASSERT_TRUE(filter("two", 1));
    selection.setRuns({"two"});
    ASSERT_TRUE(filter("", 3));
    EXPECT_EQ(selection.runs(), QStringList({"two"})) << "what was chosen meanwhile stays";
    selection.setRuns({"one", "late"});  // a training that begins is chosen before it is listed
    ASSERT_TRUE(filter("two", 1));
    EXPECT_EQ(selection.runs(), QStringList({"late"}));
    selection.setRuns({"one"});  // in another view, while the filter hides it
    ASSERT_TRUE(filter("tw", 1));
    EXPECT_EQ(selection.runs(), QStringList({"one"})) << "not unselected by what hid it before";
    selection.setRuns({"one", "late"});
    auto run = *store::RunWriter::open(folder / "runs" / "late");
    run->set("id", "late");
    run->set("name", "late");
    ASSERT_TRUE(filter("", 4));
    EXPECT_EQ(selection.runs(), QStringList({"one", "late"}));

    const auto row = [&](const QString& id) {
        return table->model()->match(table->model()->index(0, 0), RunTableModel::IdRole, id).value(0);
    };
    using Rows = QItemSelectionModel;
    selection.setRuns({"one", "trashed"});
    table->selectionModel()->setCurrentIndex(row("two"), Rows::NoUpdate);
    Q_EMIT catalog.runsChanged();
    EXPECT_EQ(table->currentIndex(), row("two")) << "the list stays where the user is, with each new point";
    selection.setRuns({"trashed"});
    EXPECT_FALSE(table->selectionModel()->hasSelection()) << "Del would trash another run";
    table->selectionModel()->select(row("one"), Rows::ClearAndSelect | Rows::Rows);
    EXPECT_EQ(selection.runs(), QStringList({"one"})) << "also a click on the row that was selected before";
}

}  // namespace
}  // namespace kurve::views
