#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/frontier/sweep_point.h"

namespace kurve::frontier {

/// The names of frontNumbers() among a run's numbers.
inline constexpr const char* kFrontArea = "front_area";
inline constexpr const char* kFrontDistance = "front_distance";

/// What a run's sweeps reached, in the plane that is the same for every run: distinct-2 (0 to 1) along x and
/// chrF / 100 along y. Of the points that frontPlane() compares.
///  front_area: the area that the front of the points dominates above the corner (0, 0); between 0 and 1,
///  more is better. Missing without a point that has both numbers. front_distance: from the nearest point to
///  the references' own (their distinct-2, 1): 0 is a perfect system, less is better. Missing too where the
///  points do not agree on it.
/// Fair between runs that decoded the same sentences: distinct-2 falls with the amount of text.
[[nodiscard]] std::map<std::string, double> frontNumbers(std::span<const SweepPoint> points);

/// Of the points that lie in a run's folder; what is damaged is left out. Reads files: not on the GUI thread.
[[nodiscard]] std::map<std::string, double> frontNumbersOf(const std::filesystem::path& runFolder);

}  // namespace kurve::frontier
