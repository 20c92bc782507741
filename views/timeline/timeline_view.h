#pragma once

#include <memory>

#include "core/inspect/intervention.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_details.h"
#include "views/timeline/timeline_map.h"

namespace kurve::views {

/// Cells the parts of the timeline in the widget: one under the other, or with the details beside the map
/// where the widget is wide and low.
class TimelineView {
public:
    explicit TimelineView(ImGuiWidget& host) : host_(host) {}

    void setModel(std::shared_ptr<const inspect::TimelineModel> model);
    [[nodiscard]] const inspect::TimelineModel* model() const { return model_.get(); }
    /// Tokens of a running edit in another view; shown at its step.
    void setPreview(const TokenPreview& preview);
    std::string owner;          ///< run and step of the trace, above its text
    bool ownerSelected = true;  ///< false: another run is selected
    inspect::Intervention intervention;
    void marksChanged() { ++generation_; }  ///< the static part is drawn anew

    /// Of the widget at this width, with legible rows; `em` is the text size.
    [[nodiscard]] float minimumHeight(float width, float em) const;
    /// One frame; returns the user's input.
    TimelineIntent draw(const TimelineState& state);

private:
    /// Layout of this frame.
    struct Plan {
        Box map, canvas, ranks, statistics;
        bool details = true;
        float head = 0;   ///< height of a heading
        float rule = -1;  ///< x of the line before the details, -1 = none
    };
    [[nodiscard]] Plan plan(const TimelineFrame& frame);
    /// 1 when the preview has just changed, falling to 0.
    [[nodiscard]] float flash();
    void drawCanvasHeading(const TimelineFrame& frame, ImDrawList& list, const Box& area) const;
    void drawHeadings(const TimelineFrame& frame, ImDrawList& list, const Plan& plan) const;

    ImGuiWidget& host_;
    std::shared_ptr<const inspect::TimelineModel> model_;
    TimelineMap map_;
    TimelineCanvas canvas_;
    RankFlowView ranks_;
    StepStatisticsView statistics_;
    std::uint64_t generation_ = 0;  ///< of the model and its marks
    TokenPreview preview_;
    double flashFrom_ = -1;  ///< -1 = begins with the next frame
};

}  // namespace kurve::views
