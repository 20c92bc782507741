#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/frontier/sweep_point.h"

namespace kurve::frontier {

/// The name of frontArea() among a run's numbers.
inline constexpr const char* kFrontArea = "front_area";

/// What a run's sweeps reached, as one number that means the same for every run: the area that the front of
/// its points dominates with distinct-2 (0 to 1) along x and chrF / 100 along y, above the corner (0, 0).
/// Between 0 and 1, more is better; nothing without a point that has both numbers. Fair between runs that
/// decoded the same sentences: distinct-2 falls with the amount of text.
[[nodiscard]] std::optional<double> frontArea(std::span<const SweepPoint> points);

/// Of the points that lie in a run's folder; what is damaged is left out. Reads files: not on the GUI thread.
[[nodiscard]] std::optional<double> frontAreaOf(const std::filesystem::path& runFolder);

}  // namespace kurve::frontier
