#pragma once

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// Displayed name of a state.
[[nodiscard]] const char* stateName(trace::TokenState state);

/// A tooltip at the pointer on a position at a step: token, state, measures and best candidates. Nothing for
/// padding.
void drawCellTip(const TimelineFrame& frame, int step, int position);

}  // namespace kurve::views
