#pragma once

#include <vector>

#include "views/common/selection.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"
#include "views/timeline/timeline_model.h"

namespace kurve::views {

class WhatIf;

/// What the parts of the timeline need to draw one frame.
struct TimelineFrame {
    const TimelineModel& model;
    ImGuiWidget& host;
    int step = 0;   ///< playhead
    int slot = -1;  ///< selected slot, -1 = none
    Measure measure = Measure::Confidence;
    float em = 0;                               ///< text size in pixels: the unit of all distances
    float top = 0;                              ///< upper end of the measure's scale
    const std::vector<bool>* unlike = nullptr;  ///< [slots] marked as differing from the trace beside it
    const WordPreview* preview = nullptr;       ///< what an edit that is going on would make of this step
    float flash = 0;                            ///< 1 when the preview has just changed, then falling to 0

    bool grid = false;                         ///< the text in cells of one size instead of flowing
    int loopFrom = 0, loopTo = -1;             ///< the loop's ends; -1 = the last step
    const WhatIf* whatIf = nullptr;            ///< edits that wait or were made, marked on the text's chips
    const std::vector<Edit>* found = nullptr;  ///< places that the search found, marked in the map

    [[nodiscard]] const Ink& ink() const { return host.ink(); }
    [[nodiscard]] const ImGuiFonts& fonts() const { return host.fonts(); }
    [[nodiscard]] float unit(float value) const { return value / top; }
};

/// What the panel wants to see in a frame.
struct TimelineLook {
    int step = 0, slot = -1;
    Measure measure = Measure::Confidence;
    bool grid = false;
    int loopFrom = 0, loopTo = -1;
    const WhatIf* whatIf = nullptr;
    const std::vector<Edit>* found = nullptr;
};

/// What the user did in a frame.
struct TimelineIntent {
    int step = -1;                    ///< go to this step
    int slot = -2;                    ///< select this slot (-1 = none)
    int hovered = -1;                 ///< slot under the pointer
    bool menuWanted = false;          ///< by a right click
    int menuSlot = -1, menuStep = 0;  ///< for this cell; no slot: for the view
    std::int64_t candidate = -1;      ///< this token was picked …
    int candidateSlot = -1;           ///< … for this slot
};

}  // namespace kurve::views
