#pragma once

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// On the map of `cells`: a frame about every place that the search found, or a bar where cells are small.
void drawFoundMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells);

}  // namespace kurve::views
