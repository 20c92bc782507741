#pragma once

#include "views/curve/curve_frame.h"

namespace kurve::views {

/// Under the plot, or beside a low one: the basis functions N_j(u) with the control points above at their
/// Greville abscissae and the tokens below at their u_i. The item under the pointer and related ones are
/// highlighted, here and in the plot.
class BasisStrip {
public:
    /// In a low area the heading is left out.
    void place(const CurveFrame& frame, const Box& area);
    [[nodiscard]] CurveFocus pick(const inspect::CurveModel& model) const;
    void drawStill(const CurveFrame& frame, ImDrawList& list) const;
    void drawMoving(const CurveFrame& frame, ImDrawList& list) const;

private:
    [[nodiscard]] float x(float u) const { return plot_.x + u * plot_.w; }
    void drawFunction(const CurveFrame& frame, ImDrawList& list, int control, ImU32 colour,
                      float thickness) const;
    void drawHeading(const CurveFrame& frame, ImDrawList& list) const;
    void drawNames(const CurveFrame& frame, ImDrawList& list) const;
    Box area_, plot_;
    bool headed_ = true;
};

}  // namespace kurve::views
