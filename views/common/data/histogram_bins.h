#pragma once

#include <vector>

#include "core/wire/fields.h"

namespace kurve::views {

/// One row of numbers of a run's histogram, at the centres of the bins that have one.
struct HistogramBins {
    std::vector<double> centres, values;
};
/// "values" (fractions, or mean losses by log-SNR), "gradient" or "probability" (how likely training draws a
/// bin) of a stored histogram; empty for a damaged one, or one without these.
[[nodiscard]] HistogramBins histogramBins(const wire::Fields& histogram, const char* numbers);
/// Probabilities as a line over losses, as high as the highest of them; empty without losses.
[[nodiscard]] std::vector<double> scaledToLosses(std::vector<double> probabilities,
                                                 const std::vector<double>& losses);

}  // namespace kurve::views
