#pragma once

#include "views/imgui_host/gl_texture.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// The whole trace as one picture, positions down and steps across: the measure as lightness, the kind of
/// change as a shape, the new token's text in large cells. The static part is drawn when the trace, the
/// measure, the theme or the size changes; a frame only adds the playhead and the selection.
class TimelineMap {
public:
    /// Height at which every position has its name.
    [[nodiscard]] static float comfortableHeight(const TimelineFrame& frame);
    /// With legible rows and marks; `em` is the text size.
    [[nodiscard]] static float minimumHeight(int positions, float em);
    void place(const TimelineFrame& frame, const Box& area);
    void drawStill(const TimelineFrame& frame, ImDrawList& list);
    void drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent);
    [[nodiscard]] float bottom() const { return map_.bottom(); }
    [[nodiscard]] const Box& cells() const { return map_; }

private:
    void drawCells(const TimelineFrame& frame, ImDrawList& list);
    void drawDeclared(const TimelineFrame& frame, ImDrawList& list) const;
    [[nodiscard]] ImU32 onCell(const TimelineFrame& frame, int step, int position) const;
    void drawMark(const TimelineFrame& frame, ImDrawList& list, int step, int position) const;
    void drawNewToken(const TimelineFrame& frame, ImDrawList& list, int step, int position) const;
    void drawLoop(const TimelineFrame& frame, ImDrawList& list) const;
    void drawRuler(const TimelineFrame& frame, ImDrawList& list) const;
    void drawName(const TimelineFrame& frame, ImDrawList& list, int position, ImU32 colour) const;
    void coverNames(const TimelineFrame& frame, ImDrawList& list, float low, float high) const;
    /// Spacing of the names, in positions, at this text height.
    [[nodiscard]] int nameEvery(float line) const;
    void handlePointer(const TimelineFrame& frame, TimelineIntent& intent);
    [[nodiscard]] ImVec2 centre(int step, int position) const;
    [[nodiscard]] bool showsToken(const TimelineFrame& frame, int step, int position) const;
    /// Width for a token in a cell, beside its glyph.
    [[nodiscard]] float tokenWidth(const TimelineFrame& frame, int step, int position) const;
    [[nodiscard]] ImVec2 glyphPosition(const TimelineFrame& frame, int step, int position) const;

    GlTexture cells_;
    Box map_;  ///< the cells, in window coordinates
    float cellW_ = 0, cellH_ = 0, ruler_ = 0, nameW_ = 0, markR_ = 0;
    bool dragging_ = false;
};

}  // namespace kurve::views
