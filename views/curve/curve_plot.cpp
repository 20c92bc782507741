#include "views/curve/curve_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/curve/curve_layers.h"

namespace kurve::views {
namespace {

/// 1, 2 or 5 times a power of ten, at most `limit`.
float roundLength(float limit) {
    const float power = std::pow(10.0F, std::floor(std::log10(limit)));
    for (const float step : {5.0F, 2.0F, 1.0F})
        if (step * power <= limit) return step * power;
    return power;
}

std::pair<int, int> axisPair(CurveAxes axes) {
    if (axes == CurveAxes::First13) return {0, 2};
    if (axes == CurveAxes::Second23) return {1, 2};
    return {0, 1};
}

}  // namespace

CurveFocus CurvePlot::pick(const CurveFrame& frame) const {
    const ImVec2 p = ImGui::GetIO().MousePos;
    CurveFocus found;
    if (!area_.contains(p)) return found;
    float nearest = 0.9F * frame.em;
    const auto closer = [&](const inspect::SpacePoint& point, float favour) {
        const ImVec2 q = projection_.at(point, frame.step);
        const float d = std::hypot(q.x - p.x, q.y - p.y) * favour;
        if (d >= nearest) return false;
        nearest = d;
        return true;
    };
    const inspect::CurveModel& m = frame.model;
    const inspect::CurveStep& shown = frame.shown();
    for (int w = 0; frame.layers.words && w < m.words(); ++w)
        if (frame.isWritten(w) && closer(shown.words[static_cast<std::size_t>(w)], 0.8F)) found = {w, -1};
    for (int c = 0;
         frame.layers.polygon && m.kind() != inspect::CurveKind::WordsOnly && c < m.controlPoints(); ++c)
        if (closer(shown.controls[static_cast<std::size_t>(c)], 1)) found = {-1, c};
    return found;
}

void CurvePlot::drawStill(const CurveFrame& frame, ImDrawList& list) const {
    list.PushClipRect(area_.min(), area_.max(), true);
    CurveLayerPainter(frame, projection_, area_, list).still();
    list.PopClipRect();
    list.AddRect(area_.min(), area_.max(), frame.ink().grid);
    if (axes_ == CurveAxes::Space) drawAxisCross(frame, list);
    drawScale(frame, list);
    const TextFace* font = frame.fonts().small;
    drawText(list, font, {area_.x, area_.bottom() + 0.2F * frame.em}, frame.ink().note,
             elide(font, note(frame), area_.w));
}

float CurvePlot::noteHeight(const CurveFrame& frame) {
    return std::round(textSize(frame.fonts().small, "0").y + 0.3F * frame.em);
}

std::string CurvePlot::note(const CurveFrame& frame) const {
    const auto [across, upward] = axisPair(axes_);
    double explained = frame.model.explained(across) + frame.model.explained(upward);
    if (axes_ == CurveAxes::Space && !projection_.layers) explained += frame.model.explained(2);
    if (explained >= kTrustedVariance) return {};
    return fmt::format("▲ {:.0f} % of the variance: distances mislead", 100 * explained);
}

std::vector<CurvePlot::Caption> CurvePlot::captions(const CurveFrame& frame) const {
    const Ink& ink = frame.ink();
    const TextFace* font = frame.fonts().small;
    const float line = textSize(font, "0").y, pad = 0.5F * frame.em;
    std::vector<Caption> out;
    const auto add = [&](const TextFace* face, float y, ImU32 colour, const std::string& text, bool right) {
        const ImVec2 size = textSize(face, text);
        out.push_back(
            {{right ? area_.right() - pad - size.x : area_.x + pad, y, size.x, size.y}, text, colour, face});
    };
    const bool space = axes_ == CurveAxes::Space;
    const auto [across, upward] = axisPair(axes_);
    const auto axis = [&](int which) {
        return fmt::format("{}  {:.0f} % of variance", frame.model.axisName(which),
                           100 * frame.model.explained(which));
    };
    if (!space) {
        add(font, area_.y + pad, ink.soft, elide(font, "↑ " + axis(upward), area_.w - 2 * pad), false);
        add(font, area_.bottom() - pad - line, ink.soft, elide(font, axis(across) + " →", 0.6F * area_.w),
            true);
    }
    const float y = area_.y + pad + (area_.w < 34 * frame.em ? 1.3F * line : 0);
    if (frame.name != nullptr) add(frame.fonts().bold, y, ink.text, frame.name, true);
    return out;
}

void CurvePlot::drawScale(const CurveFrame& frame, ImDrawList& list) const {
    const TextFace* font = frame.fonts().small;
    const float line = textSize(font, "0").y, pad = 0.5F * frame.em;
    const float length = roundLength(0.2F * area_.w / projection_.scale), width = length * projection_.scale;
    const ImVec2 from{area_.x + pad, area_.bottom() - pad - 2};
    list.AddRectFilled({from.x, from.y}, {from.x + width, from.y + 2}, frame.ink().soft);
    drawText(list, font, {from.x, from.y - line - 2}, frame.ink().soft, fmt::format("{:g}", length));
}

/// Directions of the three axes in space.
void CurvePlot::drawAxisCross(const CurveFrame& frame, ImDrawList& list) const {
    const TextFace* font = frame.fonts().small;
    const float reach = 2.6F * frame.em;
    const ImVec2 centre{area_.x + 4.2F * frame.em, area_.y + 4 * frame.em};
    const inspect::SpacePoint ends[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 3; ++axis) {
        const inspect::SpacePoint& e = ends[axis];
        const float x = e.x * projection_.right.x + e.y * projection_.right.y + e.z * projection_.right.z;
        const float y = e.x * projection_.up.x + e.y * projection_.up.y + e.z * projection_.up.z;
        const ImVec2 end{centre.x + reach * x, centre.y - reach * y};
        list.AddLine(centre, end, frame.ink().soft, 1);
        const bool steps = axis == 2 && projection_.layers;
        drawText(
            list, font, {end.x, end.y - 0.5F * frame.em}, frame.ink().soft,
            steps ? std::string("step")
                  : fmt::format("{} {:.0f} %", frame.model.axisName(axis), 100 * frame.model.explained(axis)),
            x < -0.1F ? 1.0F : 0.0F);
    }
}

void CurvePlot::drawMoving(const CurveFrame& frame, ImDrawList& list) const {
    const std::vector<Caption> texts = captions(frame);
    std::vector<Box> occupied;
    for (const Caption& caption : texts) occupied.push_back(caption.box);
    list.PushClipRect(area_.min(), area_.max(), true);
    CurveLayerPainter(frame, projection_, area_, list, std::move(occupied)).moving();
    for (const Caption& caption : texts) {  // above the points
        const Box back = caption.box.inset(-2);
        list.AddRectFilled(back.min(), back.max(), withAlpha(frame.ink().paper, 0.78F));
        drawText(list, caption.font, caption.box.min(), caption.colour, caption.text);
    }
    list.PopClipRect();
    if (frame.pointed && frame.edit == nullptr && area_.contains(ImGui::GetIO().MousePos)) drawTip(frame);
}

void CurvePlot::drawTip(const CurveFrame& frame) const {
    const inspect::CurveModel& m = frame.model;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.7F * frame.em, 0.5F * frame.em});
    ImGui::BeginTooltip();
    const int word = frame.focus.word, control = frame.focus.control;
    const auto line = [&frame](ImU32 colour, const std::string& text) {
        drawTipLine(frame.fonts().text, colour, text);
    };
    const ImU32 text = frame.ink().text, soft = frame.ink().soft;
    drawTipLine(frame.fonts().bold, text,
                word >= 0 ? frame.wordText(word) : fmt::format("control point {}", control));
    if (word >= 0) {
        if (const int near = frame.nearest(word); near >= 0)
            line(soft, fmt::format("position {}, nearest embedding \"{}\" at {:.3f}", word,
                                   frame.tokenText(m.vocabulary()->id(near)),
                                   frame.shown().residuals[static_cast<std::size_t>(word)]));
        for (int j = 0; m.kind() != inspect::CurveKind::WordsOnly && j < m.controlPoints(); ++j)
            if (m.psi(word, j) >= 0.01)
                line(text, fmt::format("control point {}  {:.0f} %", j, 100 * m.psi(word, j)));
    }
    for (int w = 0; control >= 0 && w < m.words(); ++w)
        if (m.psi(w, control) >= 0.01)
            line(text, fmt::format("{}  {:.0f} %", frame.wordText(w), 100 * m.psi(w, control)));
    if (word >= 0 && m.kind() == inspect::CurveKind::Spline)
        line(soft, "drag to move the control point with the largest weight");
    if (control >= 0) line(soft, "drag to move it; Ctrl+click selects several");
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

}  // namespace kurve::views
