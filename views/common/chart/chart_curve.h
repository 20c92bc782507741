#pragma once

#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/growing_list.h"
#include "core/series/pyramid.h"
#include "core/series/smoothing.h"
#include "views/common/chart/axis_limits.h"
#include "views/common/chart/axis_scale.h"
#include "views/common/theme/theme.h"

class QCPAxis;
class QCPCurve;
class QCPGraph;
class QCustomPlot;

namespace kurve::views {

class SeriesPlottable;

/// Label and appearance of a curve of a LineChart.
struct CurveSpec {
    QString label;  ///< legend and hover text; empty: left out of the legend
    RunStyle style;
    bool smooth = false;   ///< the smoothed line over faint raw points
    bool markers = false;  ///< markers where the points are far enough apart
    double width = 1.6;

    bool operator==(const CurveSpec& other) const;
};

/// Points that a curve is given. Of lists, the curve keeps no copy while its scales draw them as they are.
struct CurvePoints {
    CurvePoints(std::span<const double> keys, std::span<const double> values) : x(keys), y(values) {}
    CurvePoints(const GrowingList<double>& keys, const GrowingList<double>& values)
        : x(keys), y(values), maybeX(&keys), maybeY(&values) {}

    std::span<const double> x, y;
    const GrowingList<double>*maybeX = nullptr, *maybeY = nullptr;
};

/// The two scales of a chart, which all of its curves share.
struct ChartScales {
    AxisScale keys, values;
};

/// A curve of a chart: a line of any length with its moving average, or, where x decreases, a path through
/// the points in their order; behind either a band. Removes its items from the plot on destruction, so it
/// must not outlive the plot.
class ChartCurve {
public:
    struct Points {
        std::vector<double> x, y;
    };

    /// `name`: of its items in the plot. The smoothing is that of all curves of the chart.
    ChartCurve(const QString& name, QCustomPlot& plot, const ChartScales& scales,
               const series::Smoothing& smoothing);
    ~ChartCurve();
    ChartCurve(const ChartCurve&) = delete;
    ChartCurve& operator=(const ChartCurve&) = delete;

    /// Replaces the points, or appends the rest if they begin with the current ones. False if nothing
    /// changed.
    bool set(const CurveSpec& spec, const CurvePoints& points);
    void setBand(std::span<const double> x, std::span<const double> low, std::span<const double> high);
    void smooth();  ///< after a change of the smoothing
    /// Lines and colours of the current theme; an emphasised curve is thicker and above the others.
    enum class Emphasis : unsigned char { None, Main, Pointed };
    void style(Emphasis emphasis);
    /// After a change of a scale: recomputes all coordinates.
    void rescale(const Points& points);

    [[nodiscard]] const CurveSpec& spec() const { return spec_; }
    [[nodiscard]] bool empty() const { return raw_->size() == 0; }
    [[nodiscard]] Points points() const;  ///< as they were given
    /// Whether a smoothed line is drawn over the raw one; two points have none.
    [[nodiscard]] bool isSmoothed() const;
    /// The last value of the smoothed line, else of the raw one.
    [[nodiscard]] double last() const;
    /// (x, y) of the point nearest to x; y of the smoothed line if `averaged` and drawn.
    [[nodiscard]] std::pair<double, double> nearest(double x, bool averaged) const;
    /// x of the first point after (`step` 1) or before (-1) a coordinate, at least `least` away from it and
    /// within [low, high]; NaN if there is none. At an end: the last such point.
    [[nodiscard]] double neighbour(double from, int step, double least, double low, double high) const;
    /// Distance from a position in the plot, in pixels; negative without points.
    [[nodiscard]] double distance(const QPointF& pixel) const;
    /// Lowest and highest coordinate; empty if the scale can show none.
    using Range = std::pair<double, double>;
    [[nodiscard]] std::optional<Range> keyRange() const;
    /// With `within`: only of the points between these keys.
    [[nodiscard]] std::optional<Range> valueRange(const Range* within = nullptr) const;
    /// The coordinates of all points and of the band between these keys, for statistics over several curves;
    /// valid until the curve changes.
    void addValues(const Range& within, std::vector<std::span<const double>>& all) const;
    /// Counts the points with keys before and after these, and those between with values outside. Points in
    /// the gutters of a log axis count as shown.
    [[nodiscard]] Outside outside(const Range& keys, const Range& values) const;

private:
    /// Whether the current points are the first of these.
    [[nodiscard]] bool continues(std::span<const double> x, std::span<const double> y) const;
    void setLine(const CurvePoints& points);
    void appendRest(const CurvePoints& points);
    void setPath(std::span<const double> x, std::span<const double> y);
    void drawPath();
    void drawBand();
    void extendAverage(std::size_t from);
    void removeParts();
    [[nodiscard]] std::size_t pastKey(double key) const;  ///< index of the first point after it
    /// Indices of the band's points between these keys.
    [[nodiscard]] std::pair<std::size_t, std::size_t> bandWithin(const Range* keys) const;

    QCustomPlot& plot_;
    const ChartScales& scales_;
    const series::Smoothing& smoothing_;
    CurveSpec spec_;
    std::shared_ptr<series::Pyramid> raw_, average_;  ///< coordinates
    std::unique_ptr<series::Smoother> smoother_;
    SeriesPlottable *rawLine_, *averageLine_;
    QCPCurve* path_ = nullptr;  ///< where x decreases: then `raw_` has the points sorted by x, not drawn
    Points given_;              ///< points of a path
    QCPGraph *bandLow_ = nullptr, *bandHigh_ = nullptr;
    std::vector<double> bandX_, low_, high_;
    Emphasis emphasis_ = Emphasis::None;
};

}  // namespace kurve::views
