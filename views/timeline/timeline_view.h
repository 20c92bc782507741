#pragma once

#include <memory>

#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_details.h"
#include "views/timeline/timeline_map.h"

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

    /// One frame; what the user did comes back.
    TimelineIntent draw();

private:
    ImGuiWidget& host_;
    std::shared_ptr<const TimelineModel> model_;
    TimelineMap map_;
    TimelineCanvas canvas_;
    RankFlowView ranks_;
};

}  // namespace kurve::views
