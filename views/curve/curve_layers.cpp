#include "views/curve/curve_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/curve/label_placement.h"

namespace kurve::views {
namespace {

constexpr float kVisibleWeight = 0.004F;
constexpr int kMaxTrailSegments = 6000;  // software rendering

std::size_t index(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

/// A whole number of pixels: ImGui draws such lines with two triangles a segment, others with six.
float CurveLayerPainter::thickness(float ems) const {
    return std::max(1.0F, std::round(ems * frame_.em));
}

// ---- still ----

void CurveLayerPainter::still() const {
    const inspect::CurveModel& m = frame_.model;
    if (projection_.layers) stackedCurves();
    if (!frame_.layers.trails) return;
    const int stride = std::max(1, m.controlPoints() * m.steps() / kMaxTrailSegments);
    for (int j = 0; j < m.controlPoints(); j += stride)
        trail(j, withAlpha(frame_.along(m.greville(j)), 0.35F), 1);
}

void CurveLayerPainter::trail(int control, ImU32 colour, float thick) const {
    for (int step = 1; step < frame_.model.steps(); ++step)
        list_.AddLine(projection_.at(frame_.model.step(step - 1).controls[index(control)], step - 1),
                      projection_.at(frame_.model.step(step).controls[index(control)], step), colour, thick);
}

void CurveLayerPainter::stackedCurves() const {
    std::vector<ImVec2> line;
    const int stride = std::max(1, frame_.model.steps() / 40);
    for (int step = 0; step < frame_.model.steps(); step += stride) {
        const inspect::SpacePoints& curve = frame_.model.step(step).curve;
        const std::size_t jump = curve.size() > 96 ? 3 : 1;
        line.clear();
        for (std::size_t i = 0; i < curve.size(); i += jump) line.push_back(projection_.at(curve[i], step));
        const float u = static_cast<float>(step) / static_cast<float>(frame_.model.steps());
        list_.AddPolyline(line.data(), static_cast<int>(line.size()),
                          withAlpha(frame_.ink().faint, 0.25F + 0.5F * u), 0, 1);
    }
}

// ---- moving ----

void CurveLayerPainter::moving() const {
    const CurveLayers& on = frame_.layers;
    const bool hasControls = frame_.model.kind() != inspect::CurveKind::WordsOnly;
    if (on.vocabulary) vocabulary();
    if (on.earlier && !projection_.layers) earlier();
    if (on.trails && frame_.focus)
        for (int j = 0; j < frame_.model.controlPoints(); ++j)
            if (const float weight = frame_.controlWeight(j); weight >= kVisibleWeight)
                trail(j, withAlpha(frame_.ink().change, 0.3F + 0.7F * weight), thickness(0.12F));
    if (on.curves) otherCurves();
    if (on.residuals) residuals();
    if (on.targets) targets();
    if (on.polygon && hasControls) controls();
    if (frame_.edit != nullptr && on.curve) path(frame_.model.step(frame_.step), true);
    if (on.curve) path(frame_.shown(), false);
    if (on.words) tokens();
    if (on.words || on.targets || on.residuals) labels();
}

/// The nearest tokens of every position, faint; each token once.
void CurveLayerPainter::vocabulary() const {
    if (projection_.layers) return;  // tokens have no step
    const inspect::SpacePoints& tokens = frame_.model.vocabularyPoints();
    const auto point = [&](int row) {
        const ImVec2 q = at(tokens[index(row)]);
        if (area_.contains(q)) list_.AddRectFilled({q.x - 1, q.y - 1}, {q.x + 1, q.y + 1}, frame_.ink().line);
    };
    std::vector<int> rows = frame_.shown().nearest;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int row : rows) point(row);
}

void CurveLayerPainter::earlier() const {
    std::vector<ImVec2> line;
    for (int back = std::min(frame_.earlierSteps, frame_.step); back >= 1; --back) {
        const inspect::SpacePoints& curve = frame_.model.step(frame_.step - back).curve;
        const std::size_t stride = curve.size() > 96 ? 3 : 1;
        line.clear();
        for (std::size_t i = 0; i < curve.size(); i += stride) line.push_back(at(curve[i]));
        const float fraction = 1.0F - static_cast<float>(back - 1) / static_cast<float>(frame_.earlierSteps);
        list_.AddPolyline(line.data(), static_cast<int>(line.size()),
                          withAlpha(frame_.ink().faint, 0.06F + 0.24F * fraction), 0, thickness(0.08F));
    }
}

/// All predicted curves: thin and dashed, each labelled with its number and weight.
void CurveLayerPainter::otherCurves() const {
    const inspect::CurveStep& step = frame_.model.step(frame_.step);
    std::vector<ImVec2> line;
    for (std::size_t n = 0; n < step.curves.size(); ++n) {
        line.clear();
        for (std::size_t i = 0; i < step.curves[n].size(); i += 4) line.push_back(at(step.curves[n][i]));
        const float weight = step.weights[n];
        const ImU32 colour = withAlpha(frame_.ink().secondary, 0.35F + 0.65F * weight);
        drawDashed(list_, line, colour, 1, 0.35F * frame_.em);
        drawText(list_, frame_.fonts().small, {line.back().x + 0.4F * frame_.em, line.back().y}, colour,
                 fmt::format("curve {}  {:.0f} %", n + 1, 100 * weight));
    }
}

void CurveLayerPainter::path(const inspect::CurveStep& step, bool ghost) const {
    const std::size_t stride = step.curve.size() > 128 ? 2 : 1;
    for (std::size_t i = stride; i < step.curve.size(); i += stride)
        list_.AddLine(at(step.curve[i - stride]), at(step.curve[i]),
                      ghost ? frame_.ink().line
                            : frame_.along(static_cast<float>(i) / static_cast<float>(step.curve.size())),
                      ghost ? 1 : thickness(0.2F));
}

void CurveLayerPainter::controls() const {
    std::vector<ImVec2> points;
    for (const inspect::SpacePoint& p : frame_.shown().controls) points.push_back(at(p));
    float length = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        length += std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    // Long polygons have longer dashes, which limits their number.
    drawDashed(list_, points, frame_.ink().faint, 1, std::max(0.3F * frame_.em, length / 600));
    for (int j = 0; j < frame_.model.controlPoints(); ++j) control(j, points[index(j)]);
    if (frame_.edit == nullptr) return;
    for (const int dragged : frame_.edit->controls())
        list_.AddLine(at(frame_.model.step(frame_.step).controls[index(dragged)]), points[index(dragged)],
                      frame_.ink().change, 1);
}

void CurveLayerPainter::control(int j, ImVec2 c) const {
    const Ink& ink = frame_.ink();
    const float r = 0.19F * frame_.em, weight = frame_.controlWeight(j);
    list_.AddRectFilled({c.x - r, c.y - r}, {c.x + r, c.y + r}, ink.soft);
    list_.AddRectFilled({c.x - r + 1, c.y - r + 1}, {c.x + r - 1, c.y + r - 1}, ink.paper);
    if (frame_.isChosen(j))
        list_.AddRect({c.x - 2 * r, c.y - 2 * r}, {c.x + 2 * r, c.y + 2 * r}, ink.change, 0, 0, 2);
    if (weight < kVisibleWeight) return;
    const float big = r * (1.0F + 1.4F * std::sqrt(weight));
    list_.AddRectFilled({c.x - big, c.y - big}, {c.x + big, c.y + big},
                        withAlpha(ink.change, 0.25F + 0.75F * weight));
    list_.AddRect({c.x - big, c.y - big}, {c.x + big, c.y + big}, ink.change);
}

void CurveLayerPainter::residuals() const {
    const Ink& ink = frame_.ink();
    if (projection_.layers) return;
    for (int w = 0; w < frame_.model.words(); ++w) {
        const int nearest = frame_.nearest(w);
        if (nearest < 0) return;
        if (!frame_.isWritten(w)) continue;
        const ImVec2 from = at(frame_.shown().words[index(w)]);
        const ImVec2 to = at(frame_.model.vocabularyPoints()[index(nearest)]);
        list_.AddLine(from, to, withAlpha(ink.secondary, 0.55F), 1);
        frame_.fonts().texts->draw(list_, TextAtlas::Diamond, to, 0.24F * frame_.em, ink.secondary);
    }
}

/// Rings: the target of each position.
void CurveLayerPainter::targets() const {
    if (projection_.layers) return;
    for (int w = 0; w < frame_.model.words(); ++w) {
        const int row = frame_.model.target(w);
        if (row < 0) continue;
        const ImVec2 c = at(frame_.model.vocabularyPoints()[index(row)]);
        list_.AddCircle(c, 0.36F * frame_.em, frame_.along(frame_.model.wordPosition(w)), 16, 1.5F);
    }
}

void CurveLayerPainter::tokens() const {
    const Ink& ink = frame_.ink();
    const auto& trace = frame_.model.trace();
    for (int w = 0; w < frame_.model.words(); ++w) {
        if (!frame_.isWritten(w)) continue;
        const float recorded = trace.value(&trace::Trace::confidence, frame_.step, w);
        const float confidence = std::isnan(recorded) ? 0.5F : recorded;
        const ImVec2 c = at(frame_.shown().words[index(w)]);
        const float r = frame_.em * (0.17F + 0.19F * std::clamp(confidence, 0.0F, 1.0F));
        frame_.fonts().texts->draw(list_, TextAtlas::Disc, c, r + 1.5F, ink.paper);
        frame_.fonts().texts->draw(list_, TextAtlas::Disc, c, r, frame_.along(frame_.model.wordPosition(w)));
        if (frame_.changed(w)) {
            const float wide = r + 2 + 0.8F * frame_.em * frame_.flash;
            list_.AddCircle(c, wide, withAlpha(ink.change, 1 - 0.5F * frame_.flash), 24, 2);
        }
        const float weight = frame_.wordWeight(w);
        if (weight >= kVisibleWeight)
            list_.AddCircle(c, r + 3, withAlpha(ink.change, 0.3F + 0.7F * weight), 20, 1.2F + 1.6F * weight);
    }
}

void CurveLayerPainter::labels() const {
    struct Label {
        std::string text;
        ImU32 colour;
        const TextFace* font;
    };
    const Ink& ink = frame_.ink();
    std::vector<LabelCandidate> requests;
    std::vector<Label> labels;
    const auto request = [&](const inspect::SpacePoint& point, Label label, int priority) {
        const ImVec2 anchor = at(point);
        if (!area_.contains(anchor)) return;
        requests.push_back({anchor, textSize(label.font, label.text), 0.55F * frame_.em, priority});
        labels.push_back(std::move(label));
    };
    for (int w = 0; w < frame_.model.words(); ++w) {
        if (!frame_.isWritten(w)) continue;
        const float weight = frame_.wordWeight(w);
        const bool lit = weight >= kVisibleWeight, changed = frame_.changed(w);
        const TextFace* font = weight >= 1 || changed ? frame_.fonts().bold : frame_.fonts().small;
        if (frame_.layers.words)
            request(frame_.shown().words[index(w)],
                    {frame_.wordText(w),
                     changed                ? ink.change
                     : lit || !frame_.focus ? ink.text
                                            : ink.soft,
                     font},
                    changed ? 200
                    : lit   ? 1 + static_cast<int>(100 * weight)
                            : 0);
        const int near = frame_.nearest(w), target = frame_.model.target(w);
        if (frame_.layers.residuals && near >= 0 && lit && !projection_.layers)
            request(frame_.model.vocabularyPoints()[index(near)],
                    {fmt::format("{}  {:.2f}", frame_.tokenText(frame_.model.vocabulary()->id(near)),
                                 frame_.shown().residuals[index(w)]),
                     ink.secondary, frame_.fonts().small},
                    static_cast<int>(90 * weight));
        if (frame_.layers.targets && target >= 0 && !projection_.layers)
            request(
                frame_.model.vocabularyPoints()[index(target)],
                {frame_.tokenText(frame_.model.vocabulary()->id(target)), ink.faint, frame_.fonts().small},
                -1);
    }
    const auto placed = placeLabels(requests, area_.inset(2), captions_);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (!placed[i]) continue;
        const ImVec2 p = *placed[i];
        list_.AddRectFilled({p.x - 1, p.y}, {p.x + requests[i].size.x + 1, p.y + requests[i].size.y},
                            withAlpha(ink.paper, 0.72F));
        drawText(list_, labels[i].font, p, labels[i].colour, labels[i].text);
    }
}

}  // namespace kurve::views
