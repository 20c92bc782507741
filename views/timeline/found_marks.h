#pragma once

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// Frames every match of the search in the map of `cells`; bars where cells are small.
void drawFoundMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells);

}  // namespace kurve::views
