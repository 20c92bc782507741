// The lists of a run's traces.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QTableView>
#include <utility>

#include "core/trace/trace.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/prompt/traces.h"
#include "views/common/shell/command_registry.h"
#include "views/common/theme/theme.h"
#include "views/prompt/recorded_lists.h"
#include "views/prompt/request_list.h"
#include "views/prompt/trace_table_model.h"

namespace kurve::views {
namespace {

TEST(TraceTableModel, IsAValidItemModel) {
    test::guiApp();
    TraceTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const RunData data = traces();
    model.setRun(&data);
    model.setRun(nullptr);
    model.setRun(&data);
}

TEST(RequestList, ListsRequestedTracesNewestFirst) {
    test::guiApp();
    const testing::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "traces");
    std::vector<store::TraceRow> rows;
    const auto write = [&](const char* name, std::map<std::string, std::string> meta, bool layers,
                           int prompt) {
        trace::Trace made;
        made.steps = made.positions = 1;
        made.tokens = {1};
        made.state = {0};
        made.confidence = made.entropy = made.margin = {0};
        made.topIds.assign(trace::kTopCandidates, 1);
        made.topProbability.assign(trace::kTopCandidates, 0);
        made.t = made.logSnr = {0};
        made.meta = std::move(meta);
        if (layers) made.blocks["hidden/1"] = {{1, 1, 1}, {0}};
        store::TraceRow row;
        row.path = store::RunFile(std::string("traces/") + name);
        ASSERT_TRUE(trace::writeTrace(folder.path() / row.path.text(), made));
        row.prompt = prompt;
        row.step = 100 * static_cast<std::int64_t>(rows.size() + 1);
        row.text = name;
        row.recorded = static_cast<std::int64_t>(rows.size());
        rows.push_back(row);
    };
    write("requested-1.safetensors", {}, false, -1);
    write("fixed.safetensors", {}, false, 0);
    write("requested-2.safetensors", {{"branch_change", "position 2 := lay @17"}}, false, -1);
    write("requested-3.safetensors", {}, true, -1);
    RequestList list;
    list.setRun(folder.path(), rows);
    ASSERT_TRUE(test::waitFor([&] { return list.topLevelItemCount() == 3; }));
    const auto text = [&](int row, int column) { return list.topLevelItem(row)->text(column); };
    EXPECT_EQ(text(0, 1), "layers captured");
    EXPECT_EQ(text(1, 1), "branch: position 2 := lay @17");
    EXPECT_EQ(text(2, 1), "prompt");
    EXPECT_EQ(text(2, 0), "requested-1.safetensors");
    EXPECT_EQ(text(1, 2), "300");
    EXPECT_TRUE(text(0, 3).startsWith("today")) << text(0, 3).toStdString();
    QString file;
    qint64 step = 0;
    QObject::connect(&list, &RequestList::opened, [&](const QString& f, qint64 s) {
        file = f;
        step = s;
    });
    Q_EMIT list.itemClicked(list.topLevelItem(1), 0);
    EXPECT_EQ(file, "traces/requested-2.safetensors");
    EXPECT_EQ(step, 300);
    std::filesystem::remove(folder.path() / "traces/requested-1.safetensors");
    RequestList fresh;
    fresh.setRun(folder.path(), rows);
    EXPECT_TRUE(test::waitFor([&] { return fresh.topLevelItemCount() == 2; }))
        << "a missing file is left out";
}

TEST(RecordedLists, TheCellOfTheShownTraceIsTheCurrentOne) {
    test::guiApp();
    CommandRegistry commands;
    RecordedLists lists(commands);
    const auto* table = lists.findChild<QTableView*>("prompt.recorded");
    const auto current = [&] {
        return std::pair(table->currentIndex().row(), table->currentIndex().column());
    };
    const std::filesystem::path run = "/project/runs/one";
    lists.setShown(run / "traces/200-0.safetensors");  // before the run is read
    const RunData data = traces();
    lists.setRun(&data, run);
    EXPECT_EQ(current(), std::pair(0, 1));
    bool opened = false;
    QObject::connect(&lists, &RecordedLists::opened, [&] { opened = true; });
    lists.setShown(run / "traces/1300-1.safetensors");
    EXPECT_EQ(current(), std::pair(1, 2));
    lists.setShown("/project/runs/two/traces/100-0.safetensors");
    EXPECT_FALSE(table->currentIndex().isValid()) << "of another run";
    EXPECT_FALSE(opened) << "already open";
}

TEST(RecordedLists, ALongPromptEndsInAnEllipsis) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    CommandRegistry commands;
    RecordedLists lists(commands);
    lists.resize(700, 300);
    lists.show();
    auto* names = lists.findChild<QTableView*>("prompt.recorded")->verticalHeader();
    const auto shown = [&](const QString& prompt) {
        RunData data = traces();
        const auto samples = std::exchange(data.samples, {});
        for (auto sample : samples) {
            sample.input = prompt.toStdString();
            data.samples.push_back(sample);
        }
        lists.setRun(&data, {});
        return names->grab().toImage();
    };
    const QString text = QStringLiteral("and he said unto them go up by this way southward");
    const int width = names->width() - px(12);
    EXPECT_EQ(shown(text), shown(QFontMetrics(smallFont()).elidedText(text, Qt::ElideRight, width)));
    EXPECT_NE(shown(text), shown(text.left(30)));
}

TEST(TraceTableModel, RowsArePromptsAndColumnsEvaluations) {
    test::guiApp();
    TraceTableModel model;
    EXPECT_FALSE(model.newest().isValid());
    EXPECT_EQ(model.columnAt(5), -1);
    const RunData data = traces();
    model.setRun(&data);
    ASSERT_EQ(model.rowCount(), 2);
    ASSERT_EQ(model.columnCount(), 3);
    EXPECT_EQ(model.index(0, 0).data().toString(), "abc");
    EXPECT_EQ(model.index(0, 1).data().toString(), "recorded");
    EXPECT_TRUE(model.file(model.index(1, 1)).isEmpty());
    EXPECT_FALSE(model.index(1, 1).flags().testFlag(Qt::ItemIsSelectable));
    EXPECT_EQ(model.file(model.index(1, 2)), "traces/1300-1.safetensors");
    EXPECT_EQ(model.headerData(0, Qt::Vertical, Qt::DisplayRole).toString(), "input of 0");
    EXPECT_EQ(model.newest(), model.index(0, 2));
    EXPECT_EQ(model.columnAt(1299), 1);
    EXPECT_EQ(model.columnAt(1300), 2);
    EXPECT_EQ(model.columnAt(5), 0);
}

TEST(TraceTableModel, UnchangedDataDoesNotReset) {
    test::guiApp();
    TraceTableModel model;
    RunData data = traces();
    model.setRun(&data);
    int resets = 0;
    QObject::connect(&model, &QAbstractItemModel::modelReset, [&] { ++resets; });
    model.setRun(&data);
    EXPECT_EQ(resets, 0);
    data.traces.push_back(traceRow(1400, 0));
    model.setRun(&data);
    EXPECT_EQ(resets, 1);
}

}  // namespace
}  // namespace kurve::views
