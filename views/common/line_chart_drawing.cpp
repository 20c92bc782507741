// When a LineChart draws itself again: once after many changes, not for what nobody could see, and not while
// it is out of sight.
#include <algorithm>
#include <cmath>

#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"

namespace kurve::views {

namespace {

constexpr double kSeen = 0.5;  ///< pixels by which a picture must move to be drawn again at once

}  // namespace

void LineChart::touch() {
    stale_ = true;
    queueReplot();
}

// Of a long curve one more point moves the picture by less than anybody can see: it is drawn with the next
// ones, or when it has waited.
void LineChart::grow() {
    stale_ = true;
    if (!std::exchange(judging_, true))
        QMetaObject::invokeMethod(this, &LineChart::judge, Qt::QueuedConnection);
}

void LineChart::judge() {
    judging_ = false;
    settle();
    const auto moved = [](const QCPRange& from, const QCPRange& to, double pixels) {
        return std::max(std::abs(to.lower - from.lower), std::abs(to.upper - from.upper)) * pixels >=
               kSeen * to.size();
    };
    const QRect area = plot_->axisRect()->rect();
    const QCPRange keys = plot_->xAxis->range();
    const auto [low, high, bottom, top, playhead] = drawn_;
    if (!following_ || valuesHeld_ || moved({low, high}, keys, area.width()) ||
        moved({bottom, top}, plot_->yAxis->range(), area.height()) ||
        std::abs(playheadAt_ - playhead) * area.width() >= kSeen * keys.size())
        return queueReplot();
    if (!late_.isActive()) late_.start();
}

void LineChart::settle() {
    if (!std::exchange(stale_, false)) return;
    followData();
    updateLegend();
}

void LineChart::noteDrawn() {
    late_.stop();
    const QCPRange keys = plot_->xAxis->range(), values = plot_->yAxis->range();
    drawn_ = {keys.lower, keys.upper, values.lower, values.upper, playheadAt_};
}

QCustomPlot* LineChart::plot() {
    settle();
    countOutside();
    return plot_;
}

// A chart that is scrolled out of sight waits, like one on a page that is not shown.
void LineChart::queueReplot() {
    if (isVisible() && !visibleRegion().isEmpty()) return plot_->replot(QCustomPlot::rpQueuedReplot);
    dirty_ = true;
    if (stale_) QMetaObject::invokeMethod(this, &LineChart::settle, Qt::QueuedConnection);  // for exports
}

void LineChart::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(dirty_, false)) plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LineChart::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    if (std::exchange(dirty_, false)) plot_->replot(QCustomPlot::rpQueuedReplot);
    paintFocus();
}

}  // namespace kurve::views
