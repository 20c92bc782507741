#pragma once

#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "views/common/chart/axis_limits.h"
#include "views/common/chart/chart_curve.h"

class QCPRange;

namespace kurve::views {

class AxisGlyphs;

/// The automatic axis ranges of a chart, of all its data or within user-set limits, with or without outliers;
/// and how many points are outside. On a log axis a limit <= 0 applies only after a change of the scale.
class ChartRanges {
public:
    using Curves = std::map<QString, std::unique_ptr<ChartCurve>>;
    ChartRanges(QCustomPlot& plot, const ChartScales& scales, const Curves& curves);

    AxisLimits keyLimits, valueLimits;
    /// Automatic y limits ignore one percent of the shown values at the top and at the bottom.
    bool ignoresOutliers = false;

    /// False without data.
    bool fitKeys();
    /// To the shown x range (`part`, or where x is limited or outliers are ignored), else to all data, and to
    /// the values of reference lines.
    void fitValues(bool part, std::span<const double> references);
    /// Before every replot: the counts are drawn in it.
    void countOutside();
    /// "Points outside the range: 12 above, 3 below" of the last count; empty if there are none. Points
    /// before and after are counted only if x has limits.
    [[nodiscard]] QString outsideText() const;

private:
    [[nodiscard]] std::optional<ChartCurve::Range> valuesOfData(bool part) const;
    [[nodiscard]] QCPRange withMargins(double low, double high) const;

    QCustomPlot& plot_;
    const ChartScales& scales_;
    const Curves& curves_;
    AxisGlyphs* glyphs_;
};

}  // namespace kurve::views
