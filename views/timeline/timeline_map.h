#pragma once

#include <string>
#include <vector>

#include "views/imgui_host/gl_texture.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// The whole trace as one picture, slots down and steps across: the measure as lightness, the kind of change
/// as a shape, the new token's text where there is room. The cells are a texture and the marks a list, both
/// made when the trace, the measure, the theme or the size changes; a frame only adds the playhead and the
/// selection.
class TimelineMap {
public:
    void draw(const TimelineFrame& frame, const Box& area, TimelineIntent& intent);
    /// Height that shows every slot's name; less is drawn smaller.
    [[nodiscard]] static float comfortableHeight(const TimelineFrame& frame);
    void forget() { built_ = {}; }

private:
    struct Mark {
        float x = 0, y = 0;  ///< centre, from the map's corner
        trace::SlotState state = trace::SlotState::Kept;
        ImU32 colour = 0;
        std::string text;  ///< may be empty
        float textX = 0;
    };
    struct RowName {
        float y = 0;
        int slot = 0;
        std::string text;
    };
    struct Built {
        const TimelineModel* model = nullptr;
        Measure measure = Measure::Confidence;
        float width = 0, height = 0, em = 0;
        ImU32 paper = 0;
        bool operator==(const Built&) const = default;
    };
    void build(const TimelineFrame& frame, const Built& wanted);
    void buildCells(const TimelineFrame& frame);
    void buildMarks(const TimelineFrame& frame);
    void buildNames(const TimelineFrame& frame);
    void drawRuler(const TimelineFrame& frame, ImDrawList& list) const;
    void drawCells(const TimelineFrame& frame, ImDrawList& list) const;
    void drawMark(const TimelineFrame& frame, ImDrawList& list, const Mark& mark) const;
    void drawPlayhead(const TimelineFrame& frame, ImDrawList& list) const;
    void drawNames(const TimelineFrame& frame, ImDrawList& list) const;
    void drawTip(const TimelineFrame& frame, int step, int slot) const;
    void handlePointer(const TimelineFrame& frame, TimelineIntent& intent);
    [[nodiscard]] int stepAt(float x) const;
    [[nodiscard]] int slotAt(float y) const;

    Built built_;
    GlTexture cells_;
    std::vector<Mark> marks_;
    std::vector<RowName> names_;
    Box map_;  ///< the cells, in window coordinates
    float cellW_ = 0, cellH_ = 0, ruler_ = 0, nameW_ = 0, markR_ = 0;
    bool dragging_ = false;
};

/// The map's key: the ramp with its ends, and the marks that occur.
void drawMapLegend(const TimelineFrame& frame, ImDrawList& list, const Box& line);

}  // namespace kurve::views
