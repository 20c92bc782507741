#pragma once

#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/chart/series_plottable.h"

namespace kurve::test {

struct DrawnCurve {
    std::vector<double> x, y;  ///< coordinates of the plot
};

/// The curves that are drawn in a chart, by the ids that they were set with.
inline std::map<QString, DrawnCurve> drawnCurves(const views::LineChart& chart) {
    std::map<QString, DrawnCurve> curves;
    QCustomPlot& plot = *chart.findChild<QCustomPlot*>();
    for (int i = 0; i < plot.plottableCount(); ++i) {
        const QCPAbstractPlottable* part = plot.plottable(i);
        if (part->name().isEmpty() || !part->visible()) continue;
        if (const auto* path = qobject_cast<const QCPCurve*>(part)) {
            DrawnCurve& curve = curves[part->name()];
            for (const QCPCurveData& point : *path->data()) {
                curve.x.push_back(point.key);
                curve.y.push_back(point.value);
            }
        } else if (const auto* line = qobject_cast<const views::SeriesPlottable*>(part)) {
            curves[part->name()] = {{line->pyramid()->x().begin(), line->pyramid()->x().end()},
                                    {line->pyramid()->y().begin(), line->pyramid()->y().end()}};
        }
    }
    return curves;
}

inline QStringList curveIds(const views::LineChart& chart) {
    QStringList ids;
    for (const auto& [id, curve] : drawnCurves(chart)) ids << id;
    return ids;
}

/// Without points where there is no such curve.
inline DrawnCurve pointsOf(const views::LineChart& chart, const QString& id) {
    return drawnCurves(chart)[id];
}

/// The names of its curves in exports, in the order of their ids.
inline QStringList exportedNames(const views::LineChart& chart) {
    QStringList names;
    const std::vector<views::ViewTable> tables = chart.tables();
    for (const auto& row : tables.front().rows)
        if (const QString& name = std::get<QString>(row.front()); !names.endsWith(name)) names << name;
    return names;
}

}  // namespace kurve::test
