#pragma once

#include "views/timeline/timeline_frame.h"
#include "views/timeline/what_if.h"

namespace kurve::views {

/// On the map of `cells`: corners where a branch differs from its parent, and what was done to make it.
void drawBranchMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const WhatIf& whatIf);
/// What waits: a ring with the edit's sign at its cell, and a line as far as it holds.
void drawPendingMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const WhatIf& whatIf);
/// On a slot's chip in the text: the sign of every edit that acts there at this step, ending at `right`.
void drawChipEdits(const TimelineFrame& frame, ImDrawList& list, int slot, ImVec2 right,
                   const WhatIf& whatIf);
/// A menu for the slot under the pointer: at the map's step there, else at the playhead.
void askMenu(const TimelineFrame& frame, const Box& cells, TimelineIntent& intent);

}  // namespace kurve::views
