#pragma once

#include <memory>
#include <string>
#include <vector>

#include "views/imgui_host/gl_texture.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_details.h"
#include "views/timeline/timeline_map.h"
#include "views/timeline/trace_comparison.h"

namespace kurve::views {

/// Two denoisings: A's map, the divergence strip, B's map, both texts with the slots that differ marked, and,
/// where there is room beside, the candidates of the slot in both. Steps are A's; B's playhead is linked.
class CompareView {
public:
    explicit CompareView(ImGuiWidget& host) : host_(host) {}

    /// Null ends the comparison.
    void set(std::shared_ptr<const TraceComparison> comparison);
    [[nodiscard]] const TraceComparison* comparison() const { return pair_.get(); }
    void marksChanged() { ++generation_; }  ///< what the look marks in the still part is another
    /// Of the widget, so wide, with rows that can be told apart in both maps; `em` the size of texts.
    [[nodiscard]] float leastHeight(float width, float em) const;
    /// One frame; the look's step, and the step that comes back, are A's.
    TimelineIntent draw(const TimelineLook& look);

private:
    /// One of the two.
    struct Side {
        TimelineMap map;
        TimelineCanvas canvas;
        RankFlowView ranks;
        std::string name;
        std::vector<bool> marked;  ///< [slots] unlike the other at this step
        Box mapBox, textBox, ranksBox;
    };
    /// Where everything stands in this frame.
    struct Plan {
        Box strip, statistics;
        bool details = false;
        bool numbers = false;  ///< room for the statistics of both
        float head = 0;        ///< height of a heading
    };
    [[nodiscard]] Plan plan(const TimelineFrame& a, const TimelineFrame& b);
    void drawStill(const TimelineFrame& a, const TimelineFrame& b, ImDrawList& list, const Plan& plan);
    void drawStrip(const TimelineFrame& frame, ImDrawList& list, const Box& box);
    void drawSummary(const TimelineFrame& frame, ImDrawList& list, const Plan& plan) const;
    void pointAtStrip(const TimelineFrame& frame, const Box& box, TimelineIntent& intent) const;
    void mark(int stepOfA);
    [[nodiscard]] TimelineFrame frameOf(const TimelineModel& model, const TimelineLook& look) const;

    ImGuiWidget& host_;
    std::shared_ptr<const TraceComparison> pair_;
    Side a_, b_;
    StepStatisticsView statistics_;
    GlTexture cells_;
    std::uint64_t generation_ = 0;  ///< of the pair and its marks
};

}  // namespace kurve::views
