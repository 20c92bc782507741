#pragma once

#include <QPen>
#include <QPointF>
#include <QRect>
#include <QVector>

class QPainter;

namespace kurve::views {

/// Whether a line goes up and down so often within the area that drawDenseLine() is the better choice.
[[nodiscard]] bool isDenseLine(const QVector<QPointF>& line, const QRect& area);

/// Draws a line whose x does not fall; whole coordinates are the centres of pixels, as in QCustomPlot. Each
/// pixel column is filled from the lowest to the highest position of the line in it, with soft ends: what an
/// anti-aliased stroke tends to, every extreme at its exact height, at the cost of a fill (Qt's strokes of
/// such a line take tens of milliseconds, and their overlaps darken transparent colours). Dashes become an
/// alternation of strong and weak columns, since a gap would hide extremes.
void drawDenseLine(QPainter& painter, const QVector<QPointF>& line, const QPen& pen, const QRect& area);

}  // namespace kurve::views
