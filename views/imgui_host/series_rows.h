#pragma once

#include <span>
#include <string>

#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {

/// One number over the steps of a trace: a name, a small line, and its value at the playhead.
struct SeriesRow {
    const char* name = "";
    std::span<const float> values;  ///< one per step; NaN = none
    float least = 0;                ///< the scale ends at the largest value, or here if that is more
    const char* form = "{:.3f}";    ///< of `factor` times the value at the playhead
    float factor = 1;
    std::span<const float> beside = {};  ///< of a second trace, on its own steps; empty = none
    std::span<const int> partners = {};  ///< the second trace's step for each of the first's
};

/// Rows of SeriesRow under each other, sharing one axis of steps.
struct SeriesRows {
    Box area;
    float nameWidth = 0, valueWidth = 0;
    [[nodiscard]] Box plot() const;
    [[nodiscard]] Box graph(int row, int rows) const;
};
/// The still part: names, base lines, series.
void drawSeriesRows(ImDrawList& list, const ImGuiWidget& host, const SeriesRows& at,
                    std::span<const SeriesRow> rows);
/// The moving part: values, points and the playhead's line at `step`.
void drawSeriesValues(ImDrawList& list, const ImGuiWidget& host, const SeriesRows& at,
                      std::span<const SeriesRow> rows, int step);
/// Where step `step` of `steps` lies across a box.
[[nodiscard]] float stepX(const Box& box, int step, int steps);
/// The step that the user drags to with the left button pressed inside the box, or -1.
[[nodiscard]] int scrubbedStep(const Box& box, int steps);

}  // namespace kurve::views
