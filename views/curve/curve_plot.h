#pragma once

#include <string>
#include <vector>

#include "views/curve/curve_frame.h"

namespace kurve::views {

/// One picture of one recording: where it stands and how the axes come into it. Drawn anew every frame from
/// the frame's data; keeps nothing.
class CurvePlot {
public:
    CurvePlot(const Box& area, CurveAxes axes, const CurveSight& sight)
        : area_(area), axes_(axes), sight_(sight) {}
    [[nodiscard]] const Box& area() const { return area_; }
    [[nodiscard]] CurveAxes axes() const { return axes_; }
    [[nodiscard]] const CurveSight& sight() const { return sight_; }

    /// What lies under the pointer.
    [[nodiscard]] CurveFocus pick(const CurveFrame& frame) const;
    /// What stays from step to step: frame, scale, trails.
    void drawStill(const CurveFrame& frame, ImDrawList& list) const;
    void drawMoving(const CurveFrame& frame, ImDrawList& list) const;

private:
    /// A text that stands over the picture; labels keep away from it.
    struct Caption {
        Box box;
        std::string text;
        ImU32 colour = 0;
        const ImFont* font = nullptr;
    };
    [[nodiscard]] std::vector<Caption> captions(const CurveFrame& frame) const;
    void drawScale(const CurveFrame& frame, ImDrawList& list) const;
    void drawAxisCross(const CurveFrame& frame, ImDrawList& list) const;
    void drawTip(const CurveFrame& frame) const;

    Box area_;
    CurveAxes axes_;
    CurveSight sight_;
};

/// Explained variance below this is marked: distances in the plane mislead.
inline constexpr double kTrustedVariance = 0.40;

}  // namespace kurve::views
