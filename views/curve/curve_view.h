#pragma once

#include <memory>
#include <vector>

#include "views/curve/basis_strip.h"
#include "views/curve/curve_plot.h"
#include "views/imgui_host/series_rows.h"

namespace kurve::views {

/// What the user did in a frame.
struct CurveIntent {
    int step = -1;  ///< go to this step
    int slot = -2;  ///< select this slot
};

/// Places the plot, the basis strip and the numbers, and joins what they point at.
class CurveView {
public:
    explicit CurveView(ImGuiWidget& host) : host_(host) {}

    void setModel(std::shared_ptr<const CurveModel> model);
    [[nodiscard]] const CurveModel* model() const { return model_.get(); }
    int step = 0, slot = -1;
    CurveLayers layers;
    void fit() { plot_.fit(); }

    CurveIntent draw();
    /// What is under the pointer since the last frame.
    [[nodiscard]] CurveFocus pointed() const { return pointed_; }

private:
    void place(const CurveFrame& frame);
    [[nodiscard]] std::vector<SeriesRow> rows(const CurveFrame& frame) const;
    void drawStill(const CurveFrame& frame, ImDrawList& list) const;

    ImGuiWidget& host_;
    std::shared_ptr<const CurveModel> model_;
    CurvePlot plot_;
    BasisStrip strip_;
    SeriesRows numbers_;
    Box numbersArea_;
    CurveFocus pointed_;
    std::uint64_t generation_ = 0;
    bool showStrip_ = true, showNumbers_ = true;
};

}  // namespace kurve::views
