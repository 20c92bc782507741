// The run list in groups that fold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QJsonObject>

#include "tests/support/gui_app.h"
#include "tests/support/run_list.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

using kurve::test::listOf;

store::RunSummary run(const std::string& id, const std::string& family, double started) {
    store::RunSummary summary;
    summary.id = summary.name = id;
    summary.family = family;
    summary.experiment = family + ".toml";
    summary.state = "completed";
    summary.started = started;
    return summary;
}

/// Names of the runs, and of the groups in brackets.
std::vector<std::string> rowsOf(const RunFilterModel& filter) {
    std::vector<std::string> rows;
    for (int row = 0; row < filter.rowCount(); ++row) {
        const QModelIndex name = filter.index(row, RunTableModel::Name);
        const std::string text = name.data().toString().toStdString();
        rows.push_back(name.data(RunTableModel::IdRole).isValid() ? text : '[' + text + ']');
    }
    return rows;
}

class RunGroupsTest : public ::testing::Test {
protected:
    RunGroupsTest() : filter_(&model_), table_(&filter_) {
        model_.setRuns(listOf({run("a", "sclm", 1), run("b", "cmlm", 2), run("c", "sclm", 3)}));
        table_.setGrouping(RunGroupBy::Family);
    }
    QApplication& app_ = test::guiApp();
    RunTableModel model_;
    RunFilterModel filter_;
    QAbstractItemModelTester tester_{&model_}, filterTester_{&filter_};
    RunTable table_;
};

TEST_F(RunGroupsTest, EachBeginsWithItsRowInEitherOrder) {
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "b", "[▾ sclm]", "c", "a"));
    EXPECT_EQ(filter_.index(2, RunTableModel::Step).data().toString(), "2") << "its runs";
    table_.sortByColumn(RunTableModel::Started, Qt::AscendingOrder);
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "b", "[▾ sclm]", "a", "c"));
    table_.setGrouping(RunGroupBy::None);
    EXPECT_THAT(rowsOf(filter_), ElementsAre("a", "b", "c"));
}

TEST_F(RunGroupsTest, FoldsItsRunsAndIsItselfNeverSelected) {
    filter_.toggleGroup(filter_.index(2, 0));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "b", "[▸ sclm]"));
    EXPECT_EQ(filter_.matchCount(), 3) << "folded ones match as well";
    table_.selectAll();
    EXPECT_EQ(table_.selectedIds(), QStringList{"b"});
    filter_.toggleGroup(filter_.index(1, 0));  // a run
    filter_.toggleGroup(filter_.index(2, 0));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "b", "[▾ sclm]", "c", "a"));
}

TEST_F(RunGroupsTest, IsThereWhileAFilterAcceptsARunOfIt) {
    filter_.toggleGroup(filter_.index(2, 0));
    ASSERT_TRUE(filter_.setExpression("family:sclm"));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▸ sclm]"));
    ASSERT_TRUE(filter_.setExpression("family:cmlm"));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "b"));
    model_.setRuns(listOf({run("a", "sclm", 1), run("b", "sclm", 2), run("c", "cmlm", 3)}));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "c")) << "another run is of that family now";
    model_.setRuns(listOf({run("a", "sclm", 1), run("d", "cmlm", 2), run("e", "mdlm", 3)}));
    ASSERT_TRUE(filter_.setExpression(""));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "d", "[▾ mdlm]", "e", "[▸ sclm]"));
}

TEST_F(RunGroupsTest, CountsTheRunsThatAreListed) {
    store::RunSummary trashed = run("c", "sclm", 3);
    trashed.trashed = true;
    model_.setRuns(listOf({run("a", "sclm", 1), run("b", "cmlm", 2), trashed}));
    const auto count = [&](int row) { return filter_.index(row, RunTableModel::Step).data().toString(); };
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ cmlm]", "b", "[▾ sclm]", "a"));
    EXPECT_EQ(count(2), "1");
    model_.setRuns(listOf({run("a", "sclm", 1), run("b", "cmlm", 2), run("c", "sclm", 3)}));
    EXPECT_EQ(count(2), "2");
    filter_.setTrashShown(true);
    EXPECT_EQ(filter_.rowCount(), 0);
    model_.setRuns(listOf({run("a", "sclm", 1), run("b", "cmlm", 2), trashed}));
    EXPECT_THAT(rowsOf(filter_), ElementsAre("[▾ sclm]", "c"));
    EXPECT_EQ(count(0), "1");
    EXPECT_EQ(filter_.matchCount(), 1);
}

TEST_F(RunGroupsTest, SurvivesTheSession) {
    filter_.toggleGroup(filter_.index(0, 0));
    RunTableModel model;
    RunFilterModel filter(&model);
    RunTable table(&filter);
    table.restoreColumns(table_.columns());
    model.setRuns(listOf({run("a", "sclm", 1), run("b", "cmlm", 2)}));
    EXPECT_THAT(rowsOf(filter), ElementsAre("[▸ cmlm]", "[▾ sclm]", "a"));
}

TEST(RunGroups, ASweepIsNamedAfterWhatItVaries) {
    const auto trained = [](const std::string& id, const char* lr, bool seeded) {
        store::RunSummary summary = run(id, "sclm", 1);
        summary.settings = {{"train.lr", lr}, {"model.hidden", "64"}};
        if (seeded) summary.settings["seed"] = "2";
        return summary;
    };
    const auto a = trained("a", "0.1", false), b = trained("b", "0.2", false), c = trained("c", "0.1", true);
    const auto groups = groupsOf({&a, &b, &c}, RunGroupBy::Sweep);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_TRUE(groups[0].title == "sclm" || groups[1].title == "sclm") << "one run varies nothing";
    const RunGroup& sweep = groups[groups[0].title == "sclm" ? 1 : 0];
    EXPECT_TRUE(sweep.title.startsWith("sclm: ")) << sweep.title.toStdString();
    EXPECT_FALSE(sweep.title.contains("hidden")) << sweep.title.toStdString();
}

TEST(RunGroups, TagsMakeAGroupTogetherAndUntaggedRunsAnother) {
    store::RunSummary both = run("a", "sclm", 1), none = run("b", "sclm", 2);
    both.tags = {"paper", "seed 1"};
    const auto groups = groupsOf({&both, &none}, RunGroupBy::Tag);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].title, "no tag");
    EXPECT_EQ(groups[1].title, "paper, seed 1");
    for (int i = 0; i < kRunGroupBys; ++i)
        EXPECT_EQ(groupingOf(groupingId(static_cast<RunGroupBy>(i))), static_cast<RunGroupBy>(i));
}

}  // namespace
}  // namespace kurve::views
