#include "views/common/data/histogram_bins.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

HistogramBins histogramBins(const wire::Fields& histogram, const char* numbers) {
    HistogramBins bins;
    const std::vector<double> edges = histogram.numbers("edges"), values = histogram.numbers(numbers);
    for (std::size_t i = 0; i + 1 < edges.size() && i < values.size(); ++i) {
        const double centre = (edges[i] + edges[i + 1]) / 2;
        if (std::isnan(centre) || std::isnan(values[i])) continue;
        bins.centres.push_back(centre);
        bins.values.push_back(values[i]);
    }
    return bins;
}

std::vector<double> scaledToLosses(std::vector<double> probabilities, const std::vector<double>& losses) {
    if (probabilities.empty() || losses.empty()) return {};
    const double highest = *std::max_element(losses.begin(), losses.end()),
                 largest = *std::max_element(probabilities.begin(), probabilities.end());
    for (double& one : probabilities) one *= largest > 0 ? highest / largest : 0;
    return probabilities;
}

}  // namespace kurve::views
