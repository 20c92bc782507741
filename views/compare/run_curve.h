#pragma once

#include <QPointer>
#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "core/series/pyramid.h"
#include "views/common/qcustomplot.h"
#include "views/common/theme.h"

namespace kurve::views {

/// One run's curve in a plot: the raw points, thin, under their smoothed line. Draws exact extremes per pixel
/// column at every zoom.
class RunCurve {
public:
    RunCurve(QCustomPlot& plot, const QString& runId);
    ~RunCurve();
    RunCurve(const RunCurve&) = delete;
    RunCurve& operator=(const RunCurve&) = delete;

    /// x must not fall. halfLife <= 0 (in units of x): no smoothing, one line.
    void setPoints(std::span<const double> x, std::span<const double> y, double halfLife);
    void applyStyle();
    /// Fills the graphs for this range of x on `pixels` columns.
    void draw(const QCPRange& range, bool logarithmic, int pixels);

    [[nodiscard]] std::size_t size() const { return raw_.size(); }
    [[nodiscard]] std::span<const double> x() const { return raw_.x(); }
    /// The smoothed value at x, between points; empty outside of the curve.
    [[nodiscard]] std::optional<double> valueAt(double x) const;
    [[nodiscard]] series::Extent extent() const { return raw_.extent(0, raw_.size()); }

private:
    QString runId_;
    QPointer<QCPGraph> rawGraph_, lineGraph_;  ///< the plot owns them and may go first
    series::Pyramid raw_, line_;
    bool smoothed_ = false;
};

}  // namespace kurve::views
