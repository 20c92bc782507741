#include "views/autoencoder/noise_accuracy.h"

#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "views/common/chart/run_axis.h"

namespace kurve::views {

namespace {

/// "…_noise_30" is a metric under noise of 0.3; "…_mean" the same without.
constexpr std::string_view kUnderNoise = "_noise", kOfMeans = "_mean";

/// The metric that was measured under noise, without that ending; empty if none was.
std::string measured(const RunData& data) {
    for (const auto& [metric, series] : data.series)
        if (const auto numbered = numberedMetric(metric); numbered && numbered->first.ends_with(kUnderNoise))
            return numbered->first.substr(0, numbered->first.size() - kUnderNoise.size());
    return {};
}

std::optional<double> noiseOf(const std::string& metric, const std::string& measured) {
    if (metric == measured + std::string(kOfMeans)) return 0.0;
    const auto numbered = numberedMetric(metric);
    if (!numbered || numbered->first != measured + std::string(kUnderNoise)) return std::nullopt;
    return numbered->second / 100.0;
}

double valueAt(const store::Series& series, std::int64_t step) {
    double value = std::nan("");
    for (std::size_t i = 0; i < series.size(); ++i)
        if (step < 0 || series.step[i] <= step) value = series.value[i];
    return value;
}

}  // namespace

NoiseAccuracy noiseAccuracyOf(const RunData& data, std::int64_t step) {
    std::map<double, double> found;
    const std::string of = measured(data);
    for (const auto& [metric, series] : data.series) {
        const auto noise = noiseOf(metric, of);
        const double value = noise && series ? valueAt(*series, step) : std::nan("");
        if (std::isfinite(value)) found[*noise] = value;
    }
    NoiseAccuracy out;
    for (const auto& [noise, accuracy] : found) {
        out.noise.push_back(noise);
        out.accuracy.push_back(accuracy);
    }
    return out;
}

}  // namespace kurve::views
