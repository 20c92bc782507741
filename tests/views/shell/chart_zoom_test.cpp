// Looking closer in a chart: one axis or both by the wheel, a box, a stretch by keys, and the way back.
#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

#include "tests/views/shell/chart_fixture.h"

namespace kurve::views {
namespace {

class ChartZoomTest : public ChartTest {
protected:
    void SetUp() override {
        ChartTest::SetUp();
        const Data d = wave(1001);
        chart_->setCurve("a", spec_, d.x, d.y);
        chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
        area_ = chart_->plot()->axisRect()->rect();
        all_ = x();
        values_ = y();
    }
    QCPRange x() { return chart_->plot()->xAxis->range(); }
    QCPRange y() { return chart_->plot()->yAxis->range(); }
    void press(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(chart_.get(), key, with); }
    void turn(const QPoint& position, Qt::KeyboardModifiers with = {}) {
        QWheelEvent event(position, chart_->plot()->mapToGlobal(position), {}, {0, 120}, Qt::NoButton, with,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(chart_->plot(), &event);
        QCoreApplication::processEvents();
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers with = {}) {
        const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButtons held) {
            const auto button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
            QMouseEvent event(type, at, chart_->plot()->mapToGlobal(at), button, held, with);
            QCoreApplication::sendEvent(chart_->plot(), &event);
        };
        send(QEvent::MouseButtonPress, from, Qt::LeftButton);
        send(QEvent::MouseMove, (from + to) / 2, Qt::LeftButton);
        send(QEvent::MouseMove, to, Qt::LeftButton);
        if (cancels_) press(Qt::Key_Escape, with);
        send(QEvent::MouseButtonRelease, to, Qt::NoButton);
        QCoreApplication::processEvents();
    }
    QRect area_;
    QCPRange all_, values_;
    bool cancels_ = false;  ///< Esc before the button is let go
};

TEST_F(ChartZoomTest, TheWheelScrollsAPageUntilTheChartHasTheFocus) {
    QScrollArea page;
    auto* content = new QWidget;
    content->setFixedSize(400, 2000);
    LineChart* chart = chart_.release();
    chart->setParent(content);
    chart->setGeometry(0, 0, 380, 240);
    page.setWidget(content);
    page.resize(420, 300);
    page.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
    page.setFocus();
    ASSERT_FALSE(chart->hasFocus());
    chart->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QPoint inside = chart->plot()->axisRect()->rect().center();
    const auto wheel = [&](Qt::KeyboardModifiers with) {
        QWheelEvent event(inside, chart->plot()->mapToGlobal(inside), {}, {0, -120}, Qt::NoButton, with,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(chart->plot(), &event);
        QCoreApplication::processEvents();
        return page.verticalScrollBar()->value();
    };
    const QCPRange before = chart->plot()->xAxis->range();
    const int scrolled = wheel({});
    EXPECT_GT(scrolled, 0);
    EXPECT_EQ(chart->plot()->xAxis->range(), before);
    EXPECT_EQ(wheel(Qt::ShiftModifier), scrolled);
    EXPECT_NE(chart->plot()->xAxis->range(), before) << "Shift zooms the chart";
    const QCPRange meant = chart->plot()->xAxis->range();
    chart->setFocus();
    ASSERT_TRUE(chart->hasFocus());
    EXPECT_EQ(wheel({}), scrolled);
    EXPECT_NE(chart->plot()->xAxis->range(), meant);
}

TEST_F(ChartZoomTest, TheWheelZoomsBothAxesOrTheSelectedOne) {
    turn(area_.center());
    EXPECT_LT(x().size(), all_.size());
    EXPECT_LT(y().size(), values_.size());
    press(Qt::Key_Home);
    turn(area_.center(), Qt::ShiftModifier);
    EXPECT_LT(x().size(), all_.size());
    EXPECT_EQ(y(), values_);
    press(Qt::Key_Home);
    turn(area_.center(), Qt::ControlModifier);
    EXPECT_EQ(x(), all_);
    EXPECT_LT(y().size(), values_.size());
    press(Qt::Key_Home);
    turn({area_.left() - 10, area_.center().y()});
    EXPECT_EQ(x(), all_) << "over the y axis";
    EXPECT_LT(y().size(), values_.size());
    press(Qt::Key_Home);
    turn({area_.center().x(), area_.bottom() + 9});
    EXPECT_LT(x().size(), all_.size());
    EXPECT_EQ(y(), values_);
}

TEST_F(ChartZoomTest, ZoomingYOnlyKeepsFollowingX) {
    press(Qt::Key_Up, Qt::ControlModifier);
    EXPECT_NEAR(y().size(), 0.8 * values_.size(), 1e-9);
    const QCPRange closer = y();
    const Data more = wave(2001);
    chart_->setCurve("a", spec_, more.x, more.y);
    EXPECT_DOUBLE_EQ(x().upper, 2000);
    EXPECT_EQ(y(), closer);
    press(Qt::Key_Down, Qt::ControlModifier);
    EXPECT_NEAR(y().size(), values_.size(), 1e-9);
    press(Qt::Key_Home);
    EXPECT_DOUBLE_EQ(x().upper, 2000);
    EXPECT_NEAR(y().size(), values_.size(), 1e-3);
}

TEST_F(ChartZoomTest, AShiftedDragZoomsToItsBox) {
    double low = 0;
    QObject::connect(chart_.get(), &LineChart::keyRangeChosen, [&](double at) { low = at; });
    const QPoint from(area_.left() + 100, area_.top() + 40), to(area_.left() + 200, area_.top() + 100);
    const QCustomPlot* plot = chart_->plot();
    const double left = plot->xAxis->pixelToCoord(from.x()), top = plot->yAxis->pixelToCoord(from.y());
    drag(from, to, Qt::ShiftModifier);
    EXPECT_NEAR(x().lower, left, 1e-9);
    EXPECT_NEAR(x().size(), all_.size() * 101 / area_.width(), all_.size() / area_.width());
    EXPECT_NEAR(y().upper, top, 1e-9);
    EXPECT_NEAR(low, left, 1e-9) << "linked charts follow";
    EXPECT_FALSE(chart_->isFollowing());
}

TEST_F(ChartZoomTest, AFlatBoxZoomsOneAxisASmallOneNoneAndEscCancels) {
    const QPoint middle = area_.center();
    drag(middle, middle + QPoint(100, 5), Qt::ShiftModifier);
    EXPECT_LT(x().size(), all_.size());
    EXPECT_EQ(y(), values_);
    press(Qt::Key_Home);
    drag(middle, middle + QPoint(-4, 60), Qt::ShiftModifier);
    EXPECT_EQ(x(), all_);
    EXPECT_LT(y().size(), values_.size());
    press(Qt::Key_Home);
    drag(middle, middle + QPoint(4, 4), Qt::ShiftModifier);
    EXPECT_EQ(x(), all_);
    cancels_ = true;
    drag(middle, middle + QPoint(100, 60), Qt::ShiftModifier);
    EXPECT_EQ(x(), all_);
    EXPECT_EQ(y(), values_);
    EXPECT_TRUE(chart_->isFollowing());
}

TEST_F(ChartZoomTest, ADragWithoutShiftPans) {
    drag(area_.center(), area_.center() + QPoint(50, 0));
    EXPECT_LT(x().lower, all_.lower);
    EXPECT_NEAR(x().size(), all_.size(), 1e-6);
}

TEST_F(ChartZoomTest, KeysZoomToTheRangeBetweenTwoPoints) {
    press(Qt::Key_Right);
    for (int i = 0; i < 20; ++i) press(Qt::Key_Right);
    press(Qt::Key_Z);
    for (int i = 0; i < 30; ++i) press(Qt::Key_Right);
    press(Qt::Key_Z);
    EXPECT_GT(x().lower, 0);
    EXPECT_LT(x().upper, 500);
    EXPECT_LT(y().size(), values_.size()) << "y is fitted to the range";
    press(Qt::Key_Home);
    press(Qt::Key_Z);
    press(Qt::Key_Escape);
    press(Qt::Key_Right);
    press(Qt::Key_Z);
    EXPECT_EQ(x(), all_) << "a new start of a range";
}

TEST_F(ChartZoomTest, BackspaceRestoresThePreviousView) {
    turn(area_.center());
    turn(area_.center());
    const QCPRange wheeled = x();
    drag(area_.center(), area_.center() + QPoint(60, 10));
    drag(area_.center(), area_.center() + QPoint(80, 60), Qt::ShiftModifier);
    press(Qt::Key_Home);
    EXPECT_EQ(x(), all_);
    press(Qt::Key_Backspace);
    EXPECT_LT(x().size(), wheeled.size()) << "the box";
    press(Qt::Key_Backspace);
    press(Qt::Key_Backspace);
    EXPECT_NEAR(x().lower, wheeled.lower, 1e-9);
    press(Qt::Key_Backspace);
    EXPECT_EQ(x(), all_) << "consecutive wheel turns are one entry";
    EXPECT_TRUE(chart_->isFollowing());
    press(Qt::Key_Backspace);
    EXPECT_EQ(x(), all_);
}

TEST_F(ChartZoomTest, AClickOnAnAxisIsNotAClickInThePlot) {
    int clicks = 0;
    QObject::connect(chart_.get(), &LineChart::clickedAt, [&] { ++clicks; });
    QTest::mouseClick(chart_->plot(), Qt::LeftButton, {}, {area_.center().x(), area_.bottom() + 9});
    EXPECT_EQ(clicks, 0);
    QTest::mouseClick(chart_->plot(), Qt::LeftButton, {}, area_.center());
    EXPECT_EQ(clicks, 1);
}

}  // namespace
}  // namespace kurve::views
