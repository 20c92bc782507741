#include "views/curve/basis_strip.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kurve::views {

void BasisStrip::place(const CurveFrame& frame, const Box& area) {
    area_ = area;
    headed_ = area.h >= 7.5F * frame.em;
    const float head = (headed_ ? 2.2F : 0.8F) * frame.em;
    plot_ = {area.x, area.y + head, area.w, area.h - head - 1.9F * frame.em};
}

CurveFocus BasisStrip::pick(const inspect::CurveModel& model) const {
    const ImVec2 p = ImGui::GetIO().MousePos;
    const Box reach{area_.x - 4, plot_.y - 10, area_.w + 8, area_.bottom() - plot_.y + 10};
    if (!reach.contains(p)) return {};
    const float u = (p.x - plot_.x) / plot_.w;
    const bool words = p.y > plot_.y + 0.75F * plot_.h;
    const int count = words ? model.words() : model.controlPoints();
    int best = 0;
    const auto at = [&](int i) { return words ? model.wordPosition(i) : model.greville(i); };
    for (int i = 1; i < count; ++i)
        if (std::abs(at(i) - u) < std::abs(at(best) - u)) best = i;
    return words ? CurveFocus{best, -1} : CurveFocus{-1, best};
}

void BasisStrip::drawFunction(const CurveFrame& frame, ImDrawList& list, int control, ImU32 colour,
                              float thickness) const {
    std::vector<ImVec2> line;
    for (const inspect::PlanePoint& p : frame.model.basisFunction(control))
        line.push_back({x(p.x), plot_.bottom() - p.y * plot_.h});
    list.AddPolyline(line.data(), static_cast<int>(line.size()), colour, 0, thickness);
}

void BasisStrip::drawHeading(const CurveFrame& frame, ImDrawList& list) const {
    const std::string title =
        frame.name == nullptr ? "Basis functions" : std::string("Basis functions of ") + frame.name[0];
    views::drawHeading(list, frame.fonts(), area_, {title, frame.ink().text},
                       {"weight of each control point (above) for each token (below)", frame.ink().soft});
}

void BasisStrip::drawStill(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    if (headed_) drawHeading(frame, list);
    list.AddRectFilled({plot_.x, plot_.bottom()}, {plot_.right(), plot_.bottom() + 1}, ink.line);
    const float crowd = std::clamp(30.0F / static_cast<float>(frame.model.controlPoints()), 0.35F, 1.0F);
    for (int j = 0; j < frame.model.controlPoints(); ++j) {
        drawFunction(frame, list, j, withAlpha(frame.along(frame.model.greville(j)), crowd), 1.2F);
        const float c = x(frame.model.greville(j)),
                    r = std::min(3.0F, 0.3F * plot_.w / static_cast<float>(frame.model.controlPoints()));
        list.AddRect({c - r, plot_.y - 4 - r}, {c + r, plot_.y - 4 + r}, ink.soft);
    }
    for (int w = 0; w < frame.model.words(); ++w) {
        const float c = std::round(x(frame.model.wordPosition(w)));
        list.AddRectFilled({c, plot_.bottom()}, {c + 1, plot_.bottom() + 4}, ink.soft);
    }
}

void BasisStrip::drawNames(const CurveFrame& frame, ImDrawList& list) const {
    const TextFace* font = frame.fonts().small;
    const auto draw = [&](int w, ImU32 colour, float& end) {
        const std::string text = frame.wordText(w);
        const float width = textSize(font, text).x;
        const float left =
            std::clamp(x(frame.model.wordPosition(w)) - width / 2, area_.x, area_.right() - width);
        if (left < end) return;
        drawText(list, font, {left, plot_.bottom() + 6}, colour, text);
        end = left + width + 0.4F * frame.em;
    };
    float end = -1e9F;
    const int focused = frame.focus.word;
    float keepLeft = 1e9F, keepRight = -1e9F;  // extent of the focused token's name, which is always shown
    if (focused >= 0) {
        const std::string text = frame.wordText(focused);
        const float width = textSize(font, text).x, c = x(frame.model.wordPosition(focused));
        keepLeft = c - width / 2 - 0.4F * frame.em;
        keepRight = c + width / 2 + 0.4F * frame.em;
        float none = -1e9F;
        draw(focused, frame.ink().change, none);
    }
    for (int w = 0; w < frame.model.words(); ++w) {
        if (w == focused) continue;
        const float c = x(frame.model.wordPosition(w));
        const float half = textSize(font, frame.wordText(w)).x / 2;
        if (c + half > keepLeft && c - half < keepRight) continue;
        draw(w, frame.wordWeight(w) > 0.004F ? frame.ink().change : frame.ink().soft, end);
    }
}

void BasisStrip::drawMoving(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    drawNames(frame, list);
    for (int j = 0; frame.focus && j < frame.model.controlPoints(); ++j) {
        const float weight = frame.controlWeight(j);
        if (weight < 0.004F) continue;
        drawFunction(frame, list, j, withAlpha(ink.change, 0.35F + 0.65F * weight), 1.5F + weight);
        const float c = x(frame.model.greville(j)), r = 2.5F + 2.5F * std::sqrt(weight);
        list.AddRectFilled({c - r, plot_.y - 4 - r}, {c + r, plot_.y - 4 + r},
                           withAlpha(ink.change, 0.3F + 0.7F * weight));
    }
    const auto markWord = [&](int w, float weight) {
        const float c = std::round(x(frame.model.wordPosition(w)));
        list.AddRectFilled({c - 0.5F, plot_.y}, {c + 0.5F, plot_.bottom() + 4},
                           withAlpha(ink.playhead, 0.2F + 0.5F * weight));
    };
    if (frame.focus.word >= 0) {
        markWord(frame.focus.word, 1);
        for (int j = 0; j < frame.model.controlPoints(); ++j) {
            const auto value = static_cast<float>(frame.model.psi(frame.focus.word, j));
            if (value < 0.004F) continue;
            frame.fonts().texts->draw(
                list, TextAtlas::Disc,
                {std::round(x(frame.model.wordPosition(frame.focus.word))), plot_.bottom() - value * plot_.h},
                0.22F * frame.em, ink.change);
        }
    }
    for (int w = 0; frame.focus.control >= 0 && w < frame.model.words(); ++w) {
        const auto value = static_cast<float>(frame.model.psi(w, frame.focus.control));
        if (value < 0.004F) continue;
        markWord(w, value);
        frame.fonts().texts->draw(
            list, TextAtlas::Disc,
            {std::round(x(frame.model.wordPosition(w))), plot_.bottom() - value * plot_.h}, 0.22F * frame.em,
            ink.change);
    }
}

}  // namespace kurve::views
