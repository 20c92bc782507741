#pragma once

#include <memory>

#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_details.h"
#include "views/timeline/timeline_map.h"
#include "views/timeline/what_if.h"

namespace kurve::views {

/// Places the parts of the timeline in the widget: one under the other, or with the details beside the map
/// where the widget is wide and low.
class TimelineView {
public:
    explicit TimelineView(ImGuiWidget& host) : host_(host) {}

    void setModel(std::shared_ptr<const TimelineModel> model);
    [[nodiscard]] const TimelineModel* model() const { return model_.get(); }
    int step = 0, slot = -1;
    Measure measure = Measure::Confidence;
    bool grid = false;              ///< the text in cells of one size
    int loopFrom = 0, loopTo = -1;  ///< shown over the map; -1 = the last step
    /// Words that an edit elsewhere would make; shown at its step.
    void setPreview(const WordPreview& preview);
    std::string owner;          ///< whose denoising it is, stands over its text
    bool ownerSelected = true;  ///< false: the list of runs says another one
    WhatIf whatIf;
    std::vector<Edit> found;                ///< places that the search found
    void marksChanged() { ++generation_; }  ///< what whatIf, found and owner say in the still part is another

    /// Of the widget, so wide, with rows that can be told apart; `em` the size of texts.
    [[nodiscard]] float leastHeight(float width, float em) const;
    /// One frame; what the user did comes back.
    TimelineIntent draw();

private:
    /// Where everything stands in this frame.
    struct Plan {
        Box map, canvas, ranks, statistics;
        bool details = true;
        float head = 0;   ///< height of a heading
        float rule = -1;  ///< x of the line before the details, -1 = none
    };
    [[nodiscard]] Plan plan(const TimelineFrame& frame);
    /// How fresh the preview is: 1 to 0.
    [[nodiscard]] float flash();
    void drawCanvasHeading(const TimelineFrame& frame, ImDrawList& list, const Box& area) const;
    void drawHeadings(const TimelineFrame& frame, ImDrawList& list, const Plan& plan) const;

    ImGuiWidget& host_;
    std::shared_ptr<const TimelineModel> model_;
    TimelineMap map_;
    TimelineCanvas canvas_;
    RankFlowView ranks_;
    StepStatisticsView statistics_;
    std::uint64_t generation_ = 0;  ///< of the model and its marks
    WordPreview preview_;
    double flashFrom_ = -1;  ///< -1 = begins with the next frame
};

}  // namespace kurve::views
