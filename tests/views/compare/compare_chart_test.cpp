// The curves of the comparison: what they are drawn over, groups, hovering.
#include "views/compare/compare_chart.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/interop/import_run.h"
#include "core/store/run_writer.h"
#include "tests/support/drawn_curves.h"
#include "tests/views/compare/compare_panel_fixture.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ComparePanelTest, OverlaysCurvesByStepTokensAndTime) {
    addRuns();
    openPanel();
    compareBoth();
    auto* chart = child<LineChart>("compare.chart");
    auto* plot = chart->plot();
    auto* metric = child<QComboBox>("compare.metric");
    EXPECT_EQ(metric->currentData().toString(), "valid_bleu");
    metric->setCurrentIndex(metric->findData("loss"));
    Q_EMIT metric->activated(metric->currentIndex());
    EXPECT_NEAR(chart->plot()->xAxis->range().upper, 3000, 1);
    auto* axis = child<QComboBox>("compare.axis");
    axis->setCurrentIndex(1);
    Q_EMIT axis->activated(1);
    EXPECT_NEAR(chart->plot()->xAxis->range().upper, 3000 * 290.0, 1);
    axis->setCurrentIndex(2);
    Q_EMIT axis->activated(2);
    EXPECT_EQ(axis->currentData().toString(), "training");
    EXPECT_NEAR(chart->plot()->xAxis->range().upper, 90, 1);
    axis->setCurrentIndex(0);
    Q_EMIT axis->activated(0);
    ASSERT_EQ(plot->plottableCount(), 4);  // raw and smoothed of two runs
    keepPicture(dark() ? QStringLiteral("compare-dark.png") : QStringLiteral("compare.png"));
}

TEST_F(ComparePanelTest, DrawsOneMetricOverAnotherAndOverTheClock) {
    addRuns();
    openPanel();
    compareBoth();
    auto* chart = child<LineChart>("compare.chart");
    const auto choose = [&](const char* box, const char* id) {
        auto* combo = child<QComboBox>(box);
        const int at = combo->findData(QLatin1String(id));
        ASSERT_GE(at, 0) << id;
        combo->setCurrentIndex(at);
        Q_EMIT combo->activated(at);
    };
    choose("compare.axis", "metric:loss");
    const auto points = test::pointsOf(*chart, QStringLiteral("000 a"));
    ASSERT_EQ(points.x.size(), 12);  // an evaluation each 250 steps
    EXPECT_FALSE(std::is_sorted(points.x.begin(), points.x.end()));
    EXPECT_NEAR(points.x[0], 1.4 + 5.5 * std::exp(-250 / 600.0), 0.41);
    choose("compare.axis", "wall");
    EXPECT_NEAR(chart->plot()->xAxis->range().lower, 1.7e9 + 0.03 * 250, 1e-3);
    EXPECT_EQ(child<QComboBox>("compare.axis")->findData("flops"), -1);  // no run knows its parameters
    EXPECT_EQ(child<QComboBox>("compare.axis")->findData("epoch"), -1);
}

TEST_F(ComparePanelTest, DrawsMetricsThatDifferInANumberOverIt) {
    addRuns(250);
    auto writer = store::RunWriter::open(root() / "runs" / "a");
    ASSERT_TRUE(writer);
    for (const int n : {1, 2, 10})
        for (const int step : {300, 400})
            (*writer)->scalar(fmt::format("ppl_{}", n), step, 1.7e9 + step, n * step);
    ASSERT_TRUE((*writer)->flush());
    openPanel();
    compareBoth();
    const auto choose = [&](const char* box, const char* id) {
        auto* combo = child<QComboBox>(box);
        const int at = combo->findData(QLatin1String(id));
        ASSERT_GE(at, 0) << id;
        combo->setCurrentIndex(at);
        Q_EMIT combo->activated(at);
    };
    choose("compare.metric", "ppl_2");
    choose("compare.axis", "number");
    const auto points = test::pointsOf(*child<LineChart>("compare.chart"), QStringLiteral("000 a"));
    EXPECT_THAT(points.x, ::testing::ElementsAre(1, 2, 10));
    EXPECT_THAT(points.y, ::testing::ElementsAre(400, 800, 4000));
    choose("compare.metric", "valid_bleu");
    EXPECT_TRUE(test::pointsOf(*child<LineChart>("compare.chart"), QStringLiteral("000 a")).x.empty());
}

TEST_F(ComparePanelTest, NamesTheRunsWithoutSettingsAndComparesTheOthers) {
    addRuns();
    std::ofstream(root() / "old.csv") << "step,loss\n1,5\n2,4\n";
    const auto project = *store::Project::open(root());
    ASSERT_TRUE(interop::importRuns({root() / "old.csv", "", "old", "old", {}, false, {}}, project));
    openPanel();
    selection_.setRuns({"a", "old"});
    const auto says = [&](const char* text) {
        return test::waitFor([&] { return panel_->statement().endsWith(QLatin1String(text)); });
    };
    EXPECT_TRUE(says(": no settings of old.")) << panel_->statement().toStdString();
    selection_.setRuns({"a", "b", "old"});
    EXPECT_TRUE(says("; no settings of old.")) << panel_->statement().toStdString();
    EXPECT_TRUE(panel_->statement().contains("differ")) << "a and b are compared";
}

TEST_F(ComparePanelTest, GroupsByASettingWithMeanAndCount) {
    addRuns(300);
    writeRun(root(), {"c", "restore-sclm-2", "2.0", 1.3, "x"}, 300, 1.7e9 + 400);
    openPanel();
    selection_.setRuns({"a", "b", "c"});
    ASSERT_TRUE(test::waitFor(
        [&] { return panel_->hasData() && child<QComboBox>("compare.group")->findData("map.rho") >= 0; }));
    auto* metric = child<QComboBox>("compare.metric");
    metric->setCurrentIndex(metric->findData("loss"));
    auto* group = child<QComboBox>("compare.group");
    ASSERT_TRUE(test::waitFor([&] { return panel_->statement().contains("restore-sclm-2"); }));
    // The points of each run come from a worker in their own time.
    const auto read = [&](const char* run) {
        return catalog_->data(run) && catalog_->data(run)->find("loss");
    };
    ASSERT_TRUE(test::waitFor([&] { return read("a") && read("b") && read("c"); }));
    group->setCurrentIndex(group->findData("map.rho"));
    Q_EMIT group->activated(group->currentIndex());
    auto* chart = child<LineChart>("compare.chart");
    ASSERT_TRUE(test::waitFor([&] { return test::exportedNames(*chart).value(1).endsWith("(n 2)"); }));
    EXPECT_EQ(test::curveIds(*chart), QStringList({"group map.rho = 1", "group map.rho = 2"}));
    const auto two = test::pointsOf(*chart, "group map.rho = 2");
    EXPECT_EQ(test::exportedNames(*chart).value(1), "map.rho = 2 (n 2)");
    const auto b = catalog_->data("b")->find("loss"), c = catalog_->data("c")->find("loss");
    ASSERT_EQ(two.y.size(), 300);
    // The mean of what is drawn of each: debiased averages with 0.96 from step to step.
    const auto smooth = [](const store::Series& s) {
        double sum = 0, weight = 0;
        for (int i = 0; i <= 77; ++i) {
            const double w = std::pow(0.96, 77 - i);
            sum += w * s.value[static_cast<std::size_t>(i)], weight += w;
        }
        return sum / weight;
    };
    EXPECT_NEAR(two.y[77], (smooth(*b) + smooth(*c)) / 2, 1e-9);
    keepPicture(dark() ? QStringLiteral("compare-groups-dark.png") : QStringLiteral("compare-groups.png"));
}

TEST_F(ComparePanelTest, ThePointerSelectsHidesAndComparesTheBest) {
    addRuns();
    writeRun(root(), {"c", "slow", "3.0", 0.5, "x"}, 3000, 1.7e9 + 400);
    openPanel();
    selection_.setRuns({"a", "b", "c"});
    ASSERT_TRUE(test::waitFor([&] { return panel_->hasData() && catalog_->data("c"); }));
    auto* chart = child<LineChart>("compare.chart");
    auto* compared = panel_->findChild<CompareChart*>();
    EXPECT_EQ(compared->bestAt(3000, 2), QStringList({"b", "a"}));  // BLEU grows with the speed
    Q_EMIT chart->curveClicked("001 b");
    EXPECT_EQ(selection_.primaryRun(), "b");
    EXPECT_EQ(selection_.runs().size(), 3);
    EXPECT_EQ(test::curveIds(*chart).first(), "000 a");  // the columns stay
    selection_.hideRuns({"a"}, true);
    EXPECT_EQ(test::curveIds(*chart), QStringList({"001 b", "002 c"}));
    EXPECT_FALSE(child<QPushButton>("compare.show_all")->isHidden());
    child<QPushButton>("compare.show_all")->click();
    EXPECT_EQ(test::curveIds(*chart).size(), 3);
    EXPECT_TRUE(selection_.hiddenRuns().isEmpty());
    Q_EMIT chart->menuRequested("001 b", 3000, panel_->mapToGlobal(QPoint(50, 50)));
    auto* menu = panel_->findChild<QMenu*>("compare.menu");
    ASSERT_NE(menu, nullptr);
    QStringList titles;
    for (const QAction* action : menu->actions()) titles << action->text();
    EXPECT_TRUE(titles.contains("Use as baseline")) << titles.join(",").toStdString();
    menu->close();
    Q_EMIT compared->keepRequested(compared->bestAt(3000, 2));
    EXPECT_EQ(selection_.runs(), QStringList({"b", "a"}));
}

TEST_F(ComparePanelTest, EstimatesTokensOfRunsThatDidNotCountThem) {
    for (const char* id : {"a", "b"}) {
        auto writer = store::RunWriter::open(root() / "runs" / id);
        ASSERT_TRUE(writer) << writer.error().text();
        double wall = 1.7e9;
        for (int step = 10; step <= 1000; step += 10) {
            wall += step == 500 ? 9.5 : 0.5;  // an evaluation
            (*writer)->scalar("loss", step, wall, 1.0);
            (*writer)->scalar("tokens_per_second", step, wall, 6000);
        }
        ASSERT_TRUE((*writer)->flush());
    }
    openPanel();
    compareBoth();
    auto* axis = child<QComboBox>("compare.axis");
    axis->setCurrentIndex(1);
    Q_EMIT axis->activated(1);
    EXPECT_NEAR(child<LineChart>("compare.chart")->plot()->xAxis->range().upper, 1000 * 300.0, 1);
}

TEST_F(ComparePanelTest, LogarithmicAxesHoldOnlyPositiveNumbers) {
    addRuns(300);
    openPanel();
    compareBoth();
    auto* plot = child<LineChart>("compare.chart")->plot();
    child<QToolButton>("compare.chart.logx")->click();
    child<QToolButton>("compare.chart.logy")->click();
    EXPECT_EQ(plot->xAxis->scaleType(), QCPAxis::stLogarithmic);
    EXPECT_GT(plot->xAxis->range().lower, 0);
    EXPECT_GT(plot->yAxis->range().lower, 0);
}

TEST_F(ComparePanelTest, AMeanCountsHiddenMembers) {
    addRuns(400);
    openPanel();
    compareBoth();
    auto* group = child<QComboBox>("compare.group");
    group->setCurrentIndex(group->findData("*"));
    Q_EMIT group->activated(group->currentIndex());
    auto* chart = child<LineChart>("compare.chart");
    const auto before = test::pointsOf(*chart, test::curveIds(*chart).value(0));
    const QStringList names = test::exportedNames(*chart);
    EXPECT_THAT(names.value(0).toStdString(), HasSubstr("n 2"));
    selection_.hideRuns({"b"}, true);
    const auto after = test::pointsOf(*chart, test::curveIds(*chart).value(0));
    EXPECT_EQ(test::exportedNames(*chart), names);
    EXPECT_EQ(after.y, before.y);
    EXPECT_THAT(child<QPushButton>("compare.show_all")->text().toStdString(), HasSubstr("1 hidden, counted"));
}

TEST_F(ComparePanelTest, HoveringACurveOrARowHighlightsTheOther) {
    addRuns(400);
    openPanel();
    compareBoth();
    auto* chart = child<LineChart>("compare.chart");
    Q_EMIT chart->curveHovered(test::curveIds(*chart).value(1));
    EXPECT_EQ(selection_.hoveredRun(), "b");
    Q_EMIT chart->curveHovered({});
    EXPECT_EQ(selection_.hoveredRun(), QString());
    const auto widthOf = [&] {
        double widest = 0;
        for (int i = 0; i < chart->plot()->plottableCount(); ++i)
            if (chart->plot()->plottable(i)->visible())
                widest = std::max(widest, chart->plot()->plottable(i)->pen().widthF());
        return widest;
    };
    const double before = widthOf();
    selection_.setHoveredRun("b");
    EXPECT_GT(widthOf(), before);
    selection_.setHoveredRun({});
    EXPECT_EQ(widthOf(), before);
}

TEST_F(ComparePanelTest, AForkIsDrawnFromItsParentsCurve) {
    addRuns();
    {
        auto fork = *store::RunWriter::open(root() / "runs" / "c");
        for (const auto& [key, value] :
             {std::pair{"name", "restore-fork"}, std::pair{"family", "curve"},
              std::pair{"state", "completed"}, std::pair{"started", "1700000900"}, std::pair{"parent", "b"},
              std::pair{"parent_checkpoint", "step-00001000"}})
            fork->set(key, value);
        for (int step = 1001; step <= 1500; ++step) fork->scalar("loss", step, 1.7e9 + step, 2.0);
        ASSERT_TRUE(fork->flush());
    }
    openPanel();
    selection_.setRuns({QStringLiteral("a"), QStringLiteral("c")});
    ASSERT_TRUE(test::waitFor([&] { return panel_->hasData() && catalog_->data("b") != nullptr; }));
    auto* metric = panel_->findChild<QComboBox*>("compare.metric");
    metric->setCurrentIndex(metric->findData("loss"));
    Q_EMIT metric->activated(metric->currentIndex());
    LineChart* chart = panel_->findChild<CompareChart*>()->chart();
    const QStringList parents = test::curveIds(*chart).filter(QStringLiteral(" parent"));
    ASSERT_EQ(parents.size(), 1);
    const auto before = test::pointsOf(*chart, parents.front());
    EXPECT_EQ(before.x.size(), 1000U);
    EXPECT_EQ(before.x.back(), 1000);
    EXPECT_EQ(before.y, (std::vector<double>(catalog_->data("b")->find("loss")->value.begin(),
                                             catalog_->data("b")->find("loss")->value.begin() + 1000)));
    EXPECT_TRUE(test::exportedNames(*chart).contains(QString("restore-sclm until %1").arg(countText(1000))));
    // A parent that is compared too is there in full already; the fork still says where it began.
    selection_.setRuns({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
    EXPECT_TRUE(test::waitFor([&] { return test::curveIds(*chart).size() == 3; }));
    EXPECT_TRUE(test::curveIds(*chart).filter(QStringLiteral(" parent")).isEmpty());
    const QStringList labels = test::exportedNames(*chart);
    EXPECT_TRUE(labels.contains(QString("restore-fork (fork at %1)").arg(countText(1000))))
        << labels.join('|').toStdString();
}

}  // namespace
}  // namespace kurve::views
