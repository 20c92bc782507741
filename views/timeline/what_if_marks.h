#pragma once

#include "views/timeline/timeline_frame.h"
#include "views/timeline/what_if.h"

namespace kurve::views {

/// On the map of `cells`: corners where a branch differs from its parent, and what was done to make it.
void drawBranchMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const WhatIf& whatIf);
/// What waits: a ring with the edit's sign at its cell, and a line as far as it holds.
void drawPendingMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const WhatIf& whatIf);
/// The step of the map under a point, clamped.
[[nodiscard]] int stepAt(const Box& cells, float x, int steps);

}  // namespace kurve::views
