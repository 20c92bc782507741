#pragma once

#include <string>
#include <vector>

#include "views/curve/curve_frame.h"

namespace kurve::views {

/// One plot of one trace: its area and projection. Stateless between frames.
class CurvePlot {
public:
    CurvePlot(const Box& area, CurveAxes axes, const CurveProjection& projection)
        : area_(area), axes_(axes), projection_(projection) {}
    [[nodiscard]] const Box& area() const { return area_; }
    [[nodiscard]] CurveAxes axes() const { return axes_; }
    [[nodiscard]] const CurveProjection& projection() const { return projection_; }

    /// The item under the pointer.
    [[nodiscard]] CurveFocus pick(const CurveFrame& frame) const;
    /// The parts that do not change with the step: frame, scale, trails.
    void drawStill(const CurveFrame& frame, ImDrawList& list) const;
    void drawMoving(const CurveFrame& frame, ImDrawList& list) const;
    /// The height below the area for the warning that distances mislead.
    [[nodiscard]] static float noteHeight(const CurveFrame& frame);

private:
    /// A text over the plot; labels do not cover it.
    struct Caption {
        Box box;
        std::string text;
        ImU32 colour = 0;
        const TextFace* font = nullptr;
    };
    [[nodiscard]] std::vector<Caption> captions(const CurveFrame& frame) const;
    /// Empty where the axes show enough of the variance.
    [[nodiscard]] std::string note(const CurveFrame& frame) const;
    void drawScale(const CurveFrame& frame, ImDrawList& list) const;
    void drawAxisCross(const CurveFrame& frame, ImDrawList& list) const;
    void drawTip(const CurveFrame& frame) const;

    Box area_;
    CurveAxes axes_;
    CurveProjection projection_;
};

/// Explained variance below this shows a warning: distances in the plane mislead.
inline constexpr double kTrustedVariance = 0.40;

}  // namespace kurve::views
