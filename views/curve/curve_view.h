#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/inspect/step_link.h"
#include "views/curve/basis_strip.h"
#include "views/curve/curve_plot.h"
#include "views/imgui_host/series_rows.h"

namespace kurve::views {

/// User input of a frame.
struct CurveIntent {
    int step = -1;              ///< go to this step
    int position = -2;          ///< select this position
    bool editBegan = false;     ///< a drag began: it needs a search
    bool editMoved = false;     ///< edit() changed
    bool editReleased = false;  ///< the dragged point was released
};

enum class CurveLayout : std::uint8_t {
    Plane,   ///< the first two axes
    Planes,  ///< three small ones: every pair of axes
    Space    ///< all three, rotated by the user
};

/// Lays out the plots, the basis strip and the statistics, with one focus.
class CurveView {
public:
    explicit CurveView(ImGuiWidget& host) : host_(host) {}

    /// Discards a running edit. The camera stays if `keepCamera`.
    void setModel(std::shared_ptr<const inspect::CurveModel> model, bool keepCamera = false);
    /// A second trace on the same basis; null = none.
    void setOther(std::shared_ptr<const inspect::CurveModel> model);
    [[nodiscard]] const inspect::CurveModel* model() const { return model_.get(); }
    [[nodiscard]] const std::shared_ptr<const inspect::CurveModel>& sharedModel() const { return model_; }
    [[nodiscard]] const inspect::CurveModel* other() const { return other_.get(); }
    /// How the step of the other trace is selected.
    void setLinkBy(inspect::LinkBy by);
    /// The step of the other trace, which must exist.
    [[nodiscard]] int stepOfOther() const;
    int step = 0, position = -1;
    CurveLayers layers;
    int earlierSteps = 5;
    CurveLayout layout = CurveLayout::Plane;
    bool stacked = false;  ///< in space: the third axis is the denoising step
    void fit() { camera_.reset(); }
    [[nodiscard]] CurveCamera& camera() { return camera_; }

    [[nodiscard]] inspect::CurveEdit* edit() const { return edit_.get(); }
    void dropEdit();
    /// Selected control points (or positions of a model without them), dragged together; Ctrl+click toggles.
    [[nodiscard]] const std::vector<int>& chosen() const { return chosen_; }

    /// Selects the next (with -1: previous) control point of the first trace; returns it, or -1 without any.
    int chooseNext(int by);
    /// Moves the selected control points by pixels of the first plot, as a drag does.
    CurveIntent nudge(ImVec2 pixels);

    CurveIntent draw();
    /// The item under the pointer in the last frame.
    [[nodiscard]] CurveFocus pointed() const { return pointed_; }

    /// Position of a control point of the first trace in the last frame: pixels of the widget.
    [[nodiscard]] ImVec2 pixelOf(int control) const;

private:
    enum class Drag : std::uint8_t { None, Pan, Rotate, Control };
    struct Side {
        CurveFrame frame;
        std::vector<CurvePlot> plots;
    };
    [[nodiscard]] std::vector<Side> sides(float em);
    [[nodiscard]] CurveFrame frameOf(const inspect::CurveModel& model, int at, float em) const;
    void place(std::vector<Side>& sides);
    void placePlots(std::vector<Side>& sides, const Box& area);
    void pick(std::vector<Side>& sides);
    void handlePointer(const std::vector<Side>& sides, CurveIntent& intent);
    void press(const std::vector<Side>& sides, const CurvePlot& plot);
    void drag(const CurvePlot& plot, CurveIntent& intent);
    void dragControl(const CurvePlot& plot, CurveIntent& intent);
    void moveTo(inspect::SpacePoint to, const std::vector<int>& controls, CurveIntent& intent);
    void toggleChosen(int control);
    [[nodiscard]] std::vector<int> dragged() const;
    void updateFlash();
    [[nodiscard]] std::uint64_t stillKey() const;
    void linkSteps();
    [[nodiscard]] static bool hasStrip(const Side& side);
    [[nodiscard]] std::vector<SeriesRow> rows(const CurveFrame& frame) const;
    void drawStill(const std::vector<Side>& sides, ImDrawList& list) const;
    void drawStatistics(const CurveFrame& frame, ImDrawList& list) const;

    ImGuiWidget& host_;
    std::shared_ptr<const inspect::CurveModel> model_, other_;
    CurveCamera camera_;
    std::array<BasisStrip, 2> strips_;  ///< of the first trace and of the other
    inspect::LinkBy linkBy_ = inspect::LinkBy::Step;
    std::vector<int> partners_;         ///< the other trace's steps, by those of the first
    std::array<std::string, 2> names_;  ///< with their steps, if two are shown
    SeriesRows statistics_;
    Box plotArea_, statisticsArea_;
    CurveFocus pointed_;
    std::unique_ptr<inspect::CurveEdit> edit_;
    Drag drag_ = Drag::None;
    int draggedControl_ = -1;         ///< control point under the pressed button
    std::vector<int> chosen_;         ///< selected control points (Ctrl+click)
    std::size_t inPlot_ = 0;          ///< plot under the pressed button, counted over the sides
    inspect::SpacePoint dragOffset_;  ///< displacement before this drag
    CurveProjection projection_;      ///< of the first plot, in the last frame
    std::vector<int> decoded_;
    double flashFrom_ = -1e9;
    float flash_ = 0;
    std::uint64_t generation_ = 0;
    bool showStrip_ = true, showStatistics_ = true;
};

}  // namespace kurve::views
