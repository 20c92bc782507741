#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/inspect/trace_comparison.h"
#include "views/imgui_host/gl_texture.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_details.h"
#include "views/timeline/timeline_map.h"

namespace kurve::views {

/// Two traces: A's map, the difference strip, B's map, both texts with differing positions framed and, in a
/// wide widget, the candidates of the position in both. Steps are A's; B's playhead is linked.
class CompareView {
public:
    explicit CompareView(ImGuiWidget& host) : host_(host) {}

    /// Null ends the comparison.
    void set(std::shared_ptr<const inspect::TraceComparison> comparison);
    [[nodiscard]] const inspect::TraceComparison* comparison() const { return pair_.get(); }
    void marksChanged() { ++generation_; }  ///< the static part is drawn anew
    /// Of the widget at this width, with legible rows in both maps; `em` is the text size.
    [[nodiscard]] float minimumHeight(float width, float em) const;
    /// One frame; the steps of `state` and of the result are A's.
    TimelineIntent draw(const TimelineState& state);

private:
    struct Side {
        TimelineMap map;
        TimelineCanvas canvas;
        RankFlowView ranks;
        std::string name;
        std::vector<bool> marked;  ///< [positions] differing at this step
        Box mapBox, textBox, ranksBox;
    };
    /// Layout of this frame.
    struct Plan {
        Box strip, statistics;
        bool details = false;
        bool numbers = false;  ///< the statistics of both are shown
        float head = 0;        ///< height of a heading
    };
    [[nodiscard]] Plan plan(const TimelineFrame& a, const TimelineFrame& b);
    void drawStill(const TimelineFrame& a, const TimelineFrame& b, ImDrawList& list, const Plan& plan);
    void drawStrip(const TimelineFrame& frame, ImDrawList& list, const Box& box);
    void drawSummary(const TimelineFrame& frame, ImDrawList& list, const Plan& plan) const;
    void pointAtStrip(const TimelineFrame& frame, const Box& box, TimelineIntent& intent) const;
    void mark(int stepOfA);
    [[nodiscard]] TimelineFrame frameOf(const inspect::TimelineModel& model,
                                        const TimelineState& state) const;

    ImGuiWidget& host_;
    std::shared_ptr<const inspect::TraceComparison> pair_;
    Side a_, b_;
    StepStatisticsView statistics_;
    GlTexture cells_;
    std::uint64_t generation_ = 0;  ///< of the pair and its marks
};

}  // namespace kurve::views
