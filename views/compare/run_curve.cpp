#include "views/compare/run_curve.h"

#include <algorithm>
#include <cmath>

#include "core/series/align.h"
#include "core/series/smoothing.h"
#include "views/common/plot_style.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMarkersUpTo = 60;  ///< few points are seen one by one

QVector<QCPGraphData> points(const series::Pyramid& curve, std::size_t begin, std::size_t end) {
    QVector<QCPGraphData> data;
    data.reserve(static_cast<qsizetype>(end - begin));
    for (auto i = begin; i < end; ++i) data.append({curve.x()[i], curve.y()[i]});
    return data;
}

/// Each column from its first over its lowest and highest to its last value: what a line through all its
/// points would cover.
QVector<QCPGraphData> columns(const series::Pyramid& curve, const std::vector<double>& edges) {
    QVector<QCPGraphData> data;
    const auto found = curve.columns(edges);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const series::Column& column = found[i];
        if (column.extent.empty()) continue;
        const double left = edges[i], width = edges[i + 1] - edges[i];
        data.append({left + 0.1 * width, column.first});
        data.append({left + 0.4 * width, column.extent.min});
        data.append({left + 0.6 * width, column.extent.max});
        data.append({left + 0.9 * width, column.last});
    }
    return data;
}

QVector<QCPGraphData> visible(const series::Pyramid& curve, const QCPRange& range, bool logarithmic,
                              int pixels) {
    auto begin = curve.lowerBound(range.lower);
    auto end = curve.lowerBound(range.upper);
    begin -= begin > 0 ? 1 : 0;
    end = std::min(end + 1, curve.size());
    if (end - begin <= 3 * static_cast<std::size_t>(pixels)) return points(curve, begin, end);
    return columns(curve, logarithmic ? series::logEdges(range.lower, range.upper, pixels)
                                      : series::linearEdges(range.lower, range.upper, pixels));
}

}  // namespace

RunCurve::RunCurve(QCustomPlot& plot, const QString& runId)
    : runId_(runId), rawGraph_(plot.addGraph()), lineGraph_(plot.addGraph()) {
    applyStyle();
}

RunCurve::~RunCurve() {
    for (QCPGraph* graph : {rawGraph_.data(), lineGraph_.data()})
        if (graph) graph->parentPlot()->removeGraph(graph);
}

void RunCurve::applyStyle() {
    const RunStyle style = runStyle(runId_);
    QColor pale = style.color;
    pale.setAlphaF(0.32F);
    rawGraph_->setPen(QPen(pale, theme().scale));
    lineGraph_->setPen(style.pen(1.8 * theme().scale));
    lineGraph_->setScatterStyle(raw_.size() <= kMarkersUpTo ? runMarker(style, 6)
                                                            : QCPScatterStyle(QCPScatterStyle::ssNone));
}

void RunCurve::setPoints(std::span<const double> x, std::span<const double> y, double halfLife) {
    raw_.clear();
    line_.clear();
    raw_.append(x, y);
    smoothed_ = halfLife > 0;
    line_.append(x, smoothed_ ? series::smooth(x, y, halfLife) : std::vector<double>(y.begin(), y.end()));
    applyStyle();
}

void RunCurve::draw(const QCPRange& range, bool logarithmic, int pixels) {
    if (pixels <= 0 || (logarithmic && range.lower <= 0)) return;
    rawGraph_->data()->set(smoothed_ ? visible(raw_, range, logarithmic, pixels) : QVector<QCPGraphData>(),
                           true);
    lineGraph_->data()->set(visible(line_, range, logarithmic, pixels), true);
}

std::optional<double> RunCurve::valueAt(double x) const {
    const double grid[] = {x};
    if (line_.size() == 0) return {};
    const double value = series::resample(line_.x(), line_.y(), grid)[0];
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace kurve::views
