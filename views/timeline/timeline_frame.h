#pragma once

#include <cmath>
#include <vector>

#include "core/inspect/intervention.h"
#include "core/inspect/timeline_model.h"
#include "views/common/shell/selection.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {

/// What the panel shows.
struct TimelineState {
    int step = 0;       ///< playhead
    int position = -1;  ///< selected position, -1 = none
    inspect::Measure measure = inspect::Measure::Confidence;
    bool grid = false;                                    ///< the text in cells of one size
    int loopFrom = 0, loopTo = -1;                        ///< the loop's ends; -1 = the last step
    const inspect::Intervention* intervention = nullptr;  ///< pending and applied edits, marked on the text
    const std::vector<inspect::TraceCell>* found = nullptr;  ///< matches of the search, marked in the map
};

/// Input of one frame for all parts of the timeline.
struct TimelineFrame : TimelineState {
    const inspect::TimelineModel& model;
    ImGuiWidget& host;
    float em = 0;                                  ///< text size in pixels: the unit of all distances
    float top = 0;                                 ///< upper end of the measure's scale
    const std::vector<bool>* differing = nullptr;  ///< [positions] differing from the other trace
    const TokenPreview* preview = nullptr;         ///< tokens of a running edit
    float flash = 0;                               ///< 1 when the preview has just changed, then falling to 0

    [[nodiscard]] const Ink& ink() const { return host.ink(); }
    [[nodiscard]] const ImGuiFonts& fonts() const { return host.fonts(); }
    /// In 0..1; 0 where it is not known.
    [[nodiscard]] float unit(float value) const { return std::isnan(value) ? 0 : value / top; }
};

/// User input of a frame.
struct TimelineIntent {
    int step = -1;                        ///< go to this step
    int position = -2;                    ///< select this position (-1 = none)
    int hovered = -1;                     ///< position under the pointer
    bool menuRequested = false;           ///< by a right click
    int menuPosition = -1, menuStep = 0;  ///< for this cell; no position: for the view
    std::int64_t candidate = -1;          ///< this token was selected …
    int candidatePosition = -1;           ///< … for this position
};

}  // namespace kurve::views
