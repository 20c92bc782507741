// What mouse and keys read out of a chart.
#include <gtest/gtest.h>

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QTest>
#include <QToolButton>

#include "tests/views/shell/chart_fixture.h"

namespace kurve::views {
namespace {

TEST_F(ChartTest, TheNearestCurveIsTheOneUnderTheMouse) {
    const std::vector<double> x{0, 100}, low{0, 0}, high{10, 10};
    chart_->setCurve("low", spec_, x, low);
    chart_->setCurve("high", spec_, x, high);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const auto position = [&](double key, double value) {
        return QPointF(chart_->plot()->xAxis->coordToPixel(key), chart_->plot()->yAxis->coordToPixel(value));
    };
    EXPECT_EQ(chart_->curveAt(position(50, 0) + QPointF(0, -5)), "low");  // far from any point, near the line
    EXPECT_EQ(chart_->curveAt(position(20, 10) + QPointF(0, 6)), "high");
    EXPECT_EQ(chart_->curveAt(position(50, 5)), "");
}

// The tip of many curves stays a tip: the one meant and those beside it, and how many more there are.
TEST_F(ChartTest, ListsTheCurvesNearestToThePointer) {
    const std::vector<double> x{0, 100};
    for (int i = 0; i < 40; ++i) {
        CurveSpec spec = spec_;
        spec.label = QStringLiteral("curve %1.").arg(i);
        chart_->setCurve(QStringLiteral("c%1").arg(i), spec, x,
                         std::vector<double>{static_cast<double>(i), static_cast<double>(i)});
    }
    QCustomPlot* plot = chart_->plot();
    plot->replot(QCustomPlot::rpImmediateRefresh);
    const QPointF at(plot->xAxis->coordToPixel(50), plot->yAxis->coordToPixel(30.1));
    QMouseEvent move(QEvent::MouseMove, at, plot->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(plot, &move);
    const QString tip = plot->toolTip();
    EXPECT_EQ(tip.count('\n'), 17) << tip.toStdString();  // the position, 16 values, the rest
    EXPECT_TRUE(tip.contains("▸ curve 30.")) << tip.toStdString();
    EXPECT_TRUE(tip.contains("curve 23.") && tip.contains("curve 37.")) << tip.toStdString();
    EXPECT_FALSE(tip.contains("curve 10.")) << tip.toStdString();
    EXPECT_TRUE(tip.endsWith("… and 24 more")) << tip.toStdString();
}

TEST_F(ChartTest, ARightClickInThePlotRequestsTheMenu) {
    const Data d = wave(101);
    chart_->setCurve("a", spec_, d.x, d.y);
    QCustomPlot* plot = chart_->plot();
    plot->replot(QCustomPlot::rpImmediateRefresh);
    double requested = -1;
    QObject::connect(chart_.get(), &LineChart::menuRequested,
                     [&](const QString&, double at, const QPoint&) { requested = at; });
    const QPoint at(static_cast<int>(plot->xAxis->coordToPixel(50)), plot->axisRect()->center().y());
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, plot->mapToGlobal(at));
    QCoreApplication::sendEvent(plot, &event);
    EXPECT_NEAR(requested, 50, 1);
}

TEST_F(ChartTest, TheFitButtonIsShownOnlyInAZoomedChart) {
    const Data d = wave(101);
    chart_->setCurve("a", spec_, d.x, d.y);
    auto* fit = chart_->findChild<QToolButton*>("chart.fit");
    EXPECT_FALSE(fit->isVisible());
    chart_->setKeyRange(10, 20);
    EXPECT_TRUE(fit->isVisible());
    chart_->fit();
    EXPECT_FALSE(fit->isVisible()) << "also of a chart that is fitted with another";
}

TEST_F(ChartTest, ArrowsShowPointAfterPoint) {
    const std::vector<double> x{0, 100, 150, 400}, y{5, 4, 3, 2};
    chart_->setKeyTitle("step");
    chart_->setCurve("a", spec_, x, y);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const auto press = [&](int key, Qt::KeyboardModifiers with = {}) {
        QTest::keyClick(chart_.get(), static_cast<Qt::Key>(key), with);
    };
    const auto reported = [&] { return chart_->accessibleDescription().toStdString(); };
    EXPECT_EQ(chart_->focusPolicy(), Qt::StrongFocus);
    for (const char* line : {"step 0\ntrain  5", "step 100\ntrain  4", "step 150\ntrain  3",
                             "step 400\ntrain  2", "step 400\ntrain  2"}) {
        press(Qt::Key_Right);
        EXPECT_EQ(reported(), line);
    }
    press(Qt::Key_Left);
    EXPECT_EQ(reported(), "step 150\ntrain  3");
    double clicked = -1;
    QObject::connect(chart_.get(), &LineChart::clickedAt, [&](double at) { clicked = at; });
    press(Qt::Key_Return);
    EXPECT_EQ(clicked, 150);
}

TEST_F(ChartTest, KeysZoomAtTheCursorPanAndFit) {
    const Data d = wave(1000);
    chart_->setCurve("a", spec_, d.x, d.y);
    const QCPRange all = chart_->plot()->xAxis->range(), values = chart_->plot()->yAxis->range();
    QTest::keyClick(chart_.get(), Qt::Key_Plus);
    const QCPRange closer = chart_->plot()->xAxis->range();
    EXPECT_NEAR(closer.size(), 0.8 * all.size(), 1e-6);
    EXPECT_FALSE(chart_->isFollowing());
    QTest::keyClick(chart_.get(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_NEAR(chart_->plot()->xAxis->range().lower, closer.lower + 0.1 * closer.size(), 1e-6);
    QTest::keyClick(chart_.get(), Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_GT(chart_->plot()->yAxis->range().lower, values.lower);
    QTest::keyClick(chart_.get(), Qt::Key_Minus);
    EXPECT_NEAR(chart_->plot()->xAxis->range().size(), all.size(), 1e-6);
    QTest::keyClick(chart_.get(), Qt::Key_Home);
    EXPECT_TRUE(chart_->isFollowing());
    EXPECT_NEAR(chart_->plot()->xAxis->range().lower, all.lower, 1e-9);
    // Points that fraction a pixel are one step, so that a thousand keys reach the end of a million points.
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    const QString last = chart_->accessibleDescription();
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    EXPECT_NE(chart_->accessibleDescription(), last);
}

}  // namespace
}  // namespace kurve::views
