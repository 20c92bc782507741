#include "views/timeline/found_marks.h"

#include <algorithm>

namespace kurve::views {

void drawFoundMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells) {
    if (frame.found == nullptr) return;
    const float w = cells.w / static_cast<float>(frame.model.steps());
    const float h = cells.h / static_cast<float>(frame.model.positions());
    const ImU32 colour = frame.ink().change;
    const float thick = std::max(1.5F, 0.12F * frame.em);
    for (const inspect::TraceCell& match : *frame.found) {
        const float x = cells.x + static_cast<float>(match.step) * w,
                    y = cells.y + static_cast<float>(match.position) * h;
        if (w >= 5 && h >= 5)
            list.AddRect({x, y}, {x + w, y + h}, colour, 0, 0, thick);
        else  // along the bottom of the cell, which stays readable
            list.AddRectFilled({x, y + 0.6F * h}, {x + std::max(w, 1.0F), y + h}, colour);
    }
}

}  // namespace kurve::views
