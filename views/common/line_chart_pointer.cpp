// What the mouse does in a LineChart: readouts, the nearest curve, clicks and the context menu's place.
#include <algorithm>
#include <cmath>
#include <limits>

#include <QContextMenuEvent>
#include <QDateTime>
#include <QLabel>
#include <QMetaMethod>

#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/series_plottable.h"

namespace kurve::views {

namespace {

constexpr double kReach = 14;  ///< pixels at which a curve is meant

void placeVertical(QCPItemStraightLine* line, double x) {
    line->point1->setCoords(x, 0);
    line->point2->setCoords(x, 1);
}

}  // namespace

void LineChart::buildPlot() {
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumSize(px(120), px(70));
    plot_->setAccessibleName(title_);
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
    connect(plot_, &QCustomPlot::mousePress, this, [this] { pressedAndMoved_ = false; });
    connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
        if (pressedAndMoved_) return chosenByHand();
        const double x = plot_->xAxis->pixelToCoord(event->position().x());
        const QString id = curveAt(event->position());
        if (event->button() != Qt::LeftButton) return;
        Q_EMIT clickedAt(x);
        if (!id.isEmpty()) Q_EMIT curveClicked(id);
    });
    connect(plot_, &QCustomPlot::mouseWheel, this, [this] {
        QMetaObject::invokeMethod(
            this, [this] { chosenByHand(); }, Qt::QueuedConnection);
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] {
        fit();
        Q_EMIT followChosen();
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
    const Curve& curve = found->second;
    Points points{curve.look.label, curve.givenX, curve.givenY};
    if (curve.path) return points;
    points.x.assign(curve.raw->x().begin(), curve.raw->x().end());
    for (const double place : curve.raw->y()) points.y.push_back(toValue(place));
    return points;
}

std::size_t LineChart::nearestPoint(const Curve& curve, double x) const {
    std::size_t i = std::min(curve.raw->lowerBound(x), curve.raw->size() - 1);
    if (i > 0 && x - curve.raw->x()[i - 1] < curve.raw->x()[i] - x) --i;
    return i;
}

double LineChart::valueAt(const QString& id, double x) const {
    const auto found = curves_.find(id);
    if (found == curves_.end() || found->second.raw->size() == 0)
        return std::numeric_limits<double>::quiet_NaN();
    const Curve& curve = found->second;
    const std::size_t i = nearestPoint(curve, x);
    const bool averaged = curve.look.smooth && smoothing_ > 0 && curve.smooth->size() == curve.raw->size();
    return toValue(averaged ? curve.smooth->y()[i] : curve.raw->y()[i]);
}

double LineChart::distance(const Curve& curve, const QPointF& pixel) const {
    if (curve.path) return curve.path->selectTest(pixel, false);
    if (curve.raw->size() == 0) return -1;
    const bool averaged = curve.look.smooth && smoothing_ > 0 && curve.smooth->size() == curve.raw->size();
    const series::Pyramid& drawn = averaged ? *curve.smooth : *curve.raw;
    // Against the segments about the pointer, so that steep stretches and wide gaps can be pointed at as
    // well.
    const std::size_t at =
        std::min(drawn.lowerBound(plot_->xAxis->pixelToCoord(pixel.x())), drawn.size() - 1);
    const auto place = [&](std::size_t i) {
        return QPointF(plot_->xAxis->coordToPixel(drawn.x()[i]), plot_->yAxis->coordToPixel(drawn.y()[i]));
    };
    double best = -1;
    constexpr std::size_t kAround = 8;
    const std::size_t first = at > kAround ? at - kAround : 0,
                      last = std::min(at + kAround, drawn.size() - 1);
    for (std::size_t i = first; i <= last; ++i) {
        const QPointF a = place(i), b = place(std::min(i + 1, last)), along = b - a;
        if (!std::isfinite(a.y()) || !std::isfinite(b.y())) continue;
        const double length = QPointF::dotProduct(along, along);
        const double t =
            length > 0 ? std::clamp(QPointF::dotProduct(pixel - a, along) / length, 0.0, 1.0) : 0;
        const QPointF off = pixel - (a + t * along);
        const double found = std::hypot(off.x(), off.y());
        if (best < 0 || found < best) best = found;
    }
    return best;
}

QString LineChart::curveAt(const QPointF& pixel) const {
    QString nearest;
    double least = kReach * theme().scale;
    for (const auto& [id, curve] : curves_) {
        const double off = distance(curve, pixel);
        if (off < 0 || off > least) continue;
        least = off;
        nearest = id;
    }
    return nearest;
}

void LineChart::contextMenuEvent(QContextMenuEvent* event) {
    if (!isSignalConnected(QMetaMethod::fromSignal(&LineChart::menuRequested))) return event->ignore();
    const QPointF place = plot_->mapFrom(this, event->pos());
    Q_EMIT menuRequested(curveAt(place), plot_->xAxis->pixelToCoord(place.x()), event->globalPos());
}

void LineChart::hover(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) pressedAndMoved_ = true;
    placeHover(event->position());
    queueReplot();
}

void LineChart::placeHover(const QPointF& pixel) {
    const bool inside = plot_->axisRect()->rect().contains(pixel.toPoint());
    cursor_->setVisible(inside);
    if (!inside) return plot_->setToolTip({});
    const double x = plot_->xAxis->pixelToCoord(pixel.x());
    const bool dates = !plot_->xAxis->ticker().dynamicCast<QCPAxisTickerDateTime>().isNull();
    QStringList lines;
    placeVertical(cursor_, x);
    const QString nearest = curves_.size() > 1 ? curveAt(pixel) : QString();
    for (const auto& [id, curve] : curves_) {
        if (curve.raw->size() == 0) continue;
        const std::size_t i = nearestPoint(curve, x);
        const double key = curve.raw->x()[i];
        if (lines.isEmpty())
            lines << QStringLiteral("%1 %2").arg(
                keyTitle_, dates ? QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(key * 1000))
                                       .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))
                                 : numberText(key, 8));
        const QString line =
            QStringLiteral("%1  %2").arg(curve.look.label.isEmpty() ? title_ : curve.look.label,
                                         numberText(toValue(curve.raw->y()[i]), 6));
        lines << (id == nearest ? QStringLiteral("▸ %1").arg(line) : line);
    }
    const double reach = plot_->xAxis->pixelToCoord(pixel.x() + px(5)) - x;
    for (const Mark& mark : marks_)
        if (std::abs(mark.x - x) <= reach) lines << QStringLiteral("▲ %1: %2").arg(mark.kind, mark.text);
    plot_->setToolTip(lines.join(QLatin1Char('\n')));
}

}  // namespace kurve::views
