#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "views/common/step_link.h"
#include "views/curve/basis_strip.h"
#include "views/curve/curve_plot.h"
#include "views/imgui_host/series_rows.h"

namespace kurve::views {

/// What the user did in a frame.
struct CurveIntent {
    int step = -1;              ///< go to this step
    int slot = -2;              ///< select this slot
    bool editBegan = false;     ///< a control point was taken: its search is wanted
    bool editMoved = false;     ///< edit() changed
    bool editReleased = false;  ///< the moved point was let go
};

enum class CurveLayout : std::uint8_t {
    Plane,   ///< the first two axes
    Planes,  ///< three small ones: every pair of axes
    Space    ///< all three, turned by hand
};

/// Places the plots, the basis strip and the numbers, and joins what they point at.
class CurveView {
public:
    explicit CurveView(ImGuiWidget& host) : host_(host) {}

    /// Drops a running edit. The camera stays if `keepCamera`.
    void setModel(std::shared_ptr<const CurveModel> model, bool keepCamera = false);
    /// A second recording on the same basis beside the first; null = none.
    void setOther(std::shared_ptr<const CurveModel> model, std::string name = {});
    [[nodiscard]] const CurveModel* model() const { return model_.get(); }
    [[nodiscard]] const std::shared_ptr<const CurveModel>& sharedModel() const { return model_; }
    [[nodiscard]] const CurveModel* other() const { return other_.get(); }
    /// Which step of the other recording is shown.
    void setLinkBy(LinkBy by);
    /// The step at which the other recording is shown; there must be one.
    [[nodiscard]] int stepOfOther() const;
    int step = 0, slot = -1;
    CurveLayers layers;
    int earlierSteps = 5;
    CurveLayout layout = CurveLayout::Plane;
    bool stacked = false;  ///< in space: the third axis is the denoising step
    void fit() { camera_.forget(); }
    [[nodiscard]] CurveCamera& camera() { return camera_; }

    [[nodiscard]] CurveEdit* edit() const { return edit_.get(); }
    void dropEdit();
    /// Control points (or words, where there are none) that are dragged together; Ctrl+click adds and takes
    /// away.
    [[nodiscard]] const std::vector<int>& chosen() const { return chosen_; }

    /// By keys: the next (or, with -1, previous) control point of the first recording is the one that is
    /// moved; which one, or -1 without control points.
    int chooseNext(int by);
    /// Moves what is chosen by pixels of the first plot, as a drag does; nothing where a drag could not.
    CurveIntent nudge(ImVec2 pixels);

    CurveIntent draw();
    /// What is under the pointer since the last frame.
    [[nodiscard]] CurveFocus pointed() const { return pointed_; }

    /// Where a control point of the first recording stood in the last frame: pixels of the widget.
    [[nodiscard]] ImVec2 placeOf(int control) const;

private:
    enum class Hand : std::uint8_t { Free, Pan, Turn, Control };
    struct Side {
        CurveFrame frame;
        std::vector<CurvePlot> plots;
    };
    [[nodiscard]] std::vector<Side> sides(float em);
    [[nodiscard]] CurveFrame frameOf(const CurveModel& model, int at, float em) const;
    void place(std::vector<Side>& sides);
    void placePlots(std::vector<Side>& sides, const Box& area);
    void pick(std::vector<Side>& sides);
    void handlePointer(const std::vector<Side>& sides, CurveIntent& intent);
    void press(const std::vector<Side>& sides, const CurvePlot& plot);
    void drag(const CurvePlot& plot, CurveIntent& intent);
    void dragControl(const CurvePlot& plot, CurveIntent& intent);
    void moveTo(SpacePoint to, const std::vector<int>& controls, CurveIntent& intent);
    void toggleChosen(int control);
    [[nodiscard]] std::vector<int> dragged() const;
    void updateFlash();
    [[nodiscard]] std::uint64_t stillKey() const;
    void alignNumbers();
    [[nodiscard]] static bool hasStrip(const Side& side);
    [[nodiscard]] std::vector<SeriesRow> rows(const CurveFrame& frame) const;
    void drawStill(const std::vector<Side>& sides, ImDrawList& list) const;
    void drawNumbers(const CurveFrame& frame, ImDrawList& list) const;

    ImGuiWidget& host_;
    std::shared_ptr<const CurveModel> model_, other_;
    std::string otherName_;
    CurveCamera camera_;
    std::array<BasisStrip, 2> strips_;  ///< of the first recording and the other
    LinkBy linkBy_ = LinkBy::Step;
    CurveNumbers besideNumbers_;        ///< the other's, at the steps beside the first one's
    std::array<std::string, 2> names_;  ///< with their steps, where two are shown
    SeriesRows numbers_;
    Box plotArea_, numbersArea_;
    CurveFocus pointed_;
    std::unique_ptr<CurveEdit> edit_;
    Hand hand_ = Hand::Free;
    int taken_ = -1;           ///< control point under the pressed button
    std::vector<int> chosen_;  ///< control points that go together (Ctrl+click)
    std::size_t inPlot_ = 0;   ///< plot under the pressed button, counted over the sides
    SpacePoint takenBy_;       ///< how far it was moved already
    CurveSight sight_;         ///< of the first plot, in the last frame
    std::vector<int> decoded_;
    double flashFrom_ = -1e9;
    float flash_ = 0;
    std::uint64_t generation_ = 0;
    bool showStrip_ = true, showNumbers_ = true;
};

}  // namespace kurve::views
