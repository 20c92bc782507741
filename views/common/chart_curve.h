#pragma once

#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/series/pyramid.h"
#include "core/series/smoothing.h"
#include "views/common/axis_limits.h"
#include "views/common/axis_scale.h"
#include "views/common/theme.h"

class QCPAxis;
class QCPCurve;
class QCPGraph;
class QCustomPlot;

namespace kurve::views {

class SeriesPlottable;

/// How one curve of a LineChart is drawn.
struct CurveLook {
    QString label;  ///< legend and hover text; empty: left out of the legend
    RunStyle style;
    bool smooth = false;   ///< the raw points faint, over them what the chart's smoothing makes of them
    bool markers = false;  ///< points marked while there is room for them
    double width = 1.6;

    bool operator==(const CurveLook& other) const;
};

/// The two scales of a chart, which all of its curves share.
struct ChartScales {
    AxisScale keys, values;
};

/// One curve of a chart and what is drawn of it: a line of any length with its moving average, or, where x
/// falls back, the points joined in their order; behind either a band. Takes its parts out of the plot when
/// it goes, so it must not outlive that.
class ChartCurve {
public:
    struct Points {
        std::vector<double> x, y;
    };

    ChartCurve(QCustomPlot& plot, const ChartScales& scales);
    ~ChartCurve();
    ChartCurve(const ChartCurve&) = delete;
    ChartCurve& operator=(const ChartCurve&) = delete;

    /// Replaces the points, or takes in only the rest if `x` begins with those that are there. False if it
    /// was all there already.
    bool set(const CurveLook& look, std::span<const double> x, std::span<const double> y,
             const series::Smoothing& smoothing);
    void setBand(std::span<const double> x, std::span<const double> low, std::span<const double> high);
    void smooth(const series::Smoothing& smoothing);
    /// Lines and colours of the present theme; a strong curve is thicker and above the others.
    enum class Stress : unsigned char { None, Main, Pointed };
    void style(Stress stress, const series::Smoothing& smoothing);
    /// After a change of a scale: everything to its new place.
    void place(const Points& points, const series::Smoothing& smoothing);

    [[nodiscard]] const CurveLook& look() const { return look_; }
    [[nodiscard]] bool empty() const { return raw_->size() == 0; }
    [[nodiscard]] Points points() const;  ///< as they were given
    /// Whether a smoothed line is drawn over the raw one: of two points there is none.
    [[nodiscard]] bool isSmoothed(const series::Smoothing& smoothing) const;
    /// The last value of what is drawn strongest.
    [[nodiscard]] double last(const series::Smoothing& smoothing) const;
    /// (x, y) of the point nearest to x; y of the average where that is drawn and wanted.
    [[nodiscard]] std::pair<double, double> nearest(double x, bool averaged,
                                                    const series::Smoothing& smoothing) const;
    /// x of the first point after (`step` 1) or before (-1) a place that is at least `least` away from it and
    /// within the places [low, high]; NaN if there is none. At an end: the last such point.
    [[nodiscard]] double neighbour(double place, int step, double least, double low, double high) const;
    /// From a place in the plot, in pixels; negative if there is nothing.
    [[nodiscard]] double distance(const QPointF& pixel, const series::Smoothing& smoothing) const;
    /// Lowest and highest place; none if there are none that the scale can show.
    using Places = std::pair<double, double>;
    [[nodiscard]] std::optional<Places> keyPlaces() const;
    /// With `within`: of the points between these keys only.
    [[nodiscard]] std::optional<Places> valuePlaces(const Places* within = nullptr) const;
    /// The places of all points and of the band between these keys, for what is found over several curves;
    /// valid until the curve changes.
    void addValuePlaces(const Places& within, std::vector<std::span<const double>>& all) const;
    /// How many points have keys before and after these, and how many of those between lie off the values.
    /// What a log axis marks in its gutters counts as shown.
    [[nodiscard]] Outside outside(const Places& keys, const Places& values) const;

private:
    /// Whether the points that are there are the first of these.
    [[nodiscard]] bool continues(std::span<const double> x, std::span<const double> y) const;
    void setLine(std::span<const double> x, std::span<const double> y, const series::Smoothing& smoothing);
    void setPath(std::span<const double> x, std::span<const double> y);
    void drawPath();
    void drawBand();
    void extendAverage(std::size_t from, const series::Smoothing& smoothing);
    void removeParts();
    [[nodiscard]] std::size_t pastKey(double place) const;  ///< index of the first point behind it
    /// Indices of the band's points between these keys.
    [[nodiscard]] std::pair<std::size_t, std::size_t> bandWithin(const Places* keys) const;

    QCustomPlot& plot_;
    const ChartScales& scales_;
    CurveLook look_;
    std::shared_ptr<series::Pyramid> raw_, average_;  ///< of places
    std::unique_ptr<series::Smoother> smoother_;
    SeriesPlottable *rawLine_, *averageLine_;
    QCPCurve* path_ = nullptr;  ///< where x falls: then `raw_` has the points in order of x, not drawn
    Points given_;              ///< of a path
    QCPGraph *bandLow_ = nullptr, *bandHigh_ = nullptr;
    std::vector<double> bandX_, low_, high_;
    Stress stress_ = Stress::None;
};

}  // namespace kurve::views
