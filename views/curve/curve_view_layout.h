#pragma once

#include <array>
#include <vector>

#include "views/imgui_host/draw.h"

namespace kurve::views {

/// The parts of the curve view.
struct CurveLayoutRequest {
    int sides = 1;          ///< traces side by side: 1 or 2
    bool strip = true;      ///< one of them is a spline: basis functions can be shown
    bool oneSquare = true;  ///< one plane or space per trace, not a row of three planes
};

/// Boxes of the parts, in logical pixels of the widget.
struct CurveViewLayout {
    Box plot;                   ///< of all plots together, below their heading
    std::array<Box, 2> strips;  ///< of the basis functions; one per side
    Box statistics;
    bool strip = false, statisticsShown = false;
};

/// In a wide and low widget the basis functions are beside the plot, which then has the whole height; else
/// below it. `em` is the text height.
[[nodiscard]] CurveViewLayout layoutOfCurve(ImVec2 size, float em, const CurveLayoutRequest& request);

/// The boxes of `planes` plots for each of `sides` traces, those of a trace after each other: in the rows and
/// columns in which they are largest. `below` is left free below each.
[[nodiscard]] std::vector<Box> boxesOfPlots(const Box& area, int sides, int planes, float gap, float below);

}  // namespace kurve::views
