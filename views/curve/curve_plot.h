#pragma once

#include "views/curve/curve_frame.h"

namespace kurve::views {

/// The plane: vocabulary, earlier steps, polygon, curve, residuals, words and their names. Wheel zooms at the
/// pointer, dragging moves, fit() shows everything again. One scale on both axes, so that distances can be
/// compared.
class CurvePlot {
public:
    void setModel(const CurveModel* model);
    void place(const Box& area);
    void fit() { fitted_ = false; }
    /// Changes whenever the still part has to be drawn again.
    [[nodiscard]] std::uint64_t cameraKey() const { return camera_; }
    /// What lies under the pointer.
    [[nodiscard]] CurveFocus pick(const CurveModel& model, int step, const CurveLayers& layers,
                                  float em) const;
    void drawStill(const CurveFrame& frame, ImDrawList& list) const;
    void drawMoving(const CurveFrame& frame, ImDrawList& list) const;
    /// Wheel and drag; call once a frame, before drawing.
    void handlePointer();
    [[nodiscard]] const Box& area() const { return area_; }

private:
    [[nodiscard]] ImVec2 at(const PlanePoint& p) const;
    void drawPath(const CurveFrame& frame, ImDrawList& list, int step) const;
    void drawEarlier(const CurveFrame& frame, ImDrawList& list) const;
    void drawControls(const CurveFrame& frame, ImDrawList& list) const;
    void drawResiduals(const CurveFrame& frame, ImDrawList& list) const;
    void drawWords(const CurveFrame& frame, ImDrawList& list) const;
    void drawLabels(const CurveFrame& frame, ImDrawList& list) const;
    void drawAxes(const CurveFrame& frame, ImDrawList& list) const;
    void drawTip(const CurveFrame& frame) const;

    const CurveModel* model_ = nullptr;
    Box area_;
    float x_ = 0, y_ = 0, scale_ = 1;  ///< the plane's point at the middle, pixels per unit
    bool fitted_ = false, dragging_ = false;
    std::uint64_t camera_ = 0;
};

/// Explained variance below this is marked: distances in the plane mislead.
inline constexpr double kTrustedVariance = 0.40;

}  // namespace kurve::views
