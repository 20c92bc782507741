#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/metrics/brier.h"
#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Their names among the metrics; a model's, so not in metricKinds(). kBrier stands for all of brierIds().
inline constexpr const char *kBrier = "brier", *kBrierLm = "brierlm";
[[nodiscard]] std::string brierId(std::size_t order);  ///< "brier-1"
/// brierlm, brier-1 .., brier-accuracy-1 .., brier-collision-1 ..
[[nodiscard]] std::vector<std::string> brierIds();

/// By id, times 100; intervals of 1.96 bootstrap errors, n counts starts. The signature of brierlm ends in
/// "degenerate" where it is 0 for some Brier-n that is not above 0. Of a result with all orders.
[[nodiscard]] std::map<std::string, Score> brierScores(const BrierResult& result,
                                                       const std::string& signature);

}  // namespace kurve::metrics
