#pragma once

#include "core/trace/trace.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// The state of a position at a step as a shape of radius r.
void drawShape(ImDrawList& list, trace::TokenState state, ImVec2 c, float r, ImU32 colour);
/// A dotted square: remasked in the next step.
void drawDotted(ImDrawList& list, ImVec2 c, float r, ImU32 colour);
/// "[" of this height: a finished block begins here.
void drawBracket(ImDrawList& list, ImVec2 top, float height, ImU32 colour);

/// Width of the map's legend with every glyph that occurs.
[[nodiscard]] float mapLegendWidth(const TimelineFrame& frame);
/// The map's legend at the right end of a line: the colour ramp and the glyphs that occur. In a narrow line
/// the ramp is shorter, then the last entries are replaced by "…".
void drawMapLegend(const TimelineFrame& frame, ImDrawList& list, const Box& line);

}  // namespace kurve::views
