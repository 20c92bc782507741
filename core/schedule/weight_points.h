#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace kurve::schedule {

/// A custom loss weight: (log-SNR in nats, weight > 0) with the log-SNR rising. Between the points ln w is
/// linear, beyond them the weight is constant.
using WeightPoints = std::vector<std::pair<double, double>>;

/// The weight at a log-SNR; 1 without points.
[[nodiscard]] double weightAt(const WeightPoints& points, double logSnr);
/// "-5=0.2,0=1,5=3", also with blanks after the commas. Errors: schedule.weight, which name the point.
Result<WeightPoints> parseWeightPoints(const std::string& text);
/// What parseWeightPoints() reads back to the same points.
[[nodiscard]] std::string weightPointsText(const WeightPoints& points);

}  // namespace kurve::schedule
