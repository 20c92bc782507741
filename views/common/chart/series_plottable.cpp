#include "views/common/chart/series_plottable.h"

#include <algorithm>
#include <cmath>

#include "views/common/chart/dense_line.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

SeriesPlottable::SeriesPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis) {
    setSelectable(QCP::stNone);
}

void SeriesPlottable::setMarker(const QCPScatterStyle& marker, double minimumGap) {
    marker_ = marker;
    minimumGap_ = minimumGap;
}

double SeriesPlottable::selectTest(const QPointF&, bool, QVariant*) const {
    return -1;
}

QCPRange SeriesPlottable::getKeyRange(bool& found, QCP::SignDomain domain) const {
    found = pyramid_ && pyramid_->size() > 0;
    if (!found) return {};
    double low = pyramid_->x().front();
    const double high = pyramid_->x().back();
    if (domain == QCP::sdPositive && low <= 0) {
        const std::size_t first = std::min(pyramid_->lowerBound(1e-300), pyramid_->size() - 1);
        low = pyramid_->x()[first];
        found = low > 0;
    }
    return {low, high};
}

QCPRange SeriesPlottable::getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keyRange) const {
    found = false;
    if (!pyramid_ || pyramid_->size() == 0) return {};
    std::size_t begin = 0, end = pyramid_->size();
    if (keyRange != QCPRange()) {
        begin = pyramid_->lowerBound(keyRange.lower);
        end = pyramid_->lowerBound(keyRange.upper);
        if (end < pyramid_->size() && pyramid_->x()[end] == keyRange.upper) ++end;
    }
    if (begin >= end) return {};
    const series::Extent extent = pyramid_->extent(begin, end);
    if (extent.empty()) return {};
    const double low = domain == QCP::sdPositive ? extent.minPositive : extent.min;
    found = std::isfinite(low) && (domain != QCP::sdPositive || extent.max > 0);
    return {low, extent.max};
}

bool SeriesPlottable::logValues() const {
    return valueAxis()->scaleType() == QCPAxis::stLogarithmic;
}
double SeriesPlottable::gutter() const {
    return valueAxis()->axisRect()->bottom() - px(4);
}

void SeriesPlottable::draw(QCPPainter* painter) {
    if (!pyramid_ || pyramid_->size() == 0) return;
    drawKeyGutter(painter);
    const QCPRange range = keyAxis()->range();
    std::size_t begin = pyramid_->lowerBound(range.lower), end = pyramid_->lowerBound(range.upper);
    // One point beyond each edge, so that the line leaves the picture instead of ending in it.
    if (begin > 0 && !(keyAxis()->scaleType() == QCPAxis::stLogarithmic && pyramid_->x()[begin - 1] <= 0))
        --begin;
    end = std::min(end + 1, pyramid_->size());
    if (begin >= end) return;
    painter->setPen(pen());
    painter->setBrush(Qt::NoBrush);
    applyDefaultAntialiasingHint(painter);
    const auto pixels = static_cast<std::size_t>(std::max(keyAxis()->axisRect()->width(), 1));
    if (end - begin <= 2 * pixels)
        drawPoints(painter, begin, end);
    else
        drawColumns(painter);
}

void SeriesPlottable::drawKeyGutter(QCPPainter* painter) const {
    if (keyAxis()->scaleType() != QCPAxis::stLogarithmic) return;
    painter->setPen(pen());
    painter->setAntialiasing(true);
    const double left = keyAxis()->axisRect()->left();
    constexpr std::size_t kMost = 200;  // step 0 and its like
    for (std::size_t i = 0; i < std::min(pyramid_->size(), kMost) && pyramid_->x()[i] <= 0; ++i) {
        const double y = pyramid_->y()[i];
        if (!std::isfinite(y) || (logValues() && y <= 0)) continue;
        const double at = valueAxis()->coordToPixel(y);
        painter->drawLine(QPointF(left + px(1), at), QPointF(left + px(5), at));
    }
}

void SeriesPlottable::drawPoints(QCPPainter* painter, std::size_t begin, std::size_t end) const {
    const auto x = pyramid_->x();
    const auto y = pyramid_->y();
    QVector<QPointF> line, bad, points;
    const auto flush = [&] {
        if (line.size() == 1) points << line.front();  // an isolated finite point stays visible
        stroke(painter, line);
        line.clear();
    };
    QPointF last(keyAxis()->coordToPixel(x[begin]), gutter());
    for (std::size_t i = begin; i < end; ++i) {
        const double px0 = keyAxis()->coordToPixel(x[i]);
        if (!std::isfinite(y[i])) {
            flush();
            bad << QPointF(px0, last.y());
        } else if (logValues() && y[i] <= 0) {
            flush();
            painter->drawLine(QPointF(px0, gutter()), QPointF(px0, gutter() + px(3)));
        } else {
            last = QPointF(px0, valueAxis()->coordToPixel(y[i]));
            line << last;
            if (minimumGap_ > 0) points << last;
        }
    }
    flush();
    const double width = keyAxis()->coordToPixel(x[end - 1]) - keyAxis()->coordToPixel(x[begin]);
    // A single point has no width, but is drawn.
    const bool sparse = end - begin == 1 || width / static_cast<double>(end - begin) >= minimumGap_;
    if (minimumGap_ > 0 && sparse) {
        marker_.applyTo(painter, pen());
        for (const QPointF& point : points) marker_.drawShape(painter, point);
    } else if (minimumGap_ <= 0) {
        painter->setBrush(pen().color());
        for (const QPointF& point : points) painter->drawEllipse(point, 1.5, 1.5);
    }
    drawBad(painter, bad);
}

void SeriesPlottable::drawColumns(QCPPainter* painter) const {
    const int width = std::max(keyAxis()->axisRect()->width(), 1);
    const double left = keyAxis()->axisRect()->left();
    const bool logKeys = keyAxis()->scaleType() == QCPAxis::stLogarithmic;
    // A whole coordinate is the centre of a pixel: the columns begin half a pixel before the first.
    const double first = keyAxis()->pixelToCoord(left - 0.5),
                 past = keyAxis()->pixelToCoord(left + width - 0.5);
    const auto columns = pyramid_->columns(logKeys ? series::logEdges(first, past, width)
                                                   : series::linearEdges(first, past, width));
    QVector<QPointF> line, bad;
    line.resize(static_cast<qsizetype>(columns.size()) * 4);
    QPointF* const begin = line.data();
    QPointF* end = begin;  // written in place: of a thousand curves every call counts
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const series::Column& column = columns[i];
        const double x = left + static_cast<double>(i);
        const double low = logValues() ? column.extent.minPositive : column.extent.min;
        if (column.extent.notFinite > 0) bad << QPointF(x, end == begin ? gutter() : end[-1].y());
        if (logValues() && column.extent.min <= 0 && !column.extent.empty())
            painter->drawLine(QPointF(x, gutter()), QPointF(x, gutter() + px(3)));
        if (column.extent.empty() || !std::isfinite(low) || (logValues() && column.extent.max <= 0)) continue;
        const auto y = [this, low](double value) {
            return valueAxis()->coordToPixel(logValues() ? std::max(value, low) : value);
        };
        const double top = y(column.extent.max), bottom = y(column.extent.min);
        if (bottom - top < 1.5) {  // flat within the column: one point, so that smooth curves stay smooth
            *end++ = QPointF(x, y(column.last));
            continue;
        }
        // In and out at the first and last value, through both extremes: nothing between two columns is
        // interpolated.
        for (const double at : {y(column.first), bottom, top, y(column.last)}) *end++ = QPointF(x, at);
    }
    line.resize(end - begin);
    stroke(painter, line);
    drawBad(painter, bad);
}

void SeriesPlottable::stroke(QCPPainter* painter, const QVector<QPointF>& line) const {
    if (line.size() < 2) return;
    const QRect area = keyAxis()->axisRect()->rect();
    if (!painter->modes().testFlag(QCPPainter::pmVectorized) && isDenseLine(line, area)) {
        painter->setAntialiasing(false);  // reverts QCustomPlot's shift by half a pixel
        return drawDenseLine(*painter, line, pen(), area);
    }
    applyDefaultAntialiasingHint(painter);
    QPen bevelled = pen();
    bevelled.setJoinStyle(Qt::BevelJoin);  // a mitre would lengthen every spike
    painter->setPen(bevelled);
    painter->drawPolyline(line.constData(), static_cast<int>(line.size()));
}

void SeriesPlottable::drawBad(QCPPainter* painter, const QVector<QPointF>& positions) const {
    if (positions.isEmpty()) return;
    painter->setAntialiasing(true);
    painter->setPen(QPen(theme().bad, 1.6 * theme().scale));
    const double r = 3.5 * theme().scale;
    double lastX = -1e9;
    for (const QPointF& p : positions) {
        if (p.x() - lastX < r) continue;
        lastX = p.x();
        painter->drawLine(QPointF(p.x() - r, p.y() - r), QPointF(p.x() + r, p.y() + r));
        painter->drawLine(QPointF(p.x() - r, p.y() + r), QPointF(p.x() + r, p.y() - r));
    }
}

void SeriesPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->setPen(pen());
    painter->drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()));
}

}  // namespace kurve::views
