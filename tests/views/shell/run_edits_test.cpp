// What is done to runs of the list, where it cannot be written.
#include <gtest/gtest.h>

#include <QTest>

#include "core/store/detail/sqlite.h"
#include "core/store/run_writer.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/run_catalog.h"
#include "views/runs/run_edits.h"

namespace kurve::views {
namespace {

TEST(RunEditsTest, WhatCannotBeWrittenIsSaidAndIsNoEdit) {
    test::guiApp();
    const kurve::testing::TemporaryFolder folder;
    kurve::testing::writeSyntheticProject(folder.path());
    const auto project = *store::Project::open(folder.path());
    for (const char* id : {"one", "two"}) {
        auto run = *store::RunWriter::open(folder / "runs" / id);
        run->set("name", id);
        run->set("state", "completed");
    }
    RunCatalog catalog(project);
    RunEdits edits(catalog, &project);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 2 && catalog.complete(); }, 30000));
    const auto starred = [&](const char* id) { return catalog.run(id)->starred; };
    edits.star({"one"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return starred("one"); }, 30000));
    store::detail::Database other(folder / "index.db", store::detail::Access::Write);
    other.execute("CREATE TRIGGER full BEFORE UPDATE ON marks BEGIN SELECT RAISE(FAIL, 'no room'); END");
    QString said;
    QObject::connect(&edits, &RunEdits::said, [&](const QString& text) { said = text; });
    const auto fails = [&](const auto& deed) {
        said.clear();
        deed();
        return QTest::qWaitFor([&] { return said.contains("no room"); }, 30000);
    };
    EXPECT_TRUE(fails([&] { edits.trash({"one", "two"}, true); }));
    EXPECT_TRUE(QTest::qWaitFor([&] { return edits.undoText() == "star of “one”"; }, 30000))
        << edits.undoText().toStdString();
    EXPECT_EQ(edits.redoText(), "") << "it never was";
    EXPECT_TRUE(fails([&] { edits.undo(); }));
    EXPECT_EQ(edits.undoText(), "star of “one”") << "it still is";
    EXPECT_EQ(edits.redoText(), "");
    other.execute("DROP TRIGGER full");
    edits.undo();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !starred("one"); }, 30000));
    EXPECT_EQ(edits.redoText(), "star of “one”");
}

}  // namespace
}  // namespace kurve::views
