#pragma once

#include <QPointF>
#include <functional>
#include <optional>

class QCustomPlot;

namespace kurve::views {

/// Between coordinates of a plot's left and bottom axis and its pixels.
[[nodiscard]] QPointF pixelOf(const QCustomPlot& plot, const QPointF& point);
[[nodiscard]] QPointF coordsOf(const QCustomPlot& plot, const QPointF& pixel);
/// Index of the point nearest to a pixel and closer than `reach` pixels, of `count` that are at `pixelAt(i)`;
/// one at NaN is nowhere.
[[nodiscard]] std::optional<std::size_t> nearestPoint(const QPointF& pixel, double reach, std::size_t count,
                                                      const std::function<QPointF(std::size_t)>& pixelAt);

}  // namespace kurve::views
