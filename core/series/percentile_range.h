#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kurve::series {

/// The 1 % and the 99 % quantile of many curves' values, so that a few outliers do not press all the rest
/// into a line. At either end at most one in a hundred is left out, and one at least from 20 values on.
/// Non-finite values do not count; nor do those <= 0 if only positive ones can be shown. Of more than 262,144
/// values evenly spaced ones are read: the range is an estimate then. None without such a value.
enum class Values : unsigned char { All, Positive };
[[nodiscard]] std::optional<std::pair<double, double>> percentileRange(
    const std::vector<std::span<const double>>& parts, Values which);

}  // namespace kurve::series
