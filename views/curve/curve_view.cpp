#include "views/curve/curve_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurve::views {

void CurveView::setModel(std::shared_ptr<const CurveModel> model) {
    model_ = std::move(model);
    plot_.setModel(model_.get());
    pointed_ = {};
    ++generation_;
}

void CurveView::place(const CurveFrame& frame) {
    const float em = frame.em, head = std::round(1.8F * em);
    const ImVec2 size = ImGui::GetWindowSize();
    const Box all = Box{0, 0, size.x, size.y}.inset(std::round(0.9F * em));
    showNumbers_ = all.w > 56 * em;
    showStrip_ = frame.model.kind() == CurveKind::Spline && all.h > 20 * em;
    const float numbersW = showNumbers_ ? std::min(30 * em, 0.32F * all.w) : 0;
    const float leftW = all.w - (showNumbers_ ? numbersW + 2.4F * em : 0);
    const float stripH = showStrip_ ? std::clamp(0.26F * all.h, 8 * em, 13 * em) : 0;
    plot_.place({all.x, all.y + head, leftW, all.h - head - (showStrip_ ? stripH + em : 0)});
    if (showStrip_) strip_.place(frame, {all.x, all.bottom() - stripH, leftW, stripH});
    numbersArea_ = {all.right() - numbersW, all.y, numbersW, all.h};
    const float rowsH = std::min(all.h - head, 22 * em);
    numbers_ = {{numbersArea_.x, all.y + head, numbersW, rowsH}, 10.4F * em, 4.6F * em};
}

std::vector<SeriesRow> CurveView::rows(const CurveFrame& frame) const {
    const CurveNumbers& n = frame.model.numbers();
    const auto at = static_cast<std::size_t>(frame.step);
    const auto text = [&](const std::vector<float>& values, const char* pattern, float factor = 1) {
        return std::isnan(values[at]) ? std::string("–")
                                      : fmt::format(fmt::runtime(pattern), factor * values[at]);
    };
    std::vector<SeriesRow> out;
    if (frame.model.kind() == CurveKind::Spline)
        out.push_back({"polygon / curve length", n.lengthRatio, 0, text(n.lengthRatio, "{:.2f}")});
    out.push_back({"mean residual", n.residual, 0, text(n.residual, "{:.3f}")});
    out.push_back({"nearest = token shown", n.nearestShown, 1, text(n.nearestShown, "{:.0f} %", 100)});
    out.push_back({"nearest = final token", n.nearestFinal, 1, text(n.nearestFinal, "{:.0f} %", 100)});
    out.push_back({"movement", n.movement, 0, text(n.movement, "{:.3f}")});
    return out;
}

void CurveView::drawStill(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const Box& plot = plot_.area();
    const float top = plot.y - std::round(1.8F * frame.em);
    drawText(list, frame.fonts().bold, {plot.x, top}, ink.text,
             elide(frame.fonts().bold, frame.model.description(), plot.w));
    plot_.drawStill(frame, list);
    if (showStrip_) strip_.drawStill(frame, list);
    if (!showNumbers_) return;
    const float rule = std::round(numbersArea_.x - 1.2F * frame.em);
    list.AddRectFilled({rule, numbersArea_.y}, {rule + 1, numbersArea_.bottom()}, ink.grid);
    drawText(list, frame.fonts().bold, {numbersArea_.x, top}, ink.text, "Over the steps");
    drawSeriesRows(list, frame.host, numbers_, rows(frame));
    const float y = numbers_.area.bottom() + 1.4F * frame.em;
    if (y + 4 * frame.em > numbersArea_.bottom()) return;
    const ImFont* font = frame.fonts().small;
    const float line = 1.25F * frame.em;
    drawText(list, font, {numbersArea_.x, y}, ink.soft, "Plane: PCA of the final words and the recorded");
    drawText(list, font, {numbersArea_.x, y + line}, ink.soft, "vocabulary, fixed for all steps.");
    drawText(list, font, {numbersArea_.x, y + 2.2F * line}, ink.soft,
             "Dot size: confidence. Lightness: place in the sentence.");
}

CurveIntent CurveView::draw() {
    CurveIntent intent;
    if (model_ == nullptr) return intent;
    CurveFrame frame{
        *model_, host_, std::clamp(step, 0, model_->steps() - 1), layers, {}, false, ImGui::GetFontSize()};
    place(frame);
    plot_.handlePointer();
    pointed_ = plot_.pick(*model_, frame.step, layers, frame.em);
    if (!pointed_ && showStrip_) pointed_ = strip_.pick(*model_);
    frame.pointed = static_cast<bool>(pointed_);
    frame.focus = frame.pointed ? pointed_ : CurveFocus{slot < model_->words() ? slot : -1, -1};

    const std::uint64_t key = (generation_ << 40U) ^ (plot_.cameraKey() * 64 + layers.bits());
    if (ImDrawList* still = host_.recordBackdrop(key)) drawStill(frame, *still);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    plot_.drawMoving(frame, list);
    if (showStrip_) strip_.drawMoving(frame, list);
    if (showNumbers_) {
        drawSeriesValues(list, host_, numbers_, rows(frame), frame.step);
        intent.step = scrubbedStep(numbers_.plot(), model_->steps());
    }
    if (ImGui::IsMouseClicked(0) && pointed_.word >= 0) intent.slot = pointed_.word;
    return intent;
}

}  // namespace kurve::views
