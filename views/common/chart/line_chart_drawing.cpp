// Replotting of a LineChart: once after many changes, not for invisible changes, and not while hidden.
#include <algorithm>
#include <cmath>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

namespace {

constexpr double kVisibleShift = 0.5;  ///< pixels that cause an immediate replot

}  // namespace

void LineChart::touch() {
    stale_ = true;
    queueReplot();
}

// One more point of a long curve changes the picture invisibly: it is drawn with the next ones or after a
// delay.
void LineChart::grow() {
    stale_ = true;
    if (!std::exchange(checking_, true))
        QMetaObject::invokeMethod(this, &LineChart::replotIfMoved, Qt::QueuedConnection);
}

void LineChart::replotIfMoved() {
    checking_ = false;
    settle();
    const auto moved = [](const QCPRange& from, const QCPRange& to, double pixels) {
        return std::max(std::abs(to.lower - from.lower), std::abs(to.upper - from.upper)) * pixels >=
               kVisibleShift * to.size();
    };
    const QRect area = plot_->axisRect()->rect();
    const QCPRange keys = plot_->xAxis->range();
    const auto [low, high, bottom, top, playhead] = drawn_;
    if (!following_ || valuesZoomed_ || moved({low, high}, keys, area.width()) ||
        moved({bottom, top}, plot_->yAxis->range(), area.height()) ||
        std::abs(playheadAt_ - playhead) * area.width() >= kVisibleShift * keys.size())
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

// A chart that is scrolled out of view waits, like one on a hidden page.
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
