#pragma once

#include <vector>

#include "views/curve/curve_frame.h"

namespace kurve::views {

/// Draws the layers of one plot, the lower ones first. `area` clips labels, `captions` are boxes that they
/// must not cover; the list is clipped by the caller.
class CurveLayerPainter {
public:
    CurveLayerPainter(const CurveFrame& frame, const CurveProjection& projection, const Box& area,
                      ImDrawList& list, std::vector<Box> captions = {})
        : frame_(frame), projection_(projection), area_(area), list_(list), captions_(std::move(captions)) {}
    /// Paths of the control points (or positions) over all steps; with stacked steps also their curves.
    void still() const;
    void moving() const;

private:
    [[nodiscard]] ImVec2 at(const inspect::SpacePoint& p) const { return projection_.at(p, frame_.step); }
    [[nodiscard]] float thickness(float ems) const;
    void trail(int control, ImU32 colour, float thick) const;
    void stackedCurves() const;
    void vocabulary() const;
    void earlier() const;
    void controls() const;
    void control(int j, ImVec2 at) const;
    void residuals() const;
    void targets() const;
    void otherCurves() const;
    void path(const inspect::CurveStep& step, bool ghost) const;
    void tokens() const;
    void labels() const;

    const CurveFrame& frame_;
    const CurveProjection& projection_;
    const Box& area_;
    ImDrawList& list_;
    std::vector<Box> captions_;
};

}  // namespace kurve::views
