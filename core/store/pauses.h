#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/store/run_reader.h"

namespace kurve::store {

/// When a run did not train, as [from, to] in seconds since the epoch in the order of their ends: from
/// "paused" to "resumed", for the seconds before "suspended" (the computer slept), and from its last point
/// before an attempt to the begin of that attempt. They may overlap. `walls`: of the points of its curves,
/// without those that a later attempt shadows.
[[nodiscard]] std::vector<std::pair<double, double>> pausesOf(std::span<const EventRow> events,
                                                              std::span<const SegmentRow> segments,
                                                              std::span<const std::span<const double>> walls);

}  // namespace kurve::store
