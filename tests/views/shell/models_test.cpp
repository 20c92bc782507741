// Item models of the frame's panels under Qt's own model tester.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QIcon>
#include <QSignalSpy>
#include <QTextDocument>
#include <QWidget>
#include <cmath>

#include "tests/support/gui_app.h"
#include "tests/support/run_list.h"
#include "views/common/shell/command_registry.h"
#include "views/common/text/format.h"
#include "views/common/text/word_diff.h"
#include "views/common/theme/theme.h"
#include "views/monitor/event_log_model.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"
#include "views/samples/sample_table_model.h"

namespace kurve::views {
namespace {

using kurve::test::listOf;

using Mode = QAbstractItemModelTester::FailureReportingMode;

/// QAbstractItemModelTester reports through warnings: any of them fails the test.
class ModelsTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        warnings() = 0;
        before_ = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
            if (type == QtWarningMsg && text.contains("FAIL")) {
                ++warnings();
                fprintf(stderr, "%s\n", qPrintable(text));
            }
        });
    }
    void TearDown() override {
        qInstallMessageHandler(before_);
        EXPECT_EQ(warnings(), 0);
    }
    static int& warnings() {
        static int count = 0;
        return count;
    }
    QtMessageHandler before_ = nullptr;
};

store::RunSummary run(const std::string& id, double bleu) {
    store::RunSummary summary;
    summary.id = id;
    summary.name = "name of " + id;
    summary.family = "toy";
    summary.state = "completed";
    summary.step = 100;
    summary.metrics = {{"valid_bleu", bleu}, {"loss", 1.5}};
    return summary;
}

TEST_F(ModelsTest, ARunsIconIsMadeOnceAndFollowsItsStyle) {
    applyTheme(ThemeMode::Light, 1.0);
    RunTableModel model;
    model.setRuns(listOf({run("a", 1), run("b", 2)}));
    const auto icon = [&](int row) {
        return model.index(row, RunTableModel::Name).data(Qt::DecorationRole).value<QIcon>();
    };
    const auto first = icon(0).cacheKey();
    EXPECT_EQ(icon(0).cacheKey(), first) << "each new one stays in Qt's cache";
    EXPECT_NE(icon(1).cacheKey(), first) << "another run, another colour";
    model.setHidden({"b"});
    const auto ring = icon(1).cacheKey();
    EXPECT_EQ(icon(1).cacheKey(), ring);
    EXPECT_NE(ring, first);
    applyTheme(ThemeMode::Light, 2.0);
    EXPECT_NE(icon(0).cacheKey(), first) << "another size";
    applyTheme(ThemeMode::Light, 1.0);
    EXPECT_EQ(icon(0).cacheKey(), first);
}

TEST_F(ModelsTest, RunTableGrowsChangesAndResets) {
    RunTableModel model;
    QAbstractItemModelTester tester(&model, Mode::Warning);
    model.setRuns(listOf({run("a", 10)}));
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted),
        reset(&model, &QAbstractItemModel::modelReset), changed(&model, &QAbstractItemModel::dataChanged);
    model.setRuns(listOf({run("a", 12), run("b", 20)}));
    EXPECT_EQ(inserted.count(), 1) << "a new run is inserted: selection and scroll position stay";
    EXPECT_EQ(reset.count(), 0);
    EXPECT_GE(changed.count(), 1);
    EXPECT_EQ(model.rowOf("b"), 1);
    model.setRuns(listOf({run("b", 20), run("a", 12)}));
    EXPECT_EQ(reset.count(), 1) << "another order";
    EXPECT_EQ(model.rowOf("a"), 1);
    model.setRuns(listOf({}));
    EXPECT_EQ(model.rowCount(), 0);
}

TEST_F(ModelsTest, InsertedAndRemovedRunsKeepSelectionAndScrollPosition) {
    RunTableModel model;
    RunFilterModel filter(&model);
    QAbstractItemModelTester tester(&model, Mode::Warning), filtered(&filter, Mode::Warning);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setRuns(listOf({run("d", 4), run("e", 5), run("g", 7)}));
    model.setBaseline("g");
    RunTable table(&filter);
    table.sortByColumn(model.columnOf("delta:valid_bleu"), Qt::DescendingOrder);
    reset.clear();
    table.select({"e"});
    model.setRuns(
        listOf({run("a", 1), run("b", 2), run("c", 3), run("d", 4), run("e", 5), run("f", 6), run("g", 8)}));
    EXPECT_EQ(table.selectedIds(), QStringList{"e"}) << "older ones, and one in between";
    EXPECT_EQ(model.rowOf("e"), 4);
    EXPECT_EQ(filter.index(0, RunTableModel::Name).data(RunTableModel::IdRole), "g");
    EXPECT_EQ(filter.index(6, model.columnOf("delta:valid_bleu")).data(RunTableModel::SortRole), -7);
    model.setRuns(listOf({run("b", 2), run("e", 5), run("g", 8)}));
    EXPECT_EQ(table.selectedIds(), QStringList{"e"});
    EXPECT_EQ(model.rowOf("g"), 2);
    EXPECT_EQ(model.rowOf("f"), -1);
    EXPECT_EQ(filter.rowCount(), 3);
    EXPECT_EQ(reset.count(), 0);
}

TEST_F(ModelsTest, ReportsOnlyChangedRowsUnlessTheBaselineChanges) {
    RunTableModel model;
    const auto withExtremes = [](const std::string& id, double bleu) {
        store::RunSummary summary = run(id, bleu);
        summary.extremes = std::make_shared<const store::RunExtremes>();  // read anew: equal, not the same
        return summary;
    };
    model.setRuns(listOf({withExtremes("a", 10), withExtremes("b", 20), withExtremes("c", 30)}));
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setRuns(listOf({withExtremes("a", 10), withExtremes("b", 20), withExtremes("c", 30)}));
    EXPECT_EQ(changed.count(), 0);
    model.setRuns(listOf({withExtremes("a", 10), withExtremes("b", 21), withExtremes("c", 30)}));
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(changed[0][0].toModelIndex().row(), 1);
    EXPECT_EQ(changed[0][1].toModelIndex(), model.index(1, model.columnCount() - 1));
    model.setBaseline("c");
    changed.clear();
    model.setRuns(listOf({withExtremes("a", 10), withExtremes("b", 21), withExtremes("c", 31)}));
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(changed[0][0].toModelIndex().row(), 0) << "every delta changes";
    EXPECT_EQ(changed[0][1].toModelIndex().row(), 2);
}

TEST_F(ModelsTest, RenamingRequestsTheCatalog) {
    RunTableModel model;
    model.setRuns(listOf({run("a", 10)}));
    QSignalSpy requested(&model, &RunTableModel::renameRequested);
    const QModelIndex name = model.index(0, RunTableModel::Name);
    EXPECT_TRUE(model.setData(name, " better ", Qt::EditRole));
    EXPECT_EQ(requested.first().at(1).toString(), "better");
    EXPECT_FALSE(model.setData(name, "  ", Qt::EditRole));
    EXPECT_FALSE(model.setData(model.index(0, RunTableModel::Step), "5", Qt::EditRole));
}

TEST_F(ModelsTest, FilterShowsMatchesAndHidesTheTrash) {
    RunTableModel model;
    RunFilterModel filter(&model);
    QAbstractItemModelTester tester(&filter, Mode::Warning);
    store::RunSummary trashed = run("c", 90);
    trashed.trashed = true;
    model.setRuns(listOf({run("a", 10), run("b", 50), trashed}));
    EXPECT_EQ(filter.rowCount(), 2);
    ASSERT_TRUE(filter.setExpression("valid_bleu>40"));
    EXPECT_EQ(filter.rowCount(), 1);
    EXPECT_FALSE(filter.setExpression("valid_bleu>"));
    EXPECT_EQ(filter.rowCount(), 1) << "a broken filter leaves the former one in force";
    ASSERT_TRUE(filter.setExpression(""));
    filter.setTrashShown(true);
    EXPECT_EQ(filter.rowCount(), 1);
}

TEST_F(ModelsTest, NumbersSortAsNumbers) {
    RunTableModel model;
    RunFilterModel filter(&model);
    model.setRuns(listOf({run("a", 9), run("b", 10), run("c", 100)}));
    filter.sort(RunTableModel::FirstChosen, Qt::DescendingOrder);
    EXPECT_EQ(filter.index(0, 0).data(RunTableModel::IdRole).toString(),
              model.chosenColumns()[0].key == "valid_bleu" ? "c" : "a");
}

TEST_F(ModelsTest, LogAppendsInOrderOfTimeAndFindsSteps) {
    EventLogModel model;
    QAbstractItemModelTester tester(&model, Mode::Warning);
    model.setRows({{1, 0, 100.0, "info", "start"}, {2, 50, 300.0, "info", "later"}},
                  {{1, 20, 200.0, "pause", "by the user"}});
    EXPECT_EQ(model.index(1, EventLogModel::Kind).data().toString(), "pause");
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    model.setRows(
        {{1, 0, 100.0, "info", "start"}, {2, 50, 300.0, "info", "later"}, {3, 60, 400.0, "error", "x"}},
        {{1, 20, 200.0, "pause", "by the user"}});
    EXPECT_EQ(inserted.count(), 1);
    EXPECT_EQ(model.rowAtStep(30), 1);
    EXPECT_EQ(model.rowAtStep(1000), 3);
    model.clear();
    EXPECT_EQ(model.rowAtStep(5), -1);
}

TEST_F(ModelsTest, SamplesMarkWhatDiffersFromTheReference) {
    SampleTableModel model;
    QAbstractItemModelTester tester(&model, Mode::Warning);
    model.setRows({{100, 0, "a b", "A b b.", "A b.", 0, "traces/x.safetensors"}});
    EXPECT_EQ(model.index(0, 0).data(SampleTableModel::TraceRole).toString(), "traces/x.safetensors");
    EXPECT_TRUE(model.index(0, 1).data(SampleTableModel::HtmlRole).toString().contains("<span"));
    model.setRows({{200, 0, "a b", "A b.", "A b.", 0, {}}});
    EXPECT_EQ(model.index(0, 1).data(SampleTableModel::HtmlRole).toString(), "A b.");
}

std::string plain(const std::vector<DiffPart>& parts) {
    std::string text;
    for (const auto& part : parts)
        text += (part.kind == DiffPart::Kind::Added     ? "+"
                 : part.kind == DiffPart::Kind::Removed ? "-"
                                                        : "=") +
                part.text.toStdString() + "|";
    return text;
}

TEST(WordDiffTest, IsTheShortestEditByWords) {
    EXPECT_EQ(plain(wordDiff("the cat sat", "the cat sat")), "=the cat sat|");
    EXPECT_EQ(plain(wordDiff("the cat sat", "the dog sat")), "=the|-cat|+dog|=sat|");
    EXPECT_EQ(plain(wordDiff("", "new words")), "+new words|");
    EXPECT_EQ(plain(wordDiff("He went up", "He went to to up")), "=He went|+to to|=up|");
    EXPECT_TRUE(wordDiff("", "").empty());
    EXPECT_FALSE(diffHtml("a", "<b>").contains("<b>")) << "texts are escaped";
}

TEST(FormatTest, ATooltipShowsThePlainText) {
    for (const char* text : {"the <s> cat", "<b>a</b> & b\n→ c", "a < b", "two\nlines"}) {
        const QString tip = plainTip(QString::fromUtf8(text));
        QTextDocument read;  // as a tooltip renders it
        Qt::mightBeRichText(tip) ? read.setHtml(tip) : read.setPlainText(tip);
        EXPECT_EQ(read.toPlainText().toStdString(), text);
    }
}

TEST(FormatTest, NumbersReadWell) {
    EXPECT_EQ(numberText(std::nan("")), "NaN");
    EXPECT_EQ(numberText(-INFINITY), QString::fromUtf8("−∞"));
    EXPECT_EQ(numberText(0.00012345), "0.0001234");
    EXPECT_EQ(countText(1234567), QString::fromUtf8("1\u2009234\u2009567"));
    EXPECT_EQ(countText(-123), "-123");
    EXPECT_EQ(durationText(42), "0:42");
    EXPECT_EQ(durationText(725), "12:05");
    EXPECT_EQ(durationText(11220), "3 h 07 min");
    EXPECT_EQ(bytesText(410e6), "410 MB");
}

TEST(RegistryTest, ScopedKeysBelongToTheirWidget) {
    test::guiApp();
    QWidget window, view;
    CommandRegistry commands;
    bool ran = false;
    commands.add({"a", "A", "Run", QKeySequence(Qt::Key_F5), "does a"}, [&] { ran = true; });
    commands.add(
        {"b", "B", "View", QKeySequence(Qt::Key_B), "does b"}, [] {}, &view);
    commands.setWindow(&window);
    EXPECT_EQ(commands.action("a")->shortcutContext(), Qt::WindowShortcut);
    EXPECT_EQ(commands.action("b")->shortcutContext(), Qt::WidgetWithChildrenShortcut);
    EXPECT_TRUE(window.actions().contains(commands.action("a")));
    EXPECT_FALSE(window.actions().contains(commands.action("b")));
    commands.action("a")->trigger();
    EXPECT_TRUE(ran);
    EXPECT_EQ(commands.action("none"), nullptr);
}

}  // namespace
}  // namespace kurve::views
