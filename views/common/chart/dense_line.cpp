#include "views/common/chart/dense_line.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <vector>

namespace kurve::views {

namespace {

constexpr double kDenseTravel = 3;  // pixels up and down for each pixel across
constexpr double kWeakDash = 0.3;
constexpr double kCentre = 0.5;

/// Of one pixel column, from the area's top; nothing there if top > bottom.
struct Span {
    double top = 1, bottom = 0;
    [[nodiscard]] bool empty() const { return top > bottom; }
    void include(double low, double high) {
        top = empty() ? low : std::min(top, low);
        bottom = std::max(bottom, high);
    }
};
using Spans = std::vector<Span>;

void addSegment(Spans& spans, const QPointF& from, const QPointF& to) {
    const auto width = static_cast<double>(spans.size());
    if (to.x() < 0 || from.x() >= width) return;
    const double run = to.x() - from.x();
    const double slope = run > 0 ? (to.y() - from.y()) / run : 0;
    const auto last = static_cast<int>(std::min(std::floor(to.x()), width - 1));
    for (int column = static_cast<int>(std::max(std::floor(from.x()), 0.0)); column <= last; ++column) {
        const double enters = std::max(from.x(), static_cast<double>(column)),
                     leaves = std::min(to.x(), column + 1.0);
        const double a = run > 0 ? from.y() + slope * (enters - from.x()) : from.y();
        const double b = run > 0 ? from.y() + slope * (leaves - from.x()) : to.y();
        spans[static_cast<std::size_t>(column)].include(std::min(a, b), std::max(a, b));
    }
}

/// The line's columns in device pixels.
Spans columnsOf(const QVector<QPointF>& line, const QRect& area, double ratio) {
    Spans spans(static_cast<std::size_t>(std::ceil(area.width() * ratio)));
    const auto inArea = [&](const QPointF& p) {
        return QPointF((p.x() + kCentre - area.left()) * ratio, (p.y() + kCentre - area.top()) * ratio);
    };
    QPointF before = inArea(line.front());
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF next = inArea(line[i]);
        addSegment(spans, before, next);
        before = next;
    }
    return spans;
}

/// Every column also covers what its neighbours within a pen of that many columns cover.
Spans widened(const Spans& spans, int columns) {
    const auto count = static_cast<int>(spans.size());
    Spans out(spans.size());
    for (int i = 0; i < count; ++i) {
        const Span& span = spans[static_cast<std::size_t>(i)];
        if (span.empty()) continue;
        const int first = std::max(i - (columns - 1) / 2, 0), last = std::min(i + columns / 2, count - 1);
        for (int k = first; k <= last; ++k) out[static_cast<std::size_t>(k)].include(span.top, span.bottom);
    }
    return out;
}

/// Adds half a pen above and below and keeps to the area; returns what is covered from top to bottom.
Span thicken(Spans& spans, double thickness, double height) {
    Span all;
    for (Span& span : spans) {
        if (span.empty()) continue;
        span.top = std::max(span.top - thickness / 2, 0.0);
        span.bottom = std::min(span.bottom + thickness / 2, height);
        if (!span.empty()) all.include(span.top, span.bottom);
    }
    return all;
}

/// A premultiplied colour times a fraction in 0..1.
QRgb scaled(QRgb colour, double fraction) {
    const auto part = [fraction](int value) { return static_cast<int>(std::lround(value * fraction)); };
    return qRgba(part(qRed(colour)), part(qGreen(colour)), part(qBlue(colour)), part(qAlpha(colour)));
}

QImage pictureOf(const Spans& spans, int firstRow, int rows, const QPen& pen, double thickness) {
    QImage picture(static_cast<int>(spans.size()), rows, QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    const QRgb strong = qPremultiply(pen.color().rgba()), weak = scaled(strong, kWeakDash);
    const bool dashed = pen.style() != Qt::SolidLine;
    const auto dash = static_cast<std::size_t>(std::max(2L, std::lround(4 * thickness)));
    const qsizetype stride = picture.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    auto* pixels = reinterpret_cast<QRgb*>(picture.bits());
    for (std::size_t x = 0; x < spans.size(); ++x) {
        if (spans[x].empty()) continue;
        const QRgb colour = dashed && x / dash % 2 == 1 ? weak : strong;
        const double top = spans[x].top - firstRow, bottom = spans[x].bottom - firstRow;
        const auto first = static_cast<qsizetype>(top), whole = static_cast<qsizetype>(std::ceil(top)),
                   end = static_cast<qsizetype>(bottom);
        QRgb* const column = pixels + x;
        // Only the first and the last row are covered in part.
        if (whole > first) column[first * stride] = scaled(colour, std::min(bottom, first + 1.0) - top);
        for (qsizetype row = whole; row < end; ++row) column[row * stride] = colour;
        if (end >= whole && bottom > static_cast<double>(end))
            column[end * stride] = scaled(colour, bottom - static_cast<double>(end));
    }
    return picture;
}

}  // namespace

bool isDenseLine(const QVector<QPointF>& line, const QRect& area) {
    if (line.size() < 3) return false;
    const auto height = [&](const QPointF& p) {
        return std::clamp<double>(p.y(), area.top(), area.bottom());
    };
    double travel = 0;
    for (qsizetype i = 1; i < line.size(); ++i) travel += std::abs(height(line[i]) - height(line[i - 1]));
    const double across = std::min<double>(line.back().x() - line.front().x(), area.width());
    return travel > kDenseTravel * std::max(across, 1.0);
}

void drawDenseLine(QPainter& painter, const QVector<QPointF>& line, const QPen& pen, const QRect& area) {
    const double ratio = painter.device()->devicePixelRatioF();
    const double thickness = std::max(pen.widthF(), 1.0) * ratio;
    Spans spans = columnsOf(line, area, ratio);
    if (const long columns = std::lround(thickness); columns > 1)
        spans = widened(spans, static_cast<int>(columns));
    const Span all = thicken(spans, thickness, area.height() * ratio);
    if (all.empty()) return;
    const auto firstRow = static_cast<int>(all.top),
               rows = static_cast<int>(std::ceil(all.bottom)) - firstRow;
    if (rows < 1) return;
    QImage picture = pictureOf(spans, firstRow, rows, pen, thickness);
    picture.setDevicePixelRatio(ratio);
    painter.drawImage(QPointF(area.left(), area.top() + firstRow / ratio), picture);
}

}  // namespace kurve::views
