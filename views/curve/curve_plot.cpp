#include "views/curve/curve_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "views/curve/label_placement.h"

namespace kurve::views {
namespace {

constexpr int kEarlierSteps = 5;
constexpr float kVisibleWeight = 0.004F;

std::uint64_t mixKey(std::uint64_t key) {
    return key * 6364136223846793005ULL + 1442695040888963407ULL;
}

/// A whole number of pixels: ImGui draws such lines with two triangles a segment, others with six.
float thickness(const CurveFrame& frame, float ems) {
    return std::max(1.0F, std::round(ems * frame.em));
}

/// 1, 2 or 5 times a power of ten, at most `limit`.
float roundLength(float limit) {
    const float power = std::pow(10.0F, std::floor(std::log10(limit)));
    for (const float step : {5.0F, 2.0F, 1.0F})
        if (step * power <= limit) return step * power;
    return power;
}

}  // namespace

void CurvePlot::setModel(const CurveModel* model) {
    model_ = model;
    fitted_ = false;
}

ImVec2 CurvePlot::at(const PlanePoint& p) const {
    return {area_.x + area_.w / 2 + (p.x - x_) * scale_, area_.y + area_.h / 2 - (p.y - y_) * scale_};
}

void CurvePlot::place(const Box& area) {
    const bool moved = area.w != area_.w || area.h != area_.h || area.x != area_.x || area.y != area_.y;
    area_ = area;
    if (model_ == nullptr || (fitted_ && !moved)) return;
    camera_ = mixKey(camera_);
    if (fitted_) return;
    const PlanePoint low = model_->low(), high = model_->high();
    x_ = (low.x + high.x) / 2;
    y_ = (low.y + high.y) / 2;
    const float width = std::max(high.x - low.x, 1e-3F), height = std::max(high.y - low.y, 1e-3F);
    scale_ = 0.86F * std::min(area.w / width, area.h / height);
    fitted_ = true;
}

void CurvePlot::handlePointer() {
    const ImGuiIO& io = ImGui::GetIO();
    const bool inside = area_.contains(io.MousePos);
    if (ImGui::IsMouseClicked(0) && inside) dragging_ = true;
    if (!ImGui::IsMouseDown(0)) dragging_ = false;
    if (dragging_ && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        x_ -= io.MouseDelta.x / scale_;
        y_ += io.MouseDelta.y / scale_;
        camera_ = mixKey(camera_);
    }
    if (!inside || io.MouseWheel == 0) return;
    const float dx = (io.MousePos.x - area_.x - area_.w / 2), dy = (io.MousePos.y - area_.y - area_.h / 2);
    const float zoomed = scale_ * std::pow(1.15F, io.MouseWheel);
    x_ += dx / scale_ - dx / zoomed;  // the plane's point under the pointer stays there
    y_ -= dy / scale_ - dy / zoomed;
    scale_ = zoomed;
    camera_ = mixKey(camera_);
}

CurveFocus CurvePlot::pick(const CurveModel& model, int step, const CurveLayers& layers, float em) const {
    const ImVec2 p = ImGui::GetIO().MousePos;
    CurveFocus found;
    if (!area_.contains(p) || dragging_) return found;
    float nearest = 0.9F * em;
    const auto closer = [&](const PlanePoint& point, float favour) {
        const ImVec2 q = at(point);
        const float d = std::hypot(q.x - p.x, q.y - p.y) * favour;
        if (d >= nearest) return false;
        nearest = d;
        return true;
    };
    for (int w = 0; layers.words && w < model.words(); ++w)
        if (closer(model.wordPoints(step)[static_cast<std::size_t>(w)], 0.8F)) found = {w, -1};
    for (int c = 0; layers.polygon && model.kind() != CurveKind::WordsOnly && c < model.controlPoints(); ++c)
        if (closer(model.controls(step)[static_cast<std::size_t>(c)], 1)) found = {-1, c};
    return found;
}

// ---- still ----

void CurvePlot::drawStill(const CurveFrame& frame, ImDrawList& list) const {
    list.PushClipRect(area_.min(), area_.max(), true);
    if (frame.layers.vocabulary)
        for (const PlanePoint& p : frame.model.vocabulary()) {
            const ImVec2 q = at(p);
            if (area_.contains(q))
                list.AddRectFilled({q.x - 1, q.y - 1}, {q.x + 1, q.y + 1}, frame.ink().line);
        }
    list.PopClipRect();
    drawAxes(frame, list);
}

void CurvePlot::drawAxes(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const ImFont* font = frame.fonts().small;
    const float line = textSize(font, "0").y, pad = 0.5F * frame.em;
    list.AddRect(area_.min(), area_.max(), ink.grid);
    const auto axis = [&](int which, const char* pattern) {
        return fmt::format(fmt::runtime(pattern), which + 1, 100 * frame.model.explained(which));
    };
    drawText(list, font, {area_.x + pad, area_.y + pad}, ink.soft, axis(1, "↑ PC {}  {:.0f} % of variance"));
    drawText(list, font, {area_.right() - pad, area_.bottom() - pad - line}, ink.soft,
             axis(0, "PC {}  {:.0f} % of variance →"), 1);
    if (frame.model.explained() < kTrustedVariance) {
        const std::string note =
            fmt::format("▲ the plane shows {:.0f} % of the variance: distances in it mislead",
                        100 * frame.model.explained());
        drawText(list, font, {area_.right() - pad, area_.y + pad}, ink.note, note, 1);
    }
    const float length = roundLength(0.2F * area_.w / scale_), width = length * scale_;
    const ImVec2 from{area_.x + pad, area_.bottom() - pad - 2};
    list.AddRectFilled({from.x, from.y}, {from.x + width, from.y + 2}, ink.soft);
    drawText(list, font, {from.x, from.y - line - 2}, ink.soft, fmt::format("{:g}", length));
}

// ---- moving ----

void CurvePlot::drawPath(const CurveFrame& frame, ImDrawList& list, int step) const {
    const PlanePoints& curve = frame.model.curve(step);
    const std::size_t stride = curve.size() > 128 ? 2 : 1;
    for (std::size_t i = stride; i < curve.size(); i += stride)
        list.AddLine(at(curve[i - stride]), at(curve[i]),
                     frame.along(static_cast<float>(i) / static_cast<float>(curve.size())),
                     thickness(frame, 0.2F));
}

void CurvePlot::drawEarlier(const CurveFrame& frame, ImDrawList& list) const {
    std::vector<ImVec2> line;
    for (int back = std::min(kEarlierSteps, frame.step); back >= 1; --back) {
        const PlanePoints& curve = frame.model.curve(frame.step - back);
        const std::size_t stride = curve.size() > 96 ? 3 : 1;
        line.clear();
        for (std::size_t i = 0; i < curve.size(); i += stride) line.push_back(at(curve[i]));
        const float share = 1.0F - static_cast<float>(back - 1) / kEarlierSteps;
        list.AddPolyline(line.data(), static_cast<int>(line.size()),
                         withAlpha(frame.ink().faint, 0.06F + 0.24F * share), 0, thickness(frame, 0.08F));
    }
}

void CurvePlot::drawControls(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const PlanePoints& controls = frame.model.controls(frame.step);
    std::vector<ImVec2> points;
    points.reserve(controls.size());
    for (const PlanePoint& p : controls) points.push_back(at(p));
    float length = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        length += std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    // Long polygons get longer dashes: their number, not their length, is what costs.
    drawDashed(list, points, ink.faint, 1, std::max(0.3F * frame.em, length / 600));
    const float r = 0.19F * frame.em;
    for (int j = 0; j < frame.model.controlPoints(); ++j) {
        const ImVec2 c = points[static_cast<std::size_t>(j)];
        const float weight = frame.controlWeight(j);
        list.AddRectFilled({c.x - r, c.y - r}, {c.x + r, c.y + r}, ink.soft);
        list.AddRectFilled({c.x - r + 1, c.y - r + 1}, {c.x + r - 1, c.y + r - 1}, ink.paper);
        if (weight < kVisibleWeight) continue;
        const float big = r * (1.0F + 1.4F * std::sqrt(weight));
        list.AddRectFilled({c.x - big, c.y - big}, {c.x + big, c.y + big},
                           withAlpha(ink.change, 0.25F + 0.75F * weight));
        list.AddRect({c.x - big, c.y - big}, {c.x + big, c.y + big}, ink.change);
    }
}

void CurvePlot::drawResiduals(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    for (int w = 0; w < frame.model.words(); ++w) {
        const int nearest = frame.model.nearest(frame.step, w);
        if (nearest < 0) return;
        const ImVec2 from = at(frame.model.wordPoints(frame.step)[static_cast<std::size_t>(w)]);
        const ImVec2 to = at(frame.model.vocabulary()[static_cast<std::size_t>(nearest)]);
        list.AddLine(from, to, withAlpha(ink.secondary, 0.55F), 1);
        frame.fonts().shapes.draw(list, BakedShapes::Diamond, to, 0.24F * frame.em, ink.secondary);
    }
}

void CurvePlot::drawWords(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const auto& trace = frame.model.trace();
    for (int w = 0; w < frame.model.words(); ++w) {
        const std::size_t cell = trace.cell(frame.step, w);
        const float sure = cell < trace.confidence.size() ? trace.confidence[cell] : 0.5F;
        const ImVec2 c = at(frame.model.wordPoints(frame.step)[static_cast<std::size_t>(w)]);
        const float r = frame.em * (0.17F + 0.19F * std::clamp(sure, 0.0F, 1.0F));
        frame.fonts().shapes.draw(list, BakedShapes::Disc, c, r + 1.5F, ink.paper);
        frame.fonts().shapes.draw(list, BakedShapes::Disc, c, r, frame.along(frame.model.wordPosition(w)));
        const float weight = frame.wordWeight(w);
        if (weight >= kVisibleWeight)
            list.AddCircle(c, r + 3, withAlpha(ink.change, 0.3F + 0.7F * weight), 20, 1.2F + 1.6F * weight);
    }
}

void CurvePlot::drawLabels(const CurveFrame& frame, ImDrawList& list) const {
    const auto& trace = frame.model.trace();
    std::vector<LabelWish> wishes;
    std::vector<std::string> texts;
    for (int w = 0; w < frame.model.words(); ++w) {
        const float weight = frame.wordWeight(w);
        const ImFont* font = weight >= 1 ? frame.fonts().bold : frame.fonts().small;
        const ImVec2 anchor = at(frame.model.wordPoints(frame.step)[static_cast<std::size_t>(w)]);
        texts.push_back(frame.tokenText(trace.tokens[trace.cell(frame.step, w)]));
        wishes.push_back({anchor, textSize(font, texts.back()), 0.55F * frame.em,
                          weight >= kVisibleWeight ? 1 + static_cast<int>(100 * weight) : 0});
        if (!area_.contains(anchor)) wishes.back().size = {1e6F, 1e6F};  // off the plot: no place fits
    }
    const auto placed = placeLabels(wishes, area_.inset(2));
    for (std::size_t w = 0; w < placed.size(); ++w) {
        if (!placed[w]) continue;
        const float weight = frame.wordWeight(static_cast<int>(w));
        const ImFont* font = weight >= 1 ? frame.fonts().bold : frame.fonts().small;
        const ImVec2 p = *placed[w];
        list.AddRectFilled({p.x - 1, p.y}, {p.x + wishes[w].size.x + 1, p.y + wishes[w].size.y},
                           withAlpha(frame.ink().paper, 0.72F));
        drawText(list, font, p,
                 weight >= kVisibleWeight || !frame.focus ? frame.ink().text : frame.ink().soft, texts[w]);
    }
}

void CurvePlot::drawMoving(const CurveFrame& frame, ImDrawList& list) const {
    list.PushClipRect(area_.min(), area_.max(), true);
    if (frame.layers.earlier) drawEarlier(frame, list);
    if (frame.layers.residuals) drawResiduals(frame, list);
    if (frame.layers.polygon && frame.model.kind() != CurveKind::WordsOnly) drawControls(frame, list);
    if (frame.layers.curve) drawPath(frame, list, frame.step);
    if (frame.layers.words) {
        drawWords(frame, list);
        drawLabels(frame, list);
    }
    list.PopClipRect();
    if (frame.pointed && area_.contains(ImGui::GetIO().MousePos)) drawTip(frame);
}

void CurvePlot::drawTip(const CurveFrame& frame) const {
    const CurveModel& m = frame.model;
    const auto& trace = m.trace();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.7F * frame.em, 0.5F * frame.em});
    ImGui::BeginTooltip();
    ImGui::PushFont(frame.fonts().bold);
    const int word = frame.focus.word, control = frame.focus.control;
    ImGui::TextUnformatted(word >= 0 ? frame.tokenText(trace.tokens[trace.cell(frame.step, word)]).c_str()
                                     : fmt::format("control point {}", control).c_str());
    ImGui::PopFont();
    if (word >= 0) {
        if (const int near = m.nearest(frame.step, word); near >= 0)
            ImGui::TextDisabled("slot %d, nearest embedding \"%s\"", word,
                                frame.tokenText(m.vocabularyId(near)).c_str());
        for (int j = 0; m.kind() != CurveKind::WordsOnly && j < m.controlPoints(); ++j)
            if (m.psi(word, j) >= 0.01) ImGui::Text("control point %d  %.0f %%", j, 100 * m.psi(word, j));
    }
    for (int w = 0; control >= 0 && w < m.words(); ++w)
        if (m.psi(w, control) >= 0.01)
            ImGui::Text("%s  %.0f %%", frame.tokenText(trace.tokens[trace.cell(frame.step, w)]).c_str(),
                        100 * m.psi(w, control));
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

}  // namespace kurve::views
