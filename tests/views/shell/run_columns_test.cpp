// Columns of the run list: defaults, any metric and setting, differences from a baseline, and the session.
#include "views/runs/run_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QJsonObject>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/gui_app.h"
#include "tests/support/run_list.h"
#include "views/common/form/choice_list.h"
#include "views/common/table/view_table.h"
#include "views/common/theme/theme.h"
#include "views/runs/column_chooser.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {
namespace {

using kurve::test::listOf;

using ::testing::ElementsAre;
using Kind = RunColumn::Kind;

EngineInfo engine() {
    Schema schema{"toy", "Toy", "", {}, {}};
    schema.fields = {integerField("model.width", 128, "width of the model"),
                     realField("train.lr", 0.001, "peak learning rate"),
                     textField("data.train", "train.tsv", "the pairs")};
    schema.presets = {{"tiny", "small", {{"model.width", std::int64_t{64}}}}};
    return *EngineInfo::fromJson(
        {{"families", {toJson(schema)}},
         {"metrics",
          {{{"id", "valid_bleu"}, {"title", "BLEU"}, {"better", "higher"}, {"doc", "overlap"}},
           {{"id", "loss"}, {"title", "Loss"}, {"better", "lower"}}}}});
}

store::RunSummary run(const std::string& id, std::map<std::string, double> metrics,
                      std::map<std::string, std::string> settings = {}) {
    store::RunSummary summary;
    summary.id = id;
    summary.name = "name of " + id;
    summary.family = "toy";
    summary.state = "completed";
    summary.started = 1e9 + static_cast<double>(id.back());
    summary.metrics = std::move(metrics);
    summary.settings = std::move(settings);
    return summary;
}

class RunColumnsTest : public ::testing::Test {
protected:
    void SetUp() override {
        applyTheme(ThemeMode::Light, 1.0);
        model_.setEngine(&engine_);
    }
    QString cell(int row, const char* column) {
        return table_.model()->index(row, model_.columnOf(QLatin1String(column))).data().toString();
    }
    QStringList order(const char* column, Qt::SortOrder order) {
        table_.sortByColumn(model_.columnOf(QLatin1String(column)), order);
        QStringList ids;
        for (int row = 0; row < filter_.rowCount(); ++row)
            ids << filter_.index(row, 0).data(RunTableModel::IdRole).toString();
        return ids;
    }
    QStringList shown() {
        QStringList ids;
        for (const QString& id : table_.columnIds())
            if (table_.isShown(id)) ids << id;
        return ids;
    }

    QApplication& app_ = test::guiApp();  // before the first widget
    EngineInfo engine_ = engine();
    RunTableModel model_;
    RunFilterModel filter_{&model_};
    RunTable table_{&filter_};
};

TEST_F(RunColumnsTest, AnyMetricAndAnySettingCanBeAColumn) {
    QAbstractItemModelTester tester(&filter_, QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::map<std::string, double> metrics{{"zz_last", 3.5}};
    for (int i = 0; i < 40; ++i) metrics["metric_" + std::to_string(i)] = i;
    model_.setRuns(listOf(
        {run("a", metrics, {{"train.lr", "0.01"}}), run("b", {}, {{"preset", "tiny"}}), run("c", {})}));
    EXPECT_EQ(model_.columnOf("metric:zz_last"), -1);
    EXPECT_EQ(model_.chosenColumns().size(), 1) << "the default";
    model_.chooseColumns(std::vector<RunColumn>{
        {Kind::Metric, "zz_last"}, {Kind::Setting, "train.lr"}, {Kind::Setting, "model.width"}});
    EXPECT_EQ(model_.columnCount(), RunTableModel::FirstChosen + 3);
    table_.sortByColumn(RunTableModel::Name, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, "metric:zz_last"), "3.5");
    EXPECT_EQ(cell(0, "setting:train.lr"), "0.01");
    EXPECT_EQ(cell(2, "setting:train.lr"), "0.001") << "not changed: the family's default";
    EXPECT_EQ(cell(1, "setting:model.width"), "64") << "of its preset";
    ASSERT_TRUE(filter_.setExpression("width=64"));
    EXPECT_EQ(filter_.matchCount(), 1);
    ASSERT_TRUE(filter_.setExpression(""));
    EXPECT_EQ(cell(2, "setting:model.width"), "128");
    const QModelIndex unchanged = filter_.index(2, model_.columnOf("setting:train.lr"));
    EXPECT_THAT(unchanged.data(Qt::AccessibleTextRole).toString().toStdString(),
                ::testing::HasSubstr("default"));
    model_.chooseColumns(std::nullopt);
    EXPECT_EQ(model_.chosenColumns().size(), 1);
}

TEST_F(RunColumnsTest, AMachineColumnAppearsWithTheFirstRunOfAnotherMachine) {
    auto far = run("b", {{"valid_bleu", 40}}), lost = run("c", {});
    model_.setRuns(listOf({run("a", {{"valid_bleu", 41}})}));
    EXPECT_EQ(model_.columnOf("setting:machine"), -1);
    far.machine = lost.machine = "gpu";
    lost.state = "running";
    model_.setRuns(listOf({run("a", {{"valid_bleu", 41}}), far, lost}));
    table_.sortByColumn(RunTableModel::Name, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, "setting:machine"), "");
    EXPECT_EQ(cell(1, "setting:machine"), "gpu");
    EXPECT_EQ(order("setting:machine", Qt::DescendingOrder).last(), "a");
    table_.sortByColumn(RunTableModel::Name, Qt::AscendingOrder);
    ASSERT_TRUE(filter_.setExpression("machine:gpu"));
    EXPECT_EQ(filter_.rowCount(), 2);
    ASSERT_TRUE(filter_.setExpression(""));
    const QDateTime since(QDate::currentDate(), QTime(14, 3));
    model_.setLostSince({{"c", static_cast<double>(since.toSecsSinceEpoch())}});
    EXPECT_EQ(cell(2, "state"), "? lost contact since today 14:03");
    model_.setLostSince({});
    EXPECT_EQ(cell(2, "state"), "▶ running");
    model_.setBaseline("a");
    EXPECT_NE(model_.columnOf("delta:valid_bleu"), -1);
    EXPECT_EQ(model_.columnOf("delta:machine"), -1);
}

TEST_F(RunColumnsTest, AnUnknownMetricIsBetterOrWorseOnlyWhereItsNameTells) {
    model_.setRuns(listOf({run("a", {{"eval/bleu", 40}, {"valid_accuracy", 0.5}, {"eval_loss", 2}}),
                           run("b", {{"eval/bleu", 41}, {"valid_accuracy", 0.6}, {"eval_loss", 3}})}));
    model_.chooseColumns(std::vector<RunColumn>{
        {Kind::Metric, "eval/bleu"}, {Kind::Metric, "valid_accuracy"}, {Kind::Metric, "eval_loss"}});
    model_.setBaseline("a");
    table_.sortByColumn(RunTableModel::Name, Qt::AscendingOrder);
    const auto color = [&](const char* column) {
        return filter_.index(1, model_.columnOf(QLatin1String(column)))
            .data(Qt::ForegroundRole)
            .value<QColor>();
    };
    EXPECT_EQ(color("delta:eval/bleu"), theme().good);
    EXPECT_EQ(color("delta:valid_accuracy"), theme().muted);
    EXPECT_EQ(color("delta:eval_loss"), theme().bad);
}

TEST_F(RunColumnsTest, DeltasFromTheBaselineStandBesideTheMetrics) {
    model_.setRuns(listOf({run("a", {{"valid_bleu", 40}, {"loss", 2}, {"lr", 0.1}}),
                           run("b", {{"valid_bleu", 41.5}, {"loss", 2.25}, {"lr", 0.2}}),
                           run("c", {{"valid_bleu", 40}, {"loss", NAN}}), run("d", {})}));
    model_.chooseColumns(
        std::vector<RunColumn>{{Kind::Metric, "valid_bleu"}, {Kind::Metric, "loss"}, {Kind::Metric, "lr"}});
    model_.setBaseline("a");
    table_.sortByColumn(RunTableModel::Name, Qt::AscendingOrder);
    const QStringList ids = table_.columnIds();
    EXPECT_EQ(ids.indexOf("delta:valid_bleu"), ids.indexOf("metric:valid_bleu") + 1);
    EXPECT_EQ(cell(0, "delta:valid_bleu"), "baseline");
    EXPECT_EQ(cell(1, "delta:valid_bleu"), QStringLiteral("▲ +1.5"));
    EXPECT_EQ(cell(1, "delta:loss"), QStringLiteral("▲ +0.25"));
    EXPECT_EQ(cell(2, "delta:valid_bleu"), "=");
    EXPECT_EQ(cell(2, "delta:loss"), "NaN");
    EXPECT_EQ(cell(3, "delta:loss"), "");
    const auto at = [&](int row, const char* column) {
        return filter_.index(row, model_.columnOf(QLatin1String(column)));
    };
    EXPECT_EQ(at(1, "delta:valid_bleu").data(Qt::ForegroundRole).value<QColor>(), theme().good);
    EXPECT_EQ(at(1, "delta:loss").data(Qt::ForegroundRole).value<QColor>(), theme().bad) << "lower is better";
    EXPECT_EQ(at(1, "delta:lr").data(Qt::ForegroundRole).value<QColor>(), theme().muted)
        << "neither is better";
    EXPECT_THAT(at(1, "delta:loss").data(Qt::AccessibleTextRole).toString().toStdString(),
                ::testing::HasSubstr("worse"));
    EXPECT_THAT(order("delta:valid_bleu", Qt::DescendingOrder).mid(0, 1), ElementsAre("b"));
    model_.setBaseline({});
    EXPECT_EQ(model_.columnOf("delta:valid_bleu"), -1);
}

TEST_F(RunColumnsTest, TheBestOfACurveIsTheValueAndTheTooltipHasTheStep) {
    std::vector<store::RunSummary> runs{run("a1", {{"valid_bleu", 20}}), run("a2", {{"valid_bleu", 30}}),
                                        run("a3", {{"valid_bleu", 25}})};
    double best = 40;
    for (auto& one : runs) {
        if (one.id == "a3") continue;  // has no extremes yet
        auto extremes = std::make_shared<store::RunExtremes>();
        extremes->metrics = {
            {.metric = "valid_bleu", .low = 1, .high = best, .lowStep = 10, .highStep = 500}};
        one.extremes = extremes;
        best -= 5;
    }
    const EngineInfo info = engine();
    RunColumnValues values;
    values.setEngine(&info);
    const auto column = RunColumn::fromId("max:valid_bleu");
    ASSERT_TRUE(column);
    EXPECT_EQ(column->id(), "max:valid_bleu");
    EXPECT_EQ(column->title(), "max.valid_bleu") << "its name in filters";
    EXPECT_EQ(values.text(runs[0], *column), "40");
    EXPECT_EQ(values.remark(runs[0], *column), "first reached at step 500");
    EXPECT_EQ(values.text(runs[2], *column), "");
    EXPECT_EQ(values.sortKey(runs[0], *column).toDouble(), 40);
    EXPECT_EQ(values.sortKey(runs[1], *column).toDouble(), 35);
    EXPECT_FALSE(values.sortKey(runs[2], *column).isValid());
    EXPECT_EQ(values.text(runs[1], {Kind::Lowest, "valid_bleu"}), "1");
    RunKeys keys;
    keys.add(runs[2]);
    EXPECT_TRUE(keys.curves().empty());
    for (const auto& run : runs) keys.add(run);
    EXPECT_THAT(keys.curves(), ElementsAre("valid_bleu"));
}

TEST_F(RunColumnsTest, TheDefaultColumnsFitTheListAndEndWithTheBestScore) {
    auto extremes = std::make_shared<store::RunExtremes>();
    extremes->metrics = {{.metric = "loss", .low = 1, .high = 9, .lowStep = 900, .highStep = 10},
                         {.metric = "valid_bleu", .low = 1, .high = 40, .lowStep = 10, .highStep = 500}};
    auto bleu = run("a", {{"loss", 2}, {"valid_bleu", 39}}), loss = run("b", {{"loss", 2}});
    bleu.name = loss.name = std::string(60, 'w');
    bleu.extremes = loss.extremes = extremes;
    model_.setRuns(listOf({bleu}));
    table_.resize(340, 240);
    table_.show();
    table_.fitColumns();
    EXPECT_THAT(shown(), ElementsAre("name", "state", "step", "max:valid_bleu"));
    EXPECT_EQ(table_.horizontalScrollBar()->maximum(), 0);
    model_.setBaseline("a");
    EXPECT_THAT(shown(), ElementsAre("name", "state", "step", "max:valid_bleu", "metric:valid_bleu",
                                     "delta:valid_bleu"))
        << "the difference is of the last values";
    RunKeys keys;
    auto onlyLoss = std::make_shared<store::RunExtremes>();
    onlyLoss->metrics = {extremes->metrics[0]};
    loss.extremes = onlyLoss;
    keys.add(loss);
    EXPECT_THAT(defaultColumns(keys), ElementsAre(RunColumn{Kind::Lowest, "loss"}));
}

TEST_F(RunColumnsTest, MissingValuesAreLastInEitherOrder) {
    model_.setRuns(listOf({run("a", {}), run("b", {{"loss", 2}}), run("c", {{"loss", NAN}}),
                           run("d", {{"loss", -3}}), run("e", {{"loss", 10}})}));
    EXPECT_THAT(order("metric:loss", Qt::AscendingOrder).mid(0, 3), ElementsAre("d", "b", "e"));
    EXPECT_THAT(order("metric:loss", Qt::DescendingOrder).mid(0, 3), ElementsAre("e", "b", "d"));
}

TEST_F(RunColumnsTest, NumbersAmongTextsSortAsNumbers) {
    model_.setRuns(listOf({run("a", {}, {{"data.train", "b.tsv"}}), run("b", {}, {{"data.train", "9"}}),
                           run("c", {}, {{"data.train", "10"}}), run("d", {}, {{"data.train", "a.tsv"}})}));
    model_.chooseColumns(std::vector<RunColumn>{{Kind::Setting, "data.train"}});
    EXPECT_THAT(order("setting:data.train", Qt::AscendingOrder), ElementsAre("b", "c", "d", "a"));
}

// Once for each of them takes a quarter of a second for a thousand runs.
TEST_F(RunColumnsTest, ReinsertedNamesAreMeasuredOnce) {
    std::vector<store::RunSummary> runs;
    for (const char* id : {"a", "b", "c", "d", "e"}) runs.push_back(run(id, {}));
    runs[1].name = std::string(30, 'w');
    runs[3].name = std::string(60, 'w');
    model_.setRuns(listOf(runs));
    table_.resize(px(1600), px(300));
    table_.show();
    ASSERT_TRUE(filter_.setExpression("name"));
    ASSERT_EQ(filter_.rowCount(), 3);
    table_.fitColumns();
    const int before = table_.columnWidth(RunTableModel::Name);
    int fitted = 0;
    QObject::connect(table_.horizontalHeader(), &QHeaderView::sectionResized, &table_,
                     [&](int column) { fitted += column == RunTableModel::Name; });
    ASSERT_TRUE(filter_.setExpression(""));
    ASSERT_EQ(filter_.rowCount(), 5);
    EXPECT_TRUE(QTest::qWaitFor([&] { return fitted > 0; }, 30000));
    EXPECT_EQ(fitted, 1);
    EXPECT_GT(table_.columnWidth(RunTableModel::Name), before);
}

TEST_F(RunColumnsTest, OrderWidthsSortingAndChoiceAreRestored) {
    const std::vector<store::RunSummary> runs{run("a", {{"valid_bleu", 1}, {"loss", 2}, {"other", 3}})};
    model_.setRuns(listOf(runs));
    table_.fitColumns();
    model_.chooseColumns(std::vector<RunColumn>{{Kind::Metric, "loss"}, {Kind::Metric, "other"}});
    QHeaderView* header = table_.horizontalHeader();
    model_.setBaseline("a");
    header->moveSection(header->visualIndex(model_.columnOf("metric:other")), 2);  // as a drag does
    EXPECT_THAT(table_.columnIds().mid(0, 4), ElementsAre("star", "name", "metric:other", "delta:other"))
        << "a delta moves with its metric";
    header->resizeSection(model_.columnOf("metric:other"), 93);
    table_.showColumn("family", false);
    table_.sortByColumn(model_.columnOf("metric:other"), Qt::AscendingOrder);
    const QStringList before = shown();
    const QJsonObject saved = table_.columns();

    RunTableModel model;
    RunFilterModel filter(&model);
    RunTable again(&filter);
    again.restoreColumns(saved);  // before the runs have been read
    model.setRuns(listOf(runs));
    model.setBaseline("a");
    again.fitColumns();
    QStringList after;
    for (const QString& id : again.columnIds())
        if (again.isShown(id)) after << id;
    EXPECT_EQ(after, before);
    EXPECT_EQ(again.columnWidth(model.columnOf("metric:other")), 93);
    EXPECT_EQ(again.horizontalHeader()->sortIndicatorSection(), model.columnOf("metric:other"));
    EXPECT_EQ(again.horizontalHeader()->sortIndicatorOrder(), Qt::AscendingOrder);
    EXPECT_EQ(again.columns(), saved);
}

TEST_F(RunColumnsTest, TheChooserFindsOneOfThousandsAndTogglesIt) {
    std::map<std::string, double> metrics;
    for (int i = 0; i < 12000; ++i) metrics["grad/layer" + std::to_string(i)] = i;
    model_.setRuns(listOf({run("a", metrics)}));
    ColumnChooser chooser(&model_, &table_);
    chooser.setEngine(&engine_);
    EXPECT_EQ(model_.columnCount(), RunTableModel::FirstChosen + 1) << "only shown metrics are columns";
    chooser.open();
    ChoiceList* list = chooser.list();
    EXPECT_EQ(list->shownCount(), 12000 + 3 + 5) << "metrics, settings of the family, fixed columns";
    list->search()->setText("LAYER1199 grad");
    EXPECT_EQ(list->shownCount(), 11) << "layer1199 and layer11990 to layer11999";
    QTest::keyClick(list->search(), Qt::Key_Down);
    QTest::keyClick(list->search(), Qt::Key_Return);
    EXPECT_GE(model_.columnOf("metric:grad/layer11990"), 0);
    EXPECT_TRUE(list->isVisible()) << "one may want several";
    QTest::keyClick(list->search(), Qt::Key_Return);
    EXPECT_EQ(model_.columnOf("metric:grad/layer11990"), -1);
    list->search()->setText("peak learning");
    QTest::keyClick(list->search(), Qt::Key_Return);
    EXPECT_GE(model_.columnOf("setting:train.lr"), 0) << "found by its description";
    list->search()->setText("family property");
    ASSERT_EQ(list->shownCount(), 1);
    QTest::keyClick(list->search(), Qt::Key_Return);
    EXPECT_TRUE(table_.isShown("family"));
    chooser.resetColumns();
    EXPECT_FALSE(table_.isShown("family"));
    EXPECT_EQ(model_.columnOf("setting:train.lr"), -1);
    list->hide();
}

TEST_F(RunColumnsTest, TheChooserHasScoresFirst) {
    model_.setRuns(listOf({run("a", {{"alpha_0", 1},
                                     {"copy_bleu", 1},
                                     {"loss", 1},
                                     {"valid_loss", 1},
                                     {"valid_bleu", 1},
                                     {"eval_test_chrf", 1}})}));
    model_.chooseColumns(std::vector<RunColumn>{});
    ColumnChooser chooser(&model_, &table_);
    chooser.open();
    chooser.list()->search()->setText("metric");
    QStringList titles;
    for (int row = 0; row < chooser.list()->shownCount(); ++row)
        titles << chooser.list()->view()->model()->index(row, 0).data().toString().section(' ', 0, 0);
    EXPECT_THAT(titles,
                ElementsAre("eval_test_chrf", "valid_bleu", "valid_loss", "loss", "alpha_0", "copy_bleu"));
    chooser.list()->hide();
}

TEST_F(RunColumnsTest, ScoresOfEvaluationsHaveTheDirectionOfTheirMetric) {
    model_.setRuns(listOf({run("a", {{"eval_test_valid_bleu", 40}, {"copy_bleu", 3}}),
                           run("b", {{"eval_test_valid_bleu", 41}, {"copy_bleu", 4}})}));
    model_.chooseColumns(
        std::vector<RunColumn>{{Kind::Metric, "eval_test_valid_bleu"}, {Kind::Metric, "copy_bleu"}});
    model_.setBaseline("a");
    table_.sortByColumn(RunTableModel::Name, Qt::AscendingOrder);
    const auto colour = [&](const char* column) {
        return filter_.index(1, model_.columnOf(QLatin1String(column)))
            .data(Qt::ForegroundRole)
            .value<QColor>();
    };
    EXPECT_EQ(colour("delta:eval_test_valid_bleu"), theme().good);
    EXPECT_EQ(colour("delta:copy_bleu"), theme().muted) << "a property of the data";
    EXPECT_EQ(engine_.metric("eval_test_valid_bleu").title, "BLEU (test)");
    EXPECT_TRUE(engine_.metric("front_area").higherIsBetter);
    EXPECT_FALSE(engine_.metric("front_distance").higherIsBetter);
}

/// A narrow list with metrics, shown.
class FrozenColumnsTest : public RunColumnsTest {
protected:
    void SetUp() override {
        RunColumnsTest::SetUp();
        std::vector<store::RunSummary> runs;
        for (const char* id : {"a", "b", "c"})
            runs.push_back(run(id, {{"valid_bleu", 1}, {"loss", 2}, {"m1", 1}, {"m2", 2}, {"m3", 3}}));
        model_.setRuns(listOf(runs));
        std::vector<RunColumn> columns;
        for (const char* metric : {"valid_bleu", "loss", "m1", "m2", "m3"})
            columns.push_back({Kind::Metric, metric});
        model_.chooseColumns(columns);
        for (const char* column : {"star", "started", "family"}) table_.showColumn(column, true);
        table_.resize(360, 240);
        table_.show();
        table_.fitColumns();
    }
    QWidget* picture() { return table_.frozen()->viewport(); }
    QPoint middleOf(int row, int column) {
        return table_.frozen()->visualRect(filter_.index(row, column)).center();
    }
    void scroll(int to) { table_.horizontalScrollBar()->setValue(to); }
};

TEST_F(FrozenColumnsTest, NameAndStateStayVisibleWhileMetricsAreScrolled) {
    EXPECT_EQ(table_.frozenWidth(), 0) << "nothing is scrolled";
    scroll(200);
    ASSERT_GT(table_.frozenWidth(), 0);
    EXPECT_LE(table_.frozenWidth(), table_.viewport()->width() * 2 / 3) << "a metric fits beside them";
    for (const int column : {RunTableModel::Star, RunTableModel::Name, RunTableModel::State}) {
        EXPECT_FALSE(table_.frozen()->isColumnHidden(column));
        const QRect cell = table_.visualRect(filter_.index(0, column));
        EXPECT_TRUE(cell.left() >= 0 && cell.right() < table_.frozenWidth()) << column;
    }
    EXPECT_TRUE(table_.frozen()->isColumnHidden(RunTableModel::Step));
    EXPECT_TRUE(table_.frozen()->isColumnHidden(model_.columnOf("metric:loss")));
    EXPECT_EQ(table_.frozen()->rowViewportPosition(2), table_.rowViewportPosition(2));
    // In a wide list the state column keeps its width.
    table_.resize(1000, 240);
    table_.resize(800, 240);
    scroll(10);
    ASSERT_GT(table_.frozenWidth(), 0);
    EXPECT_EQ(table_.frozen()->columnWidth(RunTableModel::State), table_.columnWidth(RunTableModel::State));
    scroll(0);
    EXPECT_EQ(table_.frozenWidth(), 0);
}

TEST_F(FrozenColumnsTest, ClicksAndKeysAreThoseOfTheTable) {
    scroll(200);
    QSignalSpy clicked(&table_, &QTableView::clicked), hovered(&table_, &RunTable::hovered);
    QTest::mouseClick(picture(), Qt::LeftButton, {}, middleOf(1, RunTableModel::Star));
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked.first().at(0).toModelIndex(), filter_.index(1, RunTableModel::Star));
    QTest::mouseClick(picture(), Qt::LeftButton, Qt::ShiftModifier, middleOf(2, RunTableModel::Name));
    EXPECT_EQ(table_.selectedIds().size(), 2) << "from the row that was clicked first";
    QTest::mouseMove(picture(), middleOf(0, RunTableModel::Name));
    EXPECT_EQ(hovered.last().at(0).toString(), filter_.index(0, 0).data(RunTableModel::IdRole).toString());
    const int before = table_.horizontalScrollBar()->value();
    table_.select({"a"});
    EXPECT_EQ(table_.horizontalScrollBar()->value(), before) << "its name is visible already";
    // Along the columns: none is left below the picture.
    table_.setFocus();
    const int last = table_.horizontalHeader()->logicalIndex(model_.columnCount() - 1);
    table_.setCurrentIndex(filter_.index(0, last));
    for (int i = 0; i + 3 < model_.columnCount(); ++i) {
        QTest::keyClick(&table_, Qt::Key_Left);
        const QModelIndex current = table_.currentIndex();
        if (current.column() <= RunTableModel::State) continue;
        EXPECT_GE(table_.visualRect(current).left(), table_.frozenWidth())
            << model_.columnId(current.column()).toStdString();
    }
    scroll(200);
    table_.edit(filter_.index(0, RunTableModel::Name));
    EXPECT_EQ(table_.frozenWidth(), 0) << "the editor is not below the picture";
}

TEST_F(FrozenColumnsTest, TheHeaderSortsAndTheTableIsExportedOnce) {
    scroll(200);
    QHeaderView* header = table_.frozen()->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      {header->sectionViewportPosition(RunTableModel::Name) + 20, header->height() / 2});
    EXPECT_EQ(table_.horizontalHeader()->sortIndicatorSection(), RunTableModel::Name);
    EXPECT_EQ(tablesOf(table_).size(), 1U);
    // A moved name column stays frozen.
    scroll(0);
    QHeaderView* own = table_.horizontalHeader();
    own->moveSection(own->visualIndex(RunTableModel::Name), 3);
    EXPECT_EQ(own->visualIndex(RunTableModel::Name), 3);
    scroll(table_.horizontalScrollBar()->maximum());
    ASSERT_GT(table_.frozenWidth(), 0);
    EXPECT_FALSE(table_.frozen()->isColumnHidden(RunTableModel::Name));
}

TEST_F(RunColumnsTest, ReportsTheRowUnderThePointer) {
    model_.setRuns(listOf({run("a", {}), run("b", {})}));
    table_.resize(400, 200);
    table_.show();
    const auto moveTo = [&](int row) {
        QTest::mouseMove(table_.viewport(), table_.visualRect(filter_.index(row, 1)).center());
    };
    moveTo(0);  // the pointer may rest on the other row from a test before, and then nothing moves
    QSignalSpy hovered(&table_, &RunTable::hovered);
    moveTo(1);
    ASSERT_EQ(hovered.count(), 1);
    EXPECT_EQ(hovered.first().at(0).toString(), filter_.index(1, 0).data(RunTableModel::IdRole).toString());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(table_.viewport(), &leave);
    EXPECT_EQ(hovered.last().at(0).toString(), QString());
}

}  // namespace
}  // namespace kurve::views
