#include "views/monitor/noise_chart.h"

#include <nlohmann/json.hpp>
#include <set>

#include "views/common/data/histogram_bins.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr float kEarlier = 0.45f;

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
    QStringList drawn;
    if (data && !data->lossByLogSnr.empty()) {
        // The newest bins strongly, up to two earlier ones (a third, two thirds of the way) faintly under
        // them.
        const std::size_t n = data->lossByLogSnr.size();
        for (const std::size_t i : std::set<std::size_t>{n / 3, 2 * n / 3, n - 1}) {
            const auto json = nlohmann::json::parse(data->lossByLogSnr[i].json, nullptr, false);
            const wire::Fields histogram(json);
            const HistogramBins losses = histogramBins(histogram, "values");
            if (losses.values.empty()) continue;
            const bool newest = i == n - 1;
            CurveSpec spec;
            spec.style = {style.color, Qt::SolidLine, style.marker};
            if (!newest) spec.style.color.setAlphaF(kEarlier);
            spec.label = newest ? tr("step %1").arg(countText(data->lossByLogSnr[i].step)) : QString();
            spec.width = newest ? 1.8 : 1.0;
            drawn << QStringLiteral("bins%1").arg(newest ? 2 : i == n / 3 ? 0 : 1);
            setCurve(drawn.last(), spec, losses.centres, losses.values);
            const HistogramBins shares = histogramBins(histogram, "probability");
            if (!newest || shares.values.empty()) continue;
            spec.style = {style.color, Qt::DotLine, {}};
            spec.label = tr("probability, scaled");
            drawn << QStringLiteral("probability");
            setCurve(drawn.last(), spec, shares.centres, scaledToLosses(shares.values, losses.values));
        }
    }
    keepOnly(drawn);
}

}  // namespace kurve::views
