#pragma once

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// What people read of a state.
[[nodiscard]] const char* stateName(trace::SlotState state);

/// A tip at the pointer with all that is known of a slot at a step: token, what happened, the measures and
/// the best candidates. Nothing for padding.
void drawCellTip(const TimelineFrame& frame, int step, int slot);

}  // namespace kurve::views
