#pragma once

#include "core/trace/trace.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// What happened to a slot at a step, as a shape of radius r.
void drawShape(ImDrawList& list, trace::SlotState state, ImVec2 c, float r, ImU32 colour);
/// A square of dots: what will be masked by the next step.
void drawDotted(ImDrawList& list, ImVec2 c, float r, ImU32 colour);
/// "[" of this height: a finished block begins here.
void drawBracket(ImDrawList& list, ImVec2 top, float height, ImU32 colour);

/// How wide the map's key is with every sign that occurs.
[[nodiscard]] float mapLegendWidth(const TimelineFrame& frame);
/// The map's key at the right end of a line: the ramp with its ends, and the signs that occur. Without room
/// for all the ramp is shorter, then what says least is left out and "…" stands for it.
void drawMapLegend(const TimelineFrame& frame, ImDrawList& list, const Box& line);

}  // namespace kurve::views
