#include "views/monitor/noise_chart.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/wire/fields.h"
#include "views/common/format.h"

namespace kurve::views {

namespace {

constexpr float kEarlier = 0.45f;

/// Bin centres and their numbers; empty for a damaged row, or one without.
ChartCurve::Points binsOf(const std::string& text, const char* numbers = "values") {
    ChartCurve::Points points;
    const auto bins = nlohmann::json::parse(text, nullptr, false);
    const std::vector<double> edges = wire::Fields(bins).numbers("edges"),
                              values = wire::Fields(bins).numbers(numbers);
    for (std::size_t k = 0; k + 1 < edges.size() && k < values.size(); ++k) {
        const double centre = (edges[k] + edges[k + 1]) / 2;
        if (std::isnan(centre) || std::isnan(values[k])) continue;
        points.x.push_back(centre);
        points.y.push_back(values[k]);
    }
    return points;
}

/// Probabilities as a line that is as high as the losses.
ChartCurve::Points scaledTo(const ChartCurve::Points& losses, ChartCurve::Points shares) {
    if (shares.y.empty() || losses.y.empty()) return {};
    const double highest = *std::max_element(losses.y.begin(), losses.y.end()),
                 largest = *std::max_element(shares.y.begin(), shares.y.end());
    for (double& share : shares.y) share *= largest > 0 ? highest / largest : 0;
    return shares;
}

}  // namespace

NoiseChart::NoiseChart(QWidget* parent)
    : LineChart(QStringLiteral("monitor.noise"), tr("Loss by noise level"), parent) {
    setKeyTitle(tr("log-SNR"));
    setNamesFirst(true);  // the step; the last value is that of one level
    setTitle(
        tr("Loss by noise level"), {},
        tr("Mean loss in bins of log-SNR at the last evaluations; left = noise. Dotted: how likely training "
           "draws each bin, where a step sampler chooses; scaled to the highest loss"));
}

void NoiseChart::setRun(const RunData* data, const RunStyle& style) {
    QString now = style.color.name();
    if (data && !data->lossByLogSnr.empty())
        now += QStringLiteral("|%1|%2|%3")
                   .arg(QString::fromStdString(data->summary.id))
                   .arg(data->lossByLogSnr.size())
                   .arg(data->lossByLogSnr.back().step);
    if (std::exchange(drawn_, now) == now) return;
    QStringList drawn;
    if (data && !data->lossByLogSnr.empty()) {
        // The newest bins strongly, up to two earlier ones (a third, two thirds of the way) faintly under
        // them.
        const std::size_t n = data->lossByLogSnr.size();
        for (const std::size_t i : std::set<std::size_t>{n / 3, 2 * n / 3, n - 1}) {
            const auto points = binsOf(data->lossByLogSnr[i].json);
            if (points.x.empty()) continue;
            const bool newest = i == n - 1;
            CurveSpec spec;
            spec.style = {style.color, Qt::SolidLine, style.marker};
            if (!newest) spec.style.color.setAlphaF(kEarlier);
            spec.label = newest ? tr("step %1").arg(countText(data->lossByLogSnr[i].step)) : QString();
            spec.width = newest ? 1.8 : 1.0;
            drawn << QStringLiteral("bins%1").arg(newest ? 2 : i == n / 3 ? 0 : 1);
            setCurve(drawn.last(), spec, points.x, points.y);
            const auto shares = scaledTo(points, binsOf(data->lossByLogSnr[i].json, "probability"));
            if (!newest || shares.x.empty()) continue;
            spec.style = {style.color, Qt::DotLine, {}};
            spec.label = tr("probability, scaled");
            drawn << QStringLiteral("probability");
            setCurve(drawn.last(), spec, shares.x, shares.y);
        }
    }
    keepOnly(drawn);
}

}  // namespace kurve::views
