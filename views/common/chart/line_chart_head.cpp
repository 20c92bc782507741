// The title row of a LineChart: name, unit, smoothing and legend; and replotting, once after many changes,
// not for invisible ones, and not while hidden.
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/chart_legend.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/smoothing_control.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kVisibleShift = 0.5;  ///< pixels that cause an immediate replot

QPen markPen() {
    QColor colour = theme().warn;
    colour.setAlphaF(0.6f);
    return {colour, 1, Qt::DotLine};
}
QPen referencePen() {
    return {theme().muted, 1.2 * theme().scale, Qt::DashDotLine};
}

}  // namespace

/// Smoothing is always named.
void LineChart::nameTitle() {
    titleLabel_->setTexts(title_, {unit_, smoothingText()});
}

/// Curve names that do not fit beside the title go below it, and the card requests the height of that line;
/// a card with a minimum height of its own does so only if it is high enough.
void LineChart::placeLegend() {
    constexpr double kEdges = 34, kLeastHeight = 120, kLegendLine = 16;
    constexpr const char* kOwnHeight = "ownMinimumHeight";  // while the card requests more
    const QVariant stored = property(kOwnHeight);
    const int own = stored.isValid() ? stored.toInt() : minimumHeight();
    int available = width() - px(kEdges) - titleLabel_->sizeHint().width();
    if (keyScale() != Scale::Linear) available -= logX_->sizeHint().width();
    if (valueScale() != Scale::Linear) available -= logY_->sizeHint().width();
    const bool below = legend_->entries().size() > 1 && legend_->widthWithNames() > available &&
                       (own == 0 || height() >= px(kLeastHeight));
    const int lines = legend_->entries().size() > 2 ? 2 : 1;
    setProperty(kOwnHeight, below ? QVariant(own) : QVariant());
    const int least = below && own == 0 ? minimumSizeHint().height() + px(kLegendLine * lines) : own;
    if (minimumHeight() != least) setMinimumHeight(least);
    if (below == (below_->count() > 0)) return;
    (below ? head_ : below_)->removeWidget(legend_);
    if (below)
        below_->addWidget(legend_);
    else
        head_->insertWidget(2, legend_, 1);
    head_->setStretch(0, below ? 1 : 0);
    legend_->setMostLines(below ? 2 : 1);
}

void LineChart::setNamesFirst(bool on) {
    legend_->setNamesFirst(on);
}

void LineChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeLegend();
}

QString LineChart::smoothingText() const {
    const bool any = std::any_of(curves_.begin(), curves_.end(),
                                 [this](const auto& entry) { return entry.second->isSmoothed(smoothing_); });
    return any ? smoothingName(smoothing_) : QString();
}

/// References and marks, over points only.
void LineChart::drawGuides(bool any) {
    using Form = ChartLayer::Form;
    std::vector<ChartLayer> guides;
    for (const auto& [id, reference] : references_)
        guides.push_back(
            {Form::HorizontalGuide, {}, {}, {scales_.values.toCoord(reference.y)}, referencePen()});
    for (const Mark& mark : marks_)
        guides.push_back({Form::VerticalGuide, {}, {scales_.keys.toCoord(mark.x)}, {}, markPen()});
    guides_.show(any ? guides : std::vector<ChartLayer>());
}

void LineChart::updateLegend() {
    nameTitle();
    std::vector<ChartLegend::Entry> entries;
    for (const auto& [id, curve] : curves_) {
        const CurveSpec& spec = curve->spec();
        if (spec.label.isEmpty() || curve->empty()) continue;
        entries.push_back({spec.style.color,
                           spec.style.dash == Qt::SolidLine ? QStringLiteral("━") : QStringLiteral("╍"),
                           spec.label, numberText(curve->last(smoothing_))});
    }
    for (const auto& [id, reference] : references_)
        entries.push_back({theme().muted, QStringLiteral("┄"), reference.label, numberText(reference.y)});
    // Axes without a curve would show arbitrary numbers.
    const bool any =
        std::any_of(curves_.begin(), curves_.end(), [](const auto& entry) { return !entry.second->empty(); });
    plot_->axisRect()->setVisible(any);
    for (QCPAxis* axis : plot_->axisRect()->axes())
        axis->setVisible(any && (axis == plot_->xAxis || axis == plot_->yAxis));
    drawGuides(any);
    if (!any) return legend_->setNote(tr("no points yet"));
    legend_->setEntries(std::move(entries));
    placeLegend();
}

// ---- replots ----

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
    if (!zoom_->isAutomatic() || moved({low, high}, keys, area.width()) ||
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
    ranges_.countOutside();
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
    if (hasFocus()) paintFocusFrame(*this);
}

}  // namespace kurve::views
