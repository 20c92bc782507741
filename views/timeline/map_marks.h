#pragma once

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// Frames every match of the search in the map of `cells`; bars where cells are small.
void drawFoundMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells);
/// On the map of `cells`: corners where a branch differs from its parent, and its edits.
void drawBranchMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells);
/// Pending edits: a ring with the edit's glyph at its cell, and a line over the steps at which it acts.
void drawPendingMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells);
/// On a position in the text: the glyph of every edit that acts at this step, ending at `right`.
void drawChipEdits(const TimelineFrame& frame, ImDrawList& list, int position, ImVec2 right);
/// Requests the menu of the position under the pointer, at the map's step there, else at the playhead.
void requestMenu(const TimelineFrame& frame, const Box& cells, TimelineIntent& intent);

}  // namespace kurve::views
