#include "views/timeline/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurve::views {

void TimelineView::setModel(std::shared_ptr<const TimelineModel> model) {
    map_.forget();
    canvas_.forget();
    ranks_.forget();
    model_ = std::move(model);
}

TimelineIntent TimelineView::draw() {
    TimelineIntent intent;
    if (model_ == nullptr || model_->steps() == 0 || model_->slots() == 0) return intent;
    const float em = ImGui::GetFontSize();
    const TimelineFrame frame{*model_, host_, std::clamp(step, 0, model_->steps() - 1), slot, measure, em};
    const ImVec2 size = ImGui::GetWindowSize();
    const Box all = Box{0, 0, size.x, size.y}.inset(0.9F * em);
    ImDrawList& list = *ImGui::GetWindowDrawList();

    // Details to the right of a wide, low widget; below in a tall one; not at all where there is no room.
    const bool beside = all.w > 62 * em && all.h < 52 * em;
    const bool below = !beside && all.h > 34 * em;
    const float detailW = beside ? std::min(30 * em, all.w * 0.32F) : all.w;
    const float detailH = below ? 12.5F * em : 0;
    const Box main{all.x, all.y, beside ? all.w - detailW - 2 * em : all.w,
                   all.h - (below ? detailH + em : 0)};

    const float head = 1.7F * em;
    const float canvasNeeds = canvas_.prepare(frame, main.w) + 0.3F * em;
    const float mapMinimum =
        std::min(TimelineMap::comfortableHeight(frame), std::max(9 * em, 0.45F * main.h));
    const float canvasH = std::max(3.4F * em, std::min(canvasNeeds, main.h - 2 * head - em - mapMinimum));
    const float mapH = std::min(TimelineMap::comfortableHeight(frame), main.h - 2 * head - em - canvasH);

    drawText(list, frame.fonts().bold, main.min(), frame.ink().text, "Map");
    drawText(list, frame.fonts().small, {main.x + 2.6F * em, main.y + 0.15F * em}, frame.ink().soft,
             fmt::format("{} slots × {} steps", model_->slots(), model_->steps()));
    drawMapLegend(frame, list, {main.x, main.y, main.w, 1.2F * em});
    map_.draw(frame, {main.x, main.y + head, main.w, mapH}, intent);

    const Box canvas{main.x, main.y + head + mapH + em + head, main.w, canvasH};
    drawText(list, frame.fonts().bold, {canvas.x, canvas.y - head}, frame.ink().text, "Text at this step");
    canvas_.draw(frame, canvas, intent);

    if (beside) {
        const float x = main.right() + 2 * em;
        list.AddRectFilled({x - em, all.y}, {x - em + 1, all.bottom()}, frame.ink().grid);
        const float upper = std::min(0.56F * all.h, 19 * em);
        ranks_.draw(frame, {x, all.y, detailW, upper}, intent);
        drawStepStatistics(
            frame, {x, all.y + upper + 1.4F * em, detailW, std::min(all.h - upper - 1.4F * em, 15 * em)},
            intent);
    } else if (below) {
        const float y = all.bottom() - detailH, half = (all.w - 2 * em) / 2;
        ranks_.draw(frame, {all.x, y, half, detailH}, intent);
        drawStepStatistics(frame, {all.x + half + 2 * em, y, half, detailH}, intent);
    }
    return intent;
}

}  // namespace kurve::views
