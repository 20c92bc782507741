#pragma once

#include <vector>

namespace kurve::schedule::detail {

/// Isotonic regression: the non-increasing sequence nearest to `values` in weighted least squares: pool
/// adjacent violators (Ayer et al. 1955).
[[nodiscard]] std::vector<double> nearestNonIncreasing(const std::vector<double>& values,
                                                       const std::vector<double>& weights);

}  // namespace kurve::schedule::detail
