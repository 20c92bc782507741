// Groups of runs in the comparison: their table against scipy's numbers (tests/golden/series), what has no
// curve as points, best values with their steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "core/store/evaluations.h"
#include "tests/support/drawn_curves.h"
#include "tests/views/compare/compare_panel_fixture.h"
#include "views/common/chart/chart_legend.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/form/choice_list.h"
#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/compare/compare_chart.h"
#include "views/compare/explore_panel.h"
#include "views/compare/group_table.h"
#include "views/compare/parallel_plot.h"
#include "views/compare/run_grouping.h"
#include "views/compare/scatter_plot.h"
#include "views/compare/value_points.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CompareGroupsTest : public ComparePanelTest {
protected:
    void SetUp() override {
        ComparePanelTest::SetUp();
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/series/student.json");
        golden_ = nlohmann::json::parse(file);
    }

    /// A run whose BLEU on the way is higher by 5 at step 500.
    void addRun(const std::string& id, const char* rho, int seed, double bleu, bool scored = false) {
        auto writer = store::RunWriter::open(root() / "runs" / id);
        ASSERT_TRUE(writer) << writer.error().text();
        store::RunWriter& run = **writer;
        run.set("name", "curve of " + std::string(rho));
        run.set("family", "curve");
        run.set("state", "completed");
        run.set("started", std::to_string(1.7e9 + seed));
        run.set("config", "family = \"curve\"\nname = \"x\"\nseed = " + std::to_string(seed) +
                              "\n[map]\nrho = " + rho + "\n[model]\nwidth = 128\n[train]\nlr = 0.002\n");
        for (const int step : {500, 1000}) {
            run.scalar("valid_bleu", step, 1.7e9 + step, step == 500 ? bleu + 5 : bleu);
            run.scalar("lr", step, 1.7e9 + step, 1.0 / step);
        }
        ASSERT_TRUE(run.flush());
        if (!scored) return;
        const nlohmann::json document{
            {"run", id},
            {"checkpoint", "step-00001000"},
            {"split", "test"},
            {"metrics", {{"bleu", {{"value", bleu}, {"ci95", {bleu - 1, bleu + 1}}}}}}};
        ASSERT_TRUE(store::saveEvaluation(root() / "runs" / id, document));
    }

    std::vector<double> sample(const char* name) const { return golden_.at("samples").at(name).at("values"); }

    /// Two groups, by rho: scipy's samples of these names.
    void addGroups(const char* one, const char* two, bool scored = false) {
        QStringList ids;
        for (const auto& [rho, name] : {std::pair{"1.0", one}, {"2.0", two}}) {
            int seed = 0;
            for (const double value : sample(name)) {
                const std::string id =
                    std::string(rho[0] == '1' ? "small-" : "large-") + std::to_string(++seed);
                addRun(id, rho, seed, value, scored);
                ids << QString::fromStdString(id);
            }
        }
        openPanel();
        selection_.setRuns(ids);
        ASSERT_TRUE(test::waitFor([&] {
            return std::all_of(ids.begin(), ids.end(), [&](const QString& id) {
                const auto data = catalog_->data(id);
                return data && data->find("lr") && data->summary.extremes;
            });
        }));
    }

    void choose(const char* box, const char* id) {
        auto* combo = child<QComboBox>(box);
        const int at = combo->findData(QLatin1String(id));
        ASSERT_GE(at, 0) << id;
        combo->setCurrentIndex(at);
        Q_EMIT combo->activated(at);
    }

    GroupTable* groups() { return panel_->findChild<GroupTable*>(); }
    QString cell(int row, int column, int role = Qt::DisplayRole) {
        return groups()->model()->index(row, column).data(role).toString();
    }
    /// What the exported table says in this column.
    ViewTable::Cell exported(std::size_t row, const QString& column) {
        const ViewTable table = groups()->tables().front();
        const auto at = table.columns.indexOf(column);
        EXPECT_GE(at, 0) << column.toStdString() << " of " << table.columns.join('|').toStdString();
        return at < 0 ? ViewTable::Cell(0.0) : table.rows.at(row).at(static_cast<std::size_t>(at));
    }

    nlohmann::json golden_;
};

TEST_F(CompareGroupsTest, MeansIntervalsAndDifferencesAreScipys) {
    addGroups("three seeds", "three others");
    choose("compare.group", "map.rho");
    QAbstractItemModelTester tester(groups()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_EQ(groups()->model()->rowCount(), 2);
    EXPECT_TRUE(groups()->isVisibleTo(panel_.get()));
    for (const auto& [row, name] :
         {std::pair{std::size_t{0}, "three seeds"}, {std::size_t{1}, "three others"}}) {
        const auto wanted = golden_.at("samples").at(name);
        const double mean = std::get<double>(exported(row, "BLEU: mean")),
                     half = std::get<double>(exported(row, "BLEU: ± (95 %)"));
        EXPECT_NEAR(mean, wanted.at("mean").get<double>(), 1e-9);
        EXPECT_NEAR(mean + half, wanted.at("high").get<double>(), 1e-7);
        EXPECT_EQ(std::get<double>(exported(row, "BLEU: n")), 3);
    }
    const auto& pair = golden_.at("pairs")[0];
    ASSERT_EQ(pair.at("to"), "three others");
    const double difference = std::get<double>(exported(1, "BLEU: difference")),
                 reach = std::get<double>(exported(1, "BLEU: ± of the difference"));
    EXPECT_NEAR(difference - reach, pair.at("low").get<double>(), 1e-7);
    EXPECT_EQ(std::get<QString>(exported(1, "BLEU: distinguishable")), "yes");
    EXPECT_EQ(std::get<QString>(exported(0, "BLEU: distinguishable")), "") << "the base group against itself";
    EXPECT_THAT(cell(1, 2).toStdString(), HasSubstr("▲ 4.4 ± 3.1"));
    EXPECT_EQ(groups()->model()->index(1, 2).data(Qt::ForegroundRole).value<QColor>(), theme().good);
    EXPECT_THAT(cell(0, 2).toStdString(), HasSubstr("63.8 ± 3.2"));
    EXPECT_THAT(cell(0, 2, Qt::ToolTipRole).toStdString(), HasSubstr("lowest 62.9, highest 65.3"));
    keepPicture(dark() ? QStringLiteral("group-table-dark.png") : QStringLiteral("group-table.png"));
}

TEST_F(CompareGroupsTest, ADifferenceWithinItsIntervalIsNotDistinguishable) {
    addGroups("three seeds", "close");
    choose("compare.group", "map.rho");
    EXPECT_THAT(cell(1, 2).toStdString(), HasSubstr("≈ not distinguishable"));
    EXPECT_EQ(groups()->model()->index(1, 2).data(Qt::ForegroundRole).value<QColor>(), theme().text);
    EXPECT_EQ(std::get<QString>(exported(1, "BLEU: distinguishable")), "no");
    EXPECT_THAT(cell(1, 2, Qt::ToolTipRole).toStdString(), HasSubstr("not distinguishable"));
}

TEST_F(CompareGroupsTest, BMakesTheGroupOfTheCurrentRowTheBaseline) {
    addGroups("three seeds", "three others");
    choose("compare.group", "map.rho");
    panel_->activateWindow();
    groups()->setFocus();
    groups()->setCurrentIndex(groups()->model()->index(1, 0));
    commands_.action("compare.baseline")->trigger();
    EXPECT_EQ(panel_->baseline(), "large-1");
    EXPECT_THAT(cell(0, 2).toStdString(), HasSubstr("▼ 4.4 ± 3.1"));
    EXPECT_THAT(cell(1, 0).toStdString(), HasSubstr("baseline"));
}

TEST_F(CompareGroupsTest, HiddenMembersCount) {
    addGroups("three seeds", "three others");
    choose("compare.group", "map.rho");
    const QString before = cell(0, 2);
    selection_.hideRuns({"small-2"}, true);
    EXPECT_EQ(cell(0, 2), before);
    EXPECT_THAT(cell(0, 1).toStdString(), HasSubstr("1 hidden"));
    EXPECT_EQ(std::get<double>(exported(0, "hidden")), 1);
}

TEST_F(CompareGroupsTest, SortedByAnyColumnWithItsNumbers) {
    addGroups("wide",
              "close");  // 19.6 and 65.1: as texts 19.6 comes first, by value too; so look at both orders
    choose("compare.group", "map.rho");
    groups()->sortByColumn(2, Qt::DescendingOrder);
    EXPECT_EQ(cell(0, 0), "map.rho = 2");
    groups()->sortByColumn(1, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, 1), "3");
    EXPECT_EQ(cell(1, 1), "5");
}

TEST_F(CompareGroupsTest, TheSortingStaysWithItsMetricWhileColumnsComeAndGo) {
    addGroups("three seeds", "three others", true);
    choose("compare.group", "map.rho");
    const QString second = groups()->shownValues().value(1);
    groups()->sortByColumn(3, Qt::DescendingOrder);
    const auto sorted = [this] { return groups()->horizontalHeader()->sortIndicatorSection(); };
    const auto saved = [this] { return groups()->save().value("sorted").toString(); };
    EXPECT_EQ(saved(), second);
    auto* columns = groups()->findChild<ChoiceList*>();
    Q_EMIT columns->toggled("range", true);
    EXPECT_EQ(sorted(), 5) << "behind lowest and highest of the first metric";
    Q_EMIT columns->toggled("range", false);
    Q_EMIT columns->toggled(groups()->shownValues().value(0), false);
    EXPECT_EQ(sorted(), 2);
    EXPECT_EQ(saved(), second);
}

TEST_F(CompareGroupsTest, ScoresOfEvaluationsAreColumnsAndPoints) {
    addGroups("three seeds", "three others", true);
    choose("compare.group", "map.rho");
    EXPECT_THAT(groups()->shownValues().front().toStdString(), "last:eval_test_bleu");
    EXPECT_EQ(std::get<double>(exported(1, "BLEU (test): n")), 3);
    choose("compare.metric", "eval_test_bleu");
    auto* points = panel_->findChild<ValuePoints*>();
    EXPECT_FALSE(child<LineChart>("compare.chart")->isVisibleTo(panel_.get()));
    ASSERT_TRUE(points->isVisibleTo(panel_.get()));
    ASSERT_EQ(points->rows().size(), 2u);
    EXPECT_NEAR(points->rows()[1].low, golden_.at("samples").at("three others").at("low").get<double>(),
                1e-7);
    EXPECT_EQ(points->rows()[1].members.size(), 3u);
    EXPECT_GT(points->xOf(points->rows()[1].statistics.mean), points->xOf(points->rows()[0].statistics.mean));
    keepPicture(dark() ? QStringLiteral("group-points-dark.png") : QStringLiteral("group-points.png"));
    choose("compare.group", "");
    ASSERT_EQ(points->rows().size(), 6u) << "each run for itself";
    QSignalSpy clicked(points, &ValuePoints::rowClicked);
    QCustomPlot& plot = *points->plot();
    plot.replot();
    const auto middleOf = [&](int row) {
        return QPoint(plot.axisRect()->center().x(), static_cast<int>(plot.yAxis->coordToPixel(row)));
    };
    EXPECT_LT(middleOf(0).y(), middleOf(5).y()) << "the first row on top";
    QTest::mouseClick(&plot, Qt::LeftButton, {}, middleOf(2));
    ASSERT_EQ(clicked.size(), 1);
    EXPECT_EQ(clicked.front().front().toString(), points->rows()[2].id);
    QTest::mouseMove(&plot, middleOf(3));
    EXPECT_TRUE(plot.toolTip().startsWith(points->rows()[3].label)) << plot.toolTip().toStdString();
    selection_.hideRuns({"small-2"}, true);
    EXPECT_EQ(points->rows().size(), 5u);
    choose("compare.metric", "valid_bleu");
    EXPECT_TRUE(child<LineChart>("compare.chart")->isVisibleTo(panel_.get()));
}

TEST_F(CompareGroupsTest, TwoSettingsMakeGroupsTogether) {
    addRun("a", "1.0", 1, 10);
    addRun("b", "1.0", 2, 12);
    addRun("c", "10.0", 1, 14);
    addRun("d", "2.0", 1, 16);
    openPanel();
    selection_.setRuns({"a", "b", "c", "d"});
    ASSERT_TRUE(test::waitFor([&] { return catalog_->data("d") && catalog_->data("d")->find("lr"); }));
    EXPECT_EQ(child<QComboBox>("compare.group")->findData("seed"), -1);
    choose("compare.group", "map.rho");
    QStringList titles;
    for (const auto& group : panel_->findChild<CompareChart*>()->grouping().groups()) titles << group.title;
    EXPECT_EQ(titles, QStringList({"map.rho = 1", "map.rho = 2", "map.rho = 10"})) << "numbers as numbers";
}

ComparedRun comparedRun(const EngineInfo& engine, const char* id, const char* title, const char* rho,
                        int seed) {
    auto data = std::make_shared<RunData>();
    data->summary.family = "curve";
    const std::string text = "family = \"curve\"\nname = \"x\"\nseed = " + std::to_string(seed) +
                             "\n[map]\nrho = " + rho + "\n[train]\nlr = " + (seed > 4 ? "0.1" : "0.2") + "\n";
    auto config = RunConfig::parse(text, "x", engine.schemas());
    EXPECT_TRUE(config) << config.error().text();
    ComparedRun run{id, title, std::move(data), {}, {}, {}};
    run.config = std::move(*config);
    return run;
}

TEST(RunGrouping, AllSettingsButTheSeedIsNamedByTheCommonName) {
    const EngineInfo engine = *EngineInfo::fromJson(description());
    std::vector<ComparedRun> runs{
        comparedRun(engine, "cmlm-1", "cmlm", "1.0", 1), comparedRun(engine, "ln-1", "cmlm", "2.0", 1),
        comparedRun(engine, "cmlm-2", "cmlm", "1.0", 2), comparedRun(engine, "ln-2", "cmlm", "2.0", 2)};
    const RunGrouping bySeed(runs, QStringLiteral("~seed"));
    ASSERT_EQ(bySeed.groups().size(), 2u);
    EXPECT_EQ(bySeed.groups()[0].title, "cmlm") << "names are the same: the folders tell";
    EXPECT_EQ(bySeed.groups()[1].title, "ln");
    EXPECT_THAT(bySeed.groups()[1].members, ElementsAre(1, 3));
    EXPECT_THAT(bySeed.groups()[1].tip.toStdString(), HasSubstr("map.rho = 2"));
    EXPECT_EQ(bySeed.groupOf(2), &bySeed.groups()[0]);
    runs[0].id = "20261101", runs[2].id = "20261102", runs[1].id = "20261103", runs[3].id = "20261104";
    EXPECT_THAT(RunGrouping(runs, QStringLiteral("~seed")).groups()[0].title.toStdString(),
                HasSubstr("map.rho = 1"))
        << "dates in common say nothing";
}

TEST(RunGrouping, TitlesAreInTheOrderOfTheirNumbers) {
    const EngineInfo engine = *EngineInfo::fromJson(description());
    std::vector<ComparedRun> runs;
    for (const char* rho : {"10.0", "0.1", "9.0", "0.05"})
        runs.push_back(comparedRun(engine, rho, rho, rho, 1));
    const RunGrouping grouping(runs, QStringLiteral("map.rho"));
    QStringList titles;
    for (const auto& group : grouping.groups()) titles << group.title;
    EXPECT_EQ(titles, QStringList({"map.rho = 0.05", "map.rho = 0.1", "map.rho = 9", "map.rho = 10"}));
}

TEST(RunGrouping, ByTwoSettings) {
    const EngineInfo engine = *EngineInfo::fromJson(description());
    const std::vector<ComparedRun> runs{comparedRun(engine, "a", "a", "1.0", 1),
                                        comparedRun(engine, "b", "b", "2.0", 1),
                                        comparedRun(engine, "c", "c", "1.0", 5)};
    EXPECT_EQ(RunGrouping(runs, QStringLiteral("map.rho")).groups().size(), 2u);
    const RunGrouping both(runs, QStringLiteral("map.rho"), QStringLiteral("train.lr"));
    ASSERT_EQ(both.groups().size(), 3u);
    EXPECT_EQ(both.groups()[0].title, "map.rho = 1 · train.lr = 0.1");
    EXPECT_FALSE(RunGrouping(runs, QString(), QStringLiteral("train.lr")).isOn());
}

TEST_F(CompareGroupsTest, BestValuesHaveTheirSteps) {
    addGroups("two", "close");
    const auto rowOf = [&](const QString& title) {
        auto* model = child<QTableView>("compare.metrics")->model();
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 0).data().toString() == title)
                return model->index(row, 1).data().toString();
        return QString();
    };
    EXPECT_EQ(rowOf("BLEU"), "0.1");
    EXPECT_EQ(rowOf("best BLEU"), QString());
    choose("compare.values", "both");
    EXPECT_EQ(rowOf("BLEU"), "0.1");
    EXPECT_EQ(rowOf("best BLEU"), "5.1 at 500");
    EXPECT_EQ(rowOf("lowest lr"), QString("0.001 at %1").arg(countText(1000))) << "no direction: both ends";
    EXPECT_EQ(rowOf("highest lr"), "0.002 at 500");
    choose("compare.group", "map.rho");
    EXPECT_NEAR(std::get<double>(exported(0, "best BLEU: mean")), 5.25, 1e-9);
}

TEST_F(CompareGroupsTest, ASingleGroupHasNoBaseline) {
    addGroups("three seeds", "close");
    choose("compare.group", "map.rho");
    EXPECT_THAT(cell(0, GroupTitle).toStdString(), HasSubstr("baseline"));
    choose("compare.group", "*");
    ASSERT_EQ(groups()->model()->rowCount(), 1);
    EXPECT_EQ(cell(0, GroupTitle), "all runs");
}

TEST_F(CompareGroupsTest, ExploreStatesTheBestMatchingRun) {
    addRun("small", "1.0", 1, 40);
    addRun("large", "2.0", 2, 60);
    openPanel();
    ExplorePanel explore({&*project_, &commands_, &playhead_, &selection_, catalog_.get(), &engine_});
    ASSERT_TRUE(test::waitFor([&] { return explore.hasData() && catalog_->complete(); }));
    EXPECT_THAT(explore.statement().toStdString(), HasSubstr("2 runs differ in"));
    EXPECT_TRUE(test::waitFor([&] { return explore.statement().contains("best BLEU 60 (curve of 2.0)"); }))
        << explore.statement().toStdString();
    Q_EMIT explore.parallel()->brushed("valid_bleu<=50");
    EXPECT_THAT(explore.statement().toStdString(), HasSubstr("1 match valid_bleu<=50"));
    EXPECT_THAT(explore.statement().toStdString(), HasSubstr("best BLEU 40 (curve of 1.0)"));
    explore.show();
    QTest::keyClick(explore.parallel(), Qt::Key_Down);
    EXPECT_NE(explore.parallel()->terms(), "");
    Q_EMIT explore.scatter()->brushed("valid_bleu>=50");
    EXPECT_EQ(explore.parallel()->terms(), "") << "a box in the scatter plot filters alone";
    EXPECT_THAT(explore.statement().toStdString(), HasSubstr("1 match valid_bleu>=50"));
}

TEST_F(CompareGroupsTest, ExploreShowsUnchangedSettingsAsItsFilterFindsThem) {
    for (const auto& [run, rho] : {std::pair{"small", "1.0"}, {"usual", "2.0"}, {"large", "3.0"}}) {
        addRun(run, rho, 1, 10 * std::stod(rho));
        auto writer = store::RunWriter::open(root() / "runs" / run);
        ASSERT_TRUE(writer) << writer.error().text();
        const bool isDefault = std::string(rho) == "2.0";
        (*writer)->set("settings", isDefault ? "{}" : "{\"map.rho\": " + std::string(rho) + "}");
        ASSERT_TRUE((*writer)->flush());
    }
    openPanel();
    ExplorePanel explore({&*project_, &commands_, &playhead_, &selection_, catalog_.get(), &engine_});
    ASSERT_TRUE(test::waitFor([&] { return explore.hasData() && catalog_->complete(); }));
    explore.restoreState({{"axes", QJsonArray{"map.rho", "valid_bleu"}}});
    explore.show();
    QTest::keyClick(explore.parallel(), Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_THAT(explore.statement().toStdString(), HasSubstr("2 match map.rho>=1.1"));
    std::vector<double> values;
    const auto tables = explore.parallel()->tables();
    for (const auto& row : tables.front().rows) values.push_back(std::get<double>(row[1]));
    EXPECT_THAT(values, ::testing::UnorderedElementsAre(2, 3)) << "drawn as the filter finds them";
}

TEST_F(CompareGroupsTest, ExploreHasALegendOfTheMatchingRuns) {
    addRun("small", "1.0", 1, 40);
    addRun("large", "2.0", 2, 60);
    openPanel();
    ExplorePanel explore({&*project_, &commands_, &playhead_, &selection_, catalog_.get(), &engine_});
    ASSERT_TRUE(test::waitFor([&] { return explore.hasData() && catalog_->complete(); }));
    const auto* names = explore.findChild<ChartLegend*>("explore.names");
    ASSERT_EQ(names->entries().size(), 2U);
    Q_EMIT explore.parallel()->brushed("valid_bleu<=50");
    ASSERT_EQ(names->entries().size(), 1U);
    EXPECT_EQ(names->entries()[0].name, "curve of 1.0");
    EXPECT_EQ(names->entries()[0].color, runStyle("small").color);
}

TEST_F(CompareGroupsTest, APartOverAnotherMetricCountsInTheMean) {
    addRun("a", "1.0", 1, 40);
    addRun("b", "1.0", 2, 50);
    for (const auto& [run, from] : {std::pair{"a", 500}, {"b", 1000}}) {
        auto writer = store::RunWriter::open(root() / "runs" / run);
        ASSERT_TRUE(writer) << writer.error().text();
        for (int step = from; step <= 1000; step += 500)
            (*writer)->scalar("updates", step, 1.7e9 + step, step / 500.0);
        ASSERT_TRUE((*writer)->flush());
    }
    openPanel();
    selection_.setRuns({"a", "b"});
    ASSERT_TRUE(test::waitFor([&] {
        const auto a = catalog_->data("a"), b = catalog_->data("b");
        return a && b && a->find("updates") && b->find("updates");
    }));
    choose("compare.group", "*");
    choose("compare.metric", "valid_bleu");
    choose("compare.axis", "metric:updates");
    const auto* chart = child<LineChart>("compare.chart");
    const auto drawn = test::drawnCurves(*chart);
    ASSERT_EQ(drawn.size(), 1U);
    EXPECT_THAT(drawn.begin()->second.x, ElementsAre(1, 2));
    EXPECT_THAT(drawn.begin()->second.y, ElementsAre(45, 45)) << "a alone has 45, then 40 beside 50";
}

TEST_F(CompareGroupsTest, MembersAreNotSmoothedOverTheNumberOfAMetric) {
    for (const char* run : {"a", "b"}) {
        addRun(run, "1.0", *run, 40);
        auto writer = store::RunWriter::open(root() / "runs" / run);
        ASSERT_TRUE(writer) << writer.error().text();
        for (int step = 1; step <= 60; ++step)
            for (const char* metric : {"ppl_1", "ppl_2"}) (*writer)->scalar(metric, step, 1.7e9 + step, step);
        ASSERT_TRUE((*writer)->flush());
    }
    openPanel();
    selection_.setRuns({"a", "b"});
    ASSERT_TRUE(test::waitFor([&] {
        const auto a = catalog_->data("a"), b = catalog_->data("b");
        return a && b && a->find("ppl_2") && b->find("ppl_2");
    }));
    const auto saysSmoothing = [&] {
        const auto labels = child<LineChart>("compare.chart")->findChildren<QLabel*>();
        return std::ranges::any_of(labels,
                                   [](const QLabel* label) { return label->text().contains("members:"); });
    };
    choose("compare.group", "*");
    choose("compare.metric", "ppl_1");
    EXPECT_TRUE(saysSmoothing());
    choose("compare.axis", "number");
    EXPECT_FALSE(saysSmoothing());
}

TEST_F(CompareGroupsTest, LimitsOfTheCurvesBelongToMetricAndAxisAndGoIntoTheReport) {
    addGroups("three seeds", "close");
    auto* chart = child<LineChart>("compare.chart");
    choose("compare.metric", "lr");
    choose("compare.axis", "step");
    chart->setValueLimits({0, 0.5});
    chart->setKeyLimits({{}, 900});
    choose("compare.metric", "valid_bleu");
    EXPECT_FALSE(chart->valueLimits().any()) << "a learning rate is no BLEU";
    EXPECT_EQ(chart->keyLimits(), (AxisLimits{{}, 900}));
    choose("compare.axis", "training");
    EXPECT_FALSE(chart->keyLimits().any());
    choose("compare.metric", "lr");
    choose("compare.axis", "step");
    EXPECT_EQ(chart->valueLimits(), (AxisLimits{0, 0.5}));
    EXPECT_EQ(chart->keyLimits(), (AxisLimits{{}, 900}));
    const auto& view = files_.view;
    commands_.action("compare.report")->trigger();
    ASSERT_TRUE(view);
    EXPECT_THAT(view->notes, ::testing::IsEmpty());
    EXPECT_EQ(view->xLimits.from, std::nullopt);
    EXPECT_EQ(view->xLimits.to, 900);
    EXPECT_EQ(view->yLimits.from, 0);
    EXPECT_EQ(view->yLimits.to, 0.5);
    auto* curves = panel_->findChild<CompareChart*>();
    const QJsonObject saved = curves->save();
    chart->unlock();
    curves->restore(saved);
    EXPECT_EQ(chart->valueLimits(), (AxisLimits{0, 0.5}));
    EXPECT_EQ(chart->keyLimits(), (AxisLimits{{}, 900}));
}

TEST_F(CompareGroupsTest, TheReportRequestIsTheCurrentView) {
    addGroups("three seeds", "close");
    choose("compare.metric", "lr");
    choose("compare.group", "map.rho");
    choose("compare.axis", "training");
    selection_.hideRuns({"small-2"}, true);
    child<LineChart>("compare.chart")->setValueScale(LineChart::Scale::Log);
    choose("compare.against", "baseline");
    const auto& view = files_.view;
    commands_.action("compare.report")->trigger();
    ASSERT_TRUE(view);
    EXPECT_EQ(view->metric, "lr");
    EXPECT_EQ(view->axis, "seconds");
    EXPECT_EQ(view->x, "linear");
    EXPECT_EQ(view->y, "log");
    EXPECT_EQ(view->smoothing, "ema");
    EXPECT_NEAR(view->strength, 0.96, 1e-9);
    EXPECT_THAT(view->hidden, ElementsAre("small-2"));
    EXPECT_EQ(view->groupedBy, "map.rho");
    ASSERT_EQ(view->groups.size(), 2u);
    EXPECT_THAT(view->groups[0].runs, ElementsAre("small-1", "small-2", "small-3"));
    EXPECT_FALSE(view->sampleStep);
    EXPECT_EQ(view->diffAgainst, "small-1");
    ASSERT_FALSE(view->values.empty());
    EXPECT_EQ(view->values[0].id, "last:valid_bleu");
    EXPECT_EQ(view->values[0].title, "BLEU");
    child<QCheckBox>("compare.follow")->setChecked(true);
    playhead_.setTrainStep(500);
    commands_.action("compare.report")->trigger();
    EXPECT_EQ(view->sampleStep, 500);
}

TEST_F(CompareGroupsTest, ColumnsAndGroupsAreSavedWithTheProject) {
    addGroups("three seeds", "three others");
    choose("compare.group", "~seed");
    choose("compare.values", "both");
    groups()->sortByColumn(2, Qt::DescendingOrder);
    const QJsonObject saved = panel_->saveState();
    EXPECT_EQ(saved["final_metrics"]["values"], "both");
    EXPECT_EQ(saved["final_metrics"]["groups"]["sorted"], groups()->shownValues().front());
    const QStringList ids = selection_.runs();
    panel_.reset();
    selection_.setRuns({});
    openPanel();
    panel_->restoreState(saved);
    selection_.setRuns(ids);
    ASSERT_TRUE(test::waitFor([&] { return groups()->model()->rowCount() == 2; }));
    EXPECT_EQ(child<QComboBox>("compare.group")->currentData(), "~seed");
    EXPECT_EQ(panel_->saveState(), saved);
}

}  // namespace
}  // namespace kurve::views
