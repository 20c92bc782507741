// Mouse input of a LineChart: readouts, the nearest curve, clicks and the context menu.
#include <algorithm>
#include <cmath>
#include <limits>

#include <QContextMenuEvent>
#include <QDateTime>
#include <QLabel>
#include <QMetaMethod>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/series_plottable.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kReach = 14;  ///< pixels within which a curve is picked

void placeVertical(QCPItemStraightLine* line, double x) {
    line->point1->setCoords(x, 0);
    line->point2->setCoords(x, 1);
}

/// One curve's value under the pointer.
struct HoverLine {
    QString text;
    double off = 0;  ///< pixels from the pointer; -1 for the nearest curve
};

/// As many as fit a tip, those nearest to the pointer, in the order in which the curves stand.
QStringList closest(std::vector<HoverLine> all) {
    constexpr std::size_t kMostLines = 16;
    double limit = std::numeric_limits<double>::infinity();
    if (all.size() > kMostLines) {
        std::vector<double> offs;
        for (const HoverLine& line : all) offs.push_back(line.off);
        std::nth_element(offs.begin(), offs.begin() + kMostLines - 1, offs.end());
        limit = offs[kMostLines - 1];
    }
    QStringList lines;
    for (const HoverLine& line : all)
        if (line.off <= limit && lines.size() < static_cast<qsizetype>(kMostLines)) lines << line.text;
    if (all.size() > kMostLines)
        lines << LineChart::tr("… and %1 more").arg(all.size() - static_cast<std::size_t>(lines.size()));
    return lines;
}

}  // namespace

void LineChart::buildPlot() {
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumSize(px(120), px(70));
    plot_->setAccessibleName(title_);
    plot_->setFocusPolicy(Qt::NoFocus);  // the chart itself has the focus
    setFocusPolicy(Qt::StrongFocus);
    plot_->xAxis->setNumberPrecision(6);
    for (QCPItemStraightLine** line : {&playhead_, &cursor_}) {
        *line = new QCPItemStraightLine(plot_);
        for (QCPItemPosition* point : {(*line)->point1, (*line)->point2}) {
            point->setTypeX(QCPItemPosition::ptPlotCoords);
            point->setTypeY(QCPItemPosition::ptAxisRectRatio);
        }
        (*line)->setSelectable(false);
        (*line)->setVisible(false);
    }
    connect(plot_, &QCustomPlot::mouseMove, this, &LineChart::hover);
    connect(plot_, &QCustomPlot::mousePress, this, [this] {
        pressedAndMoved_ = false;
        pressed_ = view();
        setFocus(Qt::MouseFocusReason);
    });
    connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
        if (std::exchange(boxing_, false)) return;  // zoomToBox() comes next
        if (pressedAndMoved_) return viewChanged(pressed_);
        if (event->button() != Qt::LeftButton || !plot_->axisRect()->rect().contains(event->pos())) return;
        const QString id = curveAt(event->position());
        Q_EMIT clickedAt(scales_.keys.toValue(plot_->xAxis->pixelToCoord(event->position().x())));
        if (!id.isEmpty()) Q_EMIT curveClicked(id);
    });
}

QStringList LineChart::curveIds() const {
    QStringList ids;
    for (const auto& [id, curve] : curves_) ids << id;
    return ids;
}

LineChart::Points LineChart::pointsOf(const QString& id) const {
    const auto found = curves_.find(id);
    if (found == curves_.end()) return {};
    ChartCurve::Points points = found->second->points();
    return {found->second->spec().label, std::move(points.x), std::move(points.y)};
}

double LineChart::valueAt(const QString& id, double x) const {
    const auto found = curves_.find(id);
    return found == curves_.end() ? std::numeric_limits<double>::quiet_NaN()
                                  : found->second->nearest(x, true, smoothing_).second;
}

QString LineChart::curveAt(const QPointF& pixel) const {
    QString nearest;
    double least = kReach * theme().scale;
    for (const auto& [id, curve] : curves_) {
        const double off = curve->distance(pixel, smoothing_);
        if (off < 0 || off > least) continue;
        least = off;
        nearest = id;
    }
    return nearest;
}

void LineChart::contextMenuEvent(QContextMenuEvent* event) {
    if (!isSignalConnected(QMetaMethod::fromSignal(&LineChart::menuRequested))) return event->ignore();
    const QPointF position = plot_->mapFrom(this, event->pos());
    Q_EMIT menuRequested(curveAt(position), scales_.keys.toValue(plot_->xAxis->pixelToCoord(position.x())),
                         event->globalPos());
}

void LineChart::hover(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) pressedAndMoved_ = true;
    placeHover(event->position());
    queueReplot();
}

void LineChart::placeHover(const QPointF& pixel) {
    // The axes' far ends are one pixel outside their rectangle.
    const bool inside = plot_->axisRect()->rect().adjusted(0, 0, 1, 1).contains(pixel.toPoint());
    cursor_->setVisible(inside);
    const QString meant = inside ? curveAt(pixel) : QString();
    point(meant);
    if (!inside) return plot_->setToolTip({});
    const double at = plot_->xAxis->pixelToCoord(pixel.x()), x = scales_.keys.toValue(at);
    const bool dates = areDates();
    QStringList lines;
    placeVertical(cursor_, at);
    const QString nearest = curves_.size() > 1 ? meant : QString();
    std::vector<HoverLine> values;
    for (const auto& [id, curve] : curves_) {
        if (curve->empty()) continue;
        const auto [key, value] = curve->nearest(x, false, smoothing_);
        if (lines.isEmpty())
            lines << QStringLiteral("%1 %2").arg(
                keyTitle_, dates ? QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(key * 1000))
                                       .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))
                                 : numberText(key, 8));
        const QString line = QStringLiteral("%1  %2").arg(
            curve->spec().label.isEmpty() ? title_ : curve->spec().label, numberText(value, 6));
        const double off = std::abs(plot_->yAxis->coordToPixel(scales_.values.toCoord(value)) - pixel.y());
        if (id == nearest)
            values.push_back({QStringLiteral("▸ %1").arg(line), -1});
        else
            values.push_back({line, std::isfinite(off) ? off : std::numeric_limits<double>::max()});
    }
    lines += closest(std::move(values));
    const double reach = scales_.keys.toValue(plot_->xAxis->pixelToCoord(pixel.x() + px(5))) - x;
    for (const Mark& mark : marks_)
        if (std::abs(mark.x - x) <= reach) lines << QStringLiteral("▲ %1: %2").arg(mark.kind, mark.text);
    if (const QString outside = outsideText(); !outside.isEmpty()) lines << outside;
    plot_->setToolTip(lines.join(QLatin1Char('\n')));
}

void LineChart::showButtons(bool hovered) {
    // The legend uses this space until the chart is hovered; a changed axis scale stays visible.
    logX_->setVisible(hovered || keyScale() != Scale::Linear);
    logY_->setVisible(hovered || valueScale() != Scale::Linear);
    fit_->setVisible(hovered || !following_ || valuesZoomed_);
}

void LineChart::enterEvent(QEnterEvent* event) {
    QWidget::enterEvent(event);
    showButtons(true);
}

void LineChart::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    showButtons(false);
    hidePointer();
}

void LineChart::hidePointer() {
    point({});
    cursor_->setVisible(false);
    queueReplot();
}

void LineChart::point(const QString& curve) {
    if (std::exchange(hovered_, curve) != curve) Q_EMIT curveHovered(curve);
}

}  // namespace kurve::views
