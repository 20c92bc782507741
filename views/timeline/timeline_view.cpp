#include "views/timeline/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/timeline/map_glyphs.h"
#include "views/timeline/map_marks.h"

namespace kurve::views {

void TimelineView::setModel(std::shared_ptr<const inspect::TimelineModel> model) {
    canvas_.forget();
    ranks_.forget();
    model_ = std::move(model);
    ++generation_;
}

namespace {

/// In text sizes: outer margin, heading, gap after the map, minimum text height, height and gap of the
/// details below, and the limits of the layouts.
constexpr float kMargin = 0.9F, kHead = 1.8F, kGap = 1, kLeastText = 3.4F, kBelow = 13, kBelowGap = 1.6F,
                kWide = 62, kLow = 50, kHigh = 34;

}  // namespace

float TimelineView::minimumHeight(float width, float em) const {
    if (model_ == nullptr) return 0;
    const float main =
        TimelineMap::minimumHeight(model_->positions(), em) + (2 * kHead + kGap + kLeastText) * em;
    const bool beside = width - 2 * kMargin * em > kWide * em && main < kLow * em;
    const bool below = !beside && main > kHigh * em;
    return main + (2 * kMargin + (below ? kBelow + kBelowGap : 0)) * em;
}

TimelineView::Plan TimelineView::plan(const TimelineFrame& frame) {
    const float em = frame.em;
    const ImVec2 size = ImGui::GetWindowSize();
    const Box all = Box{0, 0, size.x, size.y}.inset(std::round(kMargin * em));
    Plan out;
    out.head = std::round(kHead * em);
    // Details to the right in a wide, low widget; below in a tall one; none in a small one.
    const bool beside = all.w > kWide * em && all.h < kLow * em;
    const bool below = !beside && all.h > kHigh * em;
    out.details = beside || below;
    const float detailW = std::round(beside ? std::min(34 * em, all.w * 0.34F) : all.w);
    const float detailH = below ? kBelow * em : 0;
    const Box main{all.x, all.y, beside ? all.w - detailW - 2.4F * em : all.w,
                   all.h - (below ? detailH + kBelowGap * em : 0)};

    const float mapMax = TimelineMap::comfortableHeight(frame);
    const float mapMin = std::min(
        mapMax, std::max({9 * em, 0.45F * main.h, TimelineMap::minimumHeight(model_->positions(), em)}));
    const float available = main.h - 2 * out.head - kGap * em;
    const float canvasH =
        std::max(kLeastText * em, std::min(canvas_.prepare(frame, main.w) + 0.3F * em, available - mapMin));
    const float mapH = std::min(std::max(mapMax, 0.8F * (available - canvasH)), available - canvasH);
    out.map = {main.x, main.y + out.head, main.w, mapH};
    map_.place(frame, out.map);
    out.canvas = {main.x, std::round(map_.bottom() + em) + out.head, main.w, canvasH};
    if (beside) {
        // Two more rows with a reference.
        const bool scored = !model_->statistics().bleu.empty();
        const float x = main.right() + 2.4F * em, upper = std::min((scored ? 0.52F : 0.58F) * all.h, 21 * em);
        out.rule = std::round(x - 1.2F * em);
        out.ranks = {x, all.y, detailW, upper};
        out.statistics = {x, all.y + upper + 1.4F * em, detailW,
                          std::min(all.h - upper - 1.4F * em, (scored ? 21 : 16) * em)};
    } else {
        const float y = out.canvas.bottom() + 1.6F * em, half = (all.w - 3 * em) / 2;
        const float height = std::min(all.bottom() - y, 20 * em);
        out.ranks = {all.x, y, half, height};
        out.statistics = {all.x + half + 3 * em, y, half, height};
    }
    return out;
}

void TimelineView::drawHeadings(const TimelineFrame& frame, ImDrawList& list, const Plan& plan) const {
    const float em = frame.em;
    const ImVec2 at{plan.map.x, plan.map.y - plan.head};
    // The legend ends at the map's right edge; in a narrow map the size is left out.
    const bool sized = plan.map.w - 16 * em >= mapLegendWidth(frame);
    const std::string size = fmt::format("{} positions × {} step{}", model_->positions(), model_->steps(),
                                         model_->steps() == 1 ? "" : "s");
    drawHeading(list, frame.fonts(), {at.x, at.y, plan.map.w, plan.head}, {"Map", frame.ink().text},
                {sized ? size : "", frame.ink().soft});
    const float skip = (sized ? 16 : 3.2F) * em;
    drawMapLegend(frame, list, {at.x + skip, at.y, plan.map.w - skip, 1.2F * em});
    drawCanvasHeading(frame, list, {plan.canvas.x, plan.canvas.y - plan.head, plan.canvas.w, plan.head});
    if (plan.rule >= 0)
        list.AddRectFilled({plan.rule, plan.ranks.y}, {plan.rule + 1, plan.statistics.bottom()},
                           frame.ink().grid);
}

void TimelineView::drawCanvasHeading(const TimelineFrame& frame, ImDrawList& list, const Box& area) const {
    const bool selected = ownerSelected || frame.host.isFigure();
    drawHeading(list, frame.fonts(), area, {"Text at this step", frame.ink().text},
                {selected ? owner : owner + " (not the selected run)",
                 selected ? frame.ink().soft : frame.ink().change});
}

void TimelineView::setPreview(const TokenPreview& preview) {
    preview_ = preview;
    flashFrom_ = -1;
}

float TimelineView::flash() {
    constexpr double kSeconds = 0.7;
    if (preview_.tokens.isEmpty()) return 0;
    if (flashFrom_ < 0) flashFrom_ = ImGui::GetTime();
    const double left = 1 - (ImGui::GetTime() - flashFrom_) / kSeconds;
    if (left > 0) host_.animate();
    return static_cast<float>(std::max(0.0, left));
}

TimelineIntent TimelineView::draw(const TimelineState& state) {
    TimelineIntent intent;
    if (model_ == nullptr || model_->steps() == 0 || model_->positions() == 0) return intent;
    TimelineFrame frame{state, *model_, host_, ImGui::GetFontSize(), model_->top(state.measure)};
    frame.step = std::clamp(state.step, 0, model_->steps() - 1);
    frame.preview = &preview_;
    frame.flash = flash();
    const Plan at = plan(frame);
    const int shown = RankFlowView::positionFor(*model_, state.position);
    if (at.details) {
        ranks_.place(frame, at.ranks, shown);
        statistics_.place(frame, at.statistics);
    }
    const std::uint64_t key = (generation_ * 4 + static_cast<std::uint64_t>(state.measure)) * 65536 +
                              static_cast<std::uint64_t>(shown);
    if (ImDrawList* still = host_.recordBackdrop(key)) {
        drawHeadings(frame, *still, at);
        map_.drawStill(frame, *still);
        drawFoundMarks(frame, *still, map_.cells());
        drawBranchMarks(frame, *still, map_.cells());
        if (at.details) {
            ranks_.drawStill(frame, *still);
            statistics_.drawStill(frame, *still);
        }
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    map_.drawMoving(frame, list, intent);
    drawPendingMarks(frame, list, map_.cells());
    canvas_.draw(frame, at.canvas, intent);
    if (at.details) {
        ranks_.drawMoving(frame, list, intent);
        statistics_.drawMoving(frame, list, intent);
    }
    if (ImGui::IsMouseReleased(1)) requestMenu(frame, map_.cells(), intent);
    return intent;
}

}  // namespace kurve::views
