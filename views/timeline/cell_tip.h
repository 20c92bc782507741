#pragma once

#include <string>

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// What people read of a state and of a token.
[[nodiscard]] const char* stateName(trace::SlotState state);
[[nodiscard]] std::string shownText(const PieceText& piece);

/// A tip at the pointer with all that is known of a slot at a step: token, what happened, the measures and
/// the best candidates. Nothing for padding.
void drawCellTip(const TimelineFrame& frame, int step, int slot);

}  // namespace kurve::views
