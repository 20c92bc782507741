#pragma once

#include <vector>

namespace kurve::schedule::detail {

/// The non-increasing sequence nearest to `values` in weighted least squares: pool adjacent violators
/// (Ayer et al. 1955).
[[nodiscard]] std::vector<double> nearestFalling(const std::vector<double>& values,
                                                 const std::vector<double>& weights);

}  // namespace kurve::schedule::detail
