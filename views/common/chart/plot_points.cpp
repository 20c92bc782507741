#include "views/common/chart/plot_points.h"

#include <cmath>

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

QPointF pixelOf(const QCustomPlot& plot, const QPointF& point) {
    return {plot.xAxis->coordToPixel(point.x()), plot.yAxis->coordToPixel(point.y())};
}

QPointF coordsOf(const QCustomPlot& plot, const QPointF& pixel) {
    return {plot.xAxis->pixelToCoord(pixel.x()), plot.yAxis->pixelToCoord(pixel.y())};
}

std::optional<std::size_t> nearestPoint(const QPointF& pixel, double reach, std::size_t count,
                                        const std::function<QPointF(std::size_t)>& pixelAt) {
    std::optional<std::size_t> nearest;
    for (std::size_t i = 0; i < count; ++i) {
        const QPointF off = pixelAt(i) - pixel;
        const double distance = std::hypot(off.x(), off.y());
        if (!(distance < reach)) continue;
        reach = distance;
        nearest = i;
    }
    return nearest;
}

}  // namespace kurve::views
