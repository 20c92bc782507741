#pragma once

#include <array>

#include "views/imgui_host/draw.h"

namespace kurve::views {

/// What asks for room in the curve view.
struct CurveWants {
    int sides = 1;          ///< recordings beside each other: 1 or 2
    bool strip = true;      ///< one of them is a spline: basis functions can be shown
    bool oneSquare = true;  ///< one plane or space per recording, not a row of three planes
};

/// Where the parts of the curve view stand, in logical pixels of the widget.
struct CurveRooms {
    Box plot;                   ///< of all plots together, below their heading
    std::array<Box, 2> strips;  ///< of the basis functions; only those of the wanted sides are set
    Box numbers;
    bool strip = false, numbersShown = false;
};

/// A projection keeps its proportions, so in a wide and low widget the basis functions go beside the plot,
/// which then has the whole height; elsewhere they go under it, word under word. `em` is the height of the
/// text.
[[nodiscard]] CurveRooms roomsOfCurve(ImVec2 size, float em, const CurveWants& wants);

}  // namespace kurve::views
