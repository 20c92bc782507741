#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kurve::series {

/// x of points for each axis; always non-decreasing, so a Pyramid takes them.
[[nodiscard]] std::vector<double> stepAxis(std::span<const std::int64_t> steps);
/// Seconds since `start` without the pauses [from, to] that had ended by then; the pauses are in the order of
/// their ends and may overlap.
[[nodiscard]] std::vector<double> wallAxis(std::span<const double> wall, double start,
                                           std::span<const std::pair<double, double>> pauses = {});
/// Tokens seen at each step, from a curve of cumulative tokens (its own steps and values): linear between its
/// points, from (0, 0) before the first, at the last slope behind the last. Empty if there is no such curve.
[[nodiscard]] std::vector<double> tokenAxis(std::span<const std::int64_t> steps,
                                            std::span<const std::int64_t> tokenSteps,
                                            std::span<const double> tokens);

/// y at each x of `grid`, linear between points; NaN outside of [x.front(), x.back()] and beside non-finite
/// points.
[[nodiscard]] std::vector<double> resample(std::span<const double> x, std::span<const double> y,
                                           std::span<const double> grid);

}  // namespace kurve::series
