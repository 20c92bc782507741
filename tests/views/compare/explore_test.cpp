// Axes of runs and their brushes: every filter that a brush writes is read back by the filter's
// own parser and keeps exactly the runs in the brush.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/gui_app.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/theme/theme.h"
#include "views/compare/explore_axis.h"
#include "views/compare/parallel_plot.h"
#include "views/compare/scatter_plot.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

std::vector<store::RunSummary> someRuns() {
    std::vector<store::RunSummary> runs;
    for (int i = 0; i < 8; ++i) {
        store::RunSummary run;
        run.id = "run" + std::to_string(i);
        run.name = run.id;
        run.family = i % 2 ? "sclm" : "difformer";
        run.settings = {{"train.lr", std::to_string(1e-5 * std::pow(10, i / 2))},
                        {"model.width", "128"},
                        {"map.kind", i < 3   ? "spline"
                                     : i < 5 ? "repeat"
                                             : "band of four"}};
        run.metrics = {{"valid_bleu", 10.0 + 7 * i}};
        if (i > 5) run.metrics["rare"] = i;
        runs.push_back(run);
    }
    return runs;
}

const ExploreAxis& axisNamed(const std::vector<ExploreAxis>& axes, const std::string& key) {
    return *std::find_if(axes.begin(), axes.end(), [&](const auto& axis) { return axis.key == key; });
}

TEST(ExploreAxes, AreTheDifferencesByRelevance) {
    const auto runs = someRuns();
    std::vector<std::string> keys;
    for (const auto& axis : exploreAxes(runs, EngineInfo())) keys.push_back(axis.key);
    EXPECT_THAT(keys, ElementsAre("family", "map.kind", "train.lr", "valid_bleu", "rare"));
}

TEST(ExploreAxes, ScoresOfOutputsComeBeforeOtherMetrics) {
    auto runs = someRuns();
    for (auto& run : runs)
        run.metrics["valid_above_margin"] = run.metrics["loss"] = run.metrics.at("valid_bleu");
    std::vector<std::string> keys;
    for (const auto& axis : exploreAxes(runs, EngineInfo()))
        if (axis.metric) keys.push_back(axis.key);
    EXPECT_EQ(keys.front(), "valid_bleu");
}

TEST(ExploreAxes, TheBestOfACurveIsAnAxisWhereItIsNotTheLast) {
    auto runs = someRuns();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto extremes = std::make_shared<store::RunExtremes>();
        const double last = runs[i].metrics.at("valid_bleu");
        extremes->metrics = {{.metric = "lr", .low = 0.1, .high = 1.0 + static_cast<double>(i)},
                             {.metric = "valid_bleu", .low = 1, .high = last + static_cast<double>(i)}};
        runs[i].extremes = extremes;
        runs[i].metrics["lr"] = 0.5;
    }
    const auto engine = EngineInfo::fromJson(
        {{"families", nlohmann::json::array()},
         {"metrics", {{{"id", "valid_bleu"}, {"title", "BLEU"}, {"better", "higher"}}}}});
    ASSERT_TRUE(engine);
    const auto axes = exploreAxes(runs, *engine);
    std::vector<std::string> keys;
    for (const auto& axis : axes) keys.push_back(axis.key);
    EXPECT_THAT(keys, ::testing::Contains("max.valid_bleu"));
    EXPECT_THAT(keys, ::testing::Not(::testing::Contains("min.valid_bleu"))) << "the direction is known";
    EXPECT_THAT(keys, ::testing::Contains("max.lr"));
    EXPECT_THAT(keys, ::testing::Not(::testing::Contains("min.lr"))) << "all runs have the same";
    const auto& best = axisNamed(axes, "max.valid_bleu");
    EXPECT_NEAR(best.position(runs.back()), 1, 1e-9);
    const auto filter = store::RunFilter::parse(best.terms(0.5, 1).toStdString());
    ASSERT_TRUE(filter);
    for (const auto& run : runs) EXPECT_EQ(filter->matches(run), best.position(run) >= 0.5 - 1e-6);
}

TEST(ExploreAxes, PositionsAreOfNumbersTheirLogarithmsOrTexts) {
    const auto runs = someRuns();
    const auto axes = exploreAxes(runs, EngineInfo());
    const auto& rate = axisNamed(axes, "train.lr");
    EXPECT_TRUE(rate.log);  // 1e-5 to 1e-2
    EXPECT_NEAR(rate.position(runs[2]), 1 / 3.0, 1e-6);
    const auto& bleu = axisNamed(axes, "valid_bleu");
    EXPECT_FALSE(bleu.log);
    EXPECT_NEAR(bleu.position(runs[7]), 1, 1e-12);
    EXPECT_NEAR(bleu.position(runs[1]), 1 / 7.0, 1e-12);
    const auto& kind = axisNamed(axes, "map.kind");
    EXPECT_THAT(kind.categories, ElementsAre("band of four", "repeat", "spline"));
    EXPECT_EQ(kind.position(runs[4]), 0.5);
    EXPECT_TRUE(std::isnan(axisNamed(axes, "rare").position(runs[0])));
}

TEST(ExploreAxes, TermsMatchExactlyTheRunsBetween) {
    const auto runs = someRuns();
    for (const auto& axis : exploreAxes(runs, EngineInfo()))
        for (const auto& [from, to] :
             {std::pair{0.0, 0.55}, {0.3, 0.7}, {0.45, 1.0}, {-0.1, 1.1}, {0.9, 0.2}}) {
            const QString text = axis.terms(from, to);
            const auto filter = store::RunFilter::parse(text.toStdString());
            ASSERT_TRUE(filter) << text.toStdString();
            for (const auto& run : runs) {
                const double place = axis.position(run), low = std::min(from, to), high = std::max(from, to);
                // A brush over everything is no filter, also of runs that have no such value.
                const bool all = low <= 0 && high >= 1;
                EXPECT_EQ(filter->matches(run), all || (place >= low && place <= high))
                    << text.toStdString() << " " << run.id << " at " << place;
            }
        }
}

class ExplorePlots : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
    }
};

TEST_F(ExplorePlots, DraggingAlongAnAxisFiltersAndAClickClears) {
    const auto runs = someRuns();
    const auto axes = exploreAxes(runs, EngineInfo());
    ParallelPlot plot;
    plot.resize(900, 300);
    plot.setRuns(runs, axes);
    plot.show();
    QSignalSpy brushed(&plot, &ParallelPlot::brushed);
    const QPoint from(static_cast<int>(plot.axisX(3)), static_cast<int>(plot.yOf(0.5)));
    const QPoint to(from.x(), static_cast<int>(plot.yOf(1)) - 20);
    QTest::mousePress(&plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(&plot, to);
    QMouseEvent move(QEvent::MouseMove, to, plot.mapToGlobal(to), Qt::LeftButton, Qt::LeftButton, {});
    QApplication::sendEvent(&plot, &move);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, to);
    ASSERT_FALSE(brushed.empty());
    const QString terms = brushed.last()[0].toString();
    EXPECT_TRUE(terms.startsWith("valid_bleu>=")) << terms.toStdString();
    EXPECT_EQ(terms, plot.terms());
    int kept = 0;
    for (const auto& run : runs) kept += plot.matches(run);
    EXPECT_EQ(kept, 4);
    ASSERT_EQ(plot.tables().front().rows.size(), 4);
    EXPECT_EQ(std::get<double>(plot.tables().front().rows.back()[4]), 59.0);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, from);
    EXPECT_EQ(plot.terms(), "");
}

TEST_F(ExplorePlots, KeysMoveABrushsEdges) {
    const auto runs = someRuns();
    ParallelPlot plot;
    plot.resize(900, 300);
    const auto axes = exploreAxes(runs, EngineInfo());
    plot.setRuns(runs, {axisNamed(axes, "train.lr"), axisNamed(axes, "valid_bleu")});
    plot.show();
    EXPECT_EQ(plot.focusPolicy(), Qt::StrongFocus);
    QSignalSpy brushed(&plot, &ParallelPlot::brushed);
    QTest::keyClick(&plot, Qt::Key_Right);
    EXPECT_EQ(plot.accessibleDescription(), "valid_bleu: all");
    for (int i = 0; i < 10; ++i) QTest::keyClick(&plot, Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_TRUE(plot.terms().startsWith("valid_bleu>=")) << plot.terms().toStdString();
    EXPECT_EQ(brushed.last()[0].toString(), plot.terms());
    int kept = 0;
    for (const auto& run : runs) kept += plot.matches(run);
    EXPECT_EQ(kept, 4) << "the upper half, as by the mouse";
    QTest::keyClick(&plot, Qt::Key_Down);
    EXPECT_TRUE(plot.terms().contains("valid_bleu<=")) << plot.terms().toStdString();
    QTest::keyClick(&plot, Qt::Key_Delete);
    EXPECT_EQ(plot.terms(), "");
    QTest::keyClick(&plot, Qt::Key_Left);
    QTest::keyClick(&plot, Qt::Key_Down);
    EXPECT_TRUE(plot.terms().contains("train.lr<=")) << plot.terms().toStdString();
    QTest::keyClick(&plot, Qt::Key_Home);
    EXPECT_EQ(plot.terms(), "");
}

TEST_F(ExplorePlots, ABrushKeepsItsValuesWhenTheEndsOfItsAxisChange) {
    auto runs = someRuns();
    const auto show = [](ParallelPlot& plot, const std::vector<store::RunSummary>& shown) {
        const auto axes = exploreAxes(shown, EngineInfo());
        plot.setRuns(shown, {axisNamed(axes, "valid_bleu")});
    };
    ParallelPlot plot;
    show(plot, runs);
    plot.show();
    for (int i = 0; i < 10; ++i) QTest::keyClick(&plot, Qt::Key_Up, Qt::ShiftModifier);
    QTest::keyClick(&plot, Qt::Key_Down);
    const QString terms = plot.terms();
    EXPECT_EQ(terms, "valid_bleu>=34.5 valid_bleu<=56.55");
    for (const std::size_t count : {8U, 5U, 8U}) {  // of 5 runs the best has 38
        show(plot, {runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(count)});
        int kept = 0;
        for (const auto& run : runs) kept += plot.matches(run);
        EXPECT_EQ(kept, 3) << "38, 45 and 52, with " << count;
    }
    EXPECT_EQ(plot.terms(), terms);
    QSignalSpy brushed(&plot, &ParallelPlot::brushed);
    plot.setRuns(runs, {axisNamed(exploreAxes(runs, EngineInfo()), "train.lr")});
    ASSERT_EQ(brushed.size(), 1);
    EXPECT_EQ(brushed[0][0].toString(), "") << "without its axis a brush filters nothing";
}

TEST_F(ExplorePlots, AClickOnALineSelectsItsRun) {
    const auto runs = someRuns();
    const auto axes = exploreAxes(runs, EngineInfo());
    ParallelPlot plot;
    plot.resize(900, 300);
    plot.setRuns(runs, {axisNamed(axes, "train.lr"), axisNamed(axes, "valid_bleu")});
    plot.show();
    QSignalSpy chosen(&plot, &ParallelPlot::runChosen);
    // Half way from 1/3 (lr of run 3) to 3/7 (its BLEU).
    const QPoint middle(static_cast<int>((plot.axisX(0) + plot.axisX(1)) / 2),
                        static_cast<int>(plot.yOf((1 / 3.0 + 3 / 7.0) / 2)));
    QTest::mouseClick(&plot, Qt::LeftButton, {}, middle);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toString(), "run3");
}

TEST_F(ExplorePlots, ARunWithoutAValueHasAGapAtThatAxis) {
    auto runs = someRuns();
    const auto axes = exploreAxes(runs, EngineInfo());
    runs[3].settings.erase("train.lr");
    ParallelPlot plot;
    plot.resize(900, 300);
    plot.setRuns({runs[3], runs[7]},
                 {axisNamed(axes, "family"), axisNamed(axes, "train.lr"), axisNamed(axes, "valid_bleu")});
    plot.show();
    QSignalSpy chosen(&plot, &ParallelPlot::runChosen);
    const auto click = [&](double part) {  // of the way from family 1 to BLEU 3/7, which leaves out no axis
        const double x = plot.axisX(0) + part * (plot.axisX(2) - plot.axisX(0));
        const QPoint at(static_cast<int>(x), static_cast<int>(plot.yOf(1 + part * (3 / 7.0 - 1))));
        QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
    };
    for (const double part : {0.3, 0.4, 0.6, 0.7}) click(part);
    EXPECT_TRUE(chosen.empty());
    const QPoint alone(static_cast<int>(plot.axisX(2)), static_cast<int>(plot.yOf(3 / 7.0)));
    EXPECT_NE(plot.grab().toImage().pixelColor(alone - QPoint(2, 0)), theme().surface)
        << "a point of its own";
    runs[3].settings["train.lr"] = runs[2].settings["train.lr"];
    plot.setRuns({runs[3], runs[7]}, {axisNamed(axes, "family"), axisNamed(axes, "valid_bleu")});
    QTest::mouseClick(&plot, Qt::LeftButton, {},
                      {static_cast<int>((plot.axisX(0) + plot.axisX(1)) / 2),
                       static_cast<int>(plot.yOf((1 + 3 / 7.0) / 2))});
    EXPECT_EQ(chosen.size(), 1) << "with a value on every axis its line can be clicked";
}

QStringList& warnings() {
    static QStringList texts;
    return texts;
}

TEST_F(ExplorePlots, ARunWithoutOneOfTheTwoNumbersIsNotDrawn) {
    const auto runs = someRuns();
    ScatterPlot scatter;
    scatter.resize(400, 300);
    warnings().clear();
    const auto before = qInstallMessageHandler(
        [](QtMsgType, const QMessageLogContext&, const QString& text) { warnings() << text; });
    scatter.setRuns(runs, exploreAxes(runs, EngineInfo()));
    scatter.show();
    auto* across = scatter.findChild<QComboBox*>("explore.x");
    across->setCurrentIndex(across->findText("rare"));
    Q_EMIT across->activated(across->currentIndex());
    scatter.grab();
    scatter.plot()->replot(QCustomPlot::rpImmediateRefresh);
    qInstallMessageHandler(before);
    EXPECT_TRUE(warnings().filter("NaN").isEmpty()) << warnings().join('|').toStdString();
    EXPECT_EQ(scatter.plot()->graphCount(), 2) << "runs 6 and 7 have the number";
}

class Scatter : public ExplorePlots {
protected:
    Scatter() {
        scatter_.resize(500, 400);
        scatter_.setRuns(runs_, exploreAxes(runs_, EngineInfo()));
        scatter_.show();
        plot_->replot(QCustomPlot::rpImmediateRefresh);
    }
    QPoint pixel(double x, double y) {
        return {static_cast<int>(plot_->xAxis->coordToPixel(x)),
                static_cast<int>(plot_->yAxis->coordToPixel(y))};
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers with = {}) {
        const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButtons held) {
            const auto button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
            QMouseEvent event(type, at, plot_->mapToGlobal(at), button, held, with);
            QApplication::sendEvent(plot_, &event);
        };
        send(QEvent::MouseButtonPress, from, Qt::LeftButton);
        send(QEvent::MouseMove, (from + to) / 2, Qt::LeftButton);
        send(QEvent::MouseMove, to, Qt::LeftButton);
        send(QEvent::MouseButtonRelease, to, Qt::NoButton);
    }

    QApplication& app_ = test::guiApp();
    const std::vector<store::RunSummary> runs_ = someRuns();
    ScatterPlot scatter_;
    QCustomPlot* plot_ = scatter_.plot();  // BLEU over the learning rate
    QSignalSpy brushed_{&scatter_, &ScatterPlot::brushed}, chosen_{&scatter_, &ScatterPlot::runChosen};
};

TEST_F(Scatter, ABoxBecomesAFilter) {
    drag(pixel(-0.05, 1.05), pixel(0.5, 0.2));
    ASSERT_EQ(brushed_.size(), 1);
    const auto filter = store::RunFilter::parse(brushed_[0][0].toString().toStdString());
    ASSERT_TRUE(filter);
    std::vector<std::string> kept;
    for (const auto& run : runs_)
        if (filter->matches(run)) kept.push_back(run.id);
    EXPECT_THAT(kept, ElementsAre("run2", "run3"));
    EXPECT_EQ(chosen_.size(), 0);
    EXPECT_EQ(plot_->xAxis->range(), QCPRange(-0.06, 1.06)) << "it neither pans nor zooms";
}

TEST_F(Scatter, ABoxWithShiftZoomsAndADoubleClickShowsAll) {
    drag(pixel(0.2, 0.8), pixel(0.6, 0.4), Qt::ShiftModifier);
    EXPECT_EQ(brushed_.size(), 0);
    EXPECT_NEAR(plot_->xAxis->range().lower, 0.2, 0.01);
    EXPECT_NEAR(plot_->xAxis->range().upper, 0.6, 0.01);
    EXPECT_NEAR(plot_->yAxis->range().upper, 0.8, 0.01);
    const QCPRange zoomed = plot_->xAxis->range();
    scatter_.setMatching({"run2"});
    EXPECT_EQ(plot_->xAxis->range(), zoomed) << "a filter keeps the zoom";
    QTest::mouseDClick(plot_, Qt::LeftButton, {}, pixel(0.5, 0.5));
    EXPECT_EQ(plot_->xAxis->range(), QCPRange(-0.06, 1.06));
}

TEST_F(Scatter, TheZoomOfAFieldDoesNotHoldForAnother) {
    drag(pixel(0.2, 0.8), pixel(0.6, 0.4), Qt::ShiftModifier);
    const QCPRange zoomed = plot_->xAxis->range();
    scatter_.setRuns(runs_, exploreAxes(runs_, EngineInfo()));
    EXPECT_EQ(plot_->xAxis->range(), zoomed) << "the same fields";
    auto axes = exploreAxes(runs_, EngineInfo());
    std::erase_if(axes, [](const auto& axis) { return axis.key == "train.lr"; });
    scatter_.setRuns(runs_, axes);
    EXPECT_NE(scatter_.findChild<QComboBox*>("explore.x")->currentText(), "train.lr");
    EXPECT_EQ(plot_->xAxis->range(), QCPRange(-0.06, 1.06));
    EXPECT_EQ(plot_->yAxis->range(), QCPRange(-0.06, 1.06));
}

TEST_F(Scatter, AClickOrEnterChoosesARun) {
    const auto axes = exploreAxes(runs_, EngineInfo());
    const auto& x = axisNamed(axes, "train.lr");
    const auto& y = axisNamed(axes, "valid_bleu");
    const QPoint at = pixel(x.position(runs_[3]), y.position(runs_[3]));
    drag(at, at + QPoint(2, 1));
    ASSERT_EQ(chosen_.size(), 1) << "a hand that shakes clicks, too";
    EXPECT_EQ(chosen_[0][0].toString(), "run3");
    EXPECT_EQ(brushed_.size(), 0);
    scatter_.activateWindow();
    plot_->setFocus();
    QTest::keyClick(plot_, Qt::Key_Return);
    EXPECT_EQ(chosen_.size(), 1) << "no run has the key cursor yet";
    QTest::keyClick(plot_, Qt::Key_Left);  // begins on the right
    QTest::keyClick(plot_, Qt::Key_Left);
    QTest::keyClick(plot_, Qt::Key_Return);
    ASSERT_EQ(chosen_.size(), 2);
    std::vector<std::pair<double, std::string>> order;
    for (const auto& run : runs_)
        if (std::isfinite(x.position(run)) && std::isfinite(y.position(run)))
            order.emplace_back(x.position(run), run.id);
    std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.first < b.first; });
    EXPECT_EQ(chosen_[1][0].toString().toStdString(), order[order.size() - 2].second);
    EXPECT_TRUE(plot_->accessibleDescription().contains("train.lr"));
}

}  // namespace
}  // namespace kurve::views
