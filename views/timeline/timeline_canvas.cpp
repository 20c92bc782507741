#include "views/timeline/timeline_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "views/timeline/cell_tip.h"
#include "views/timeline/map_marks.h"

namespace kurve::views {

using trace::TokenState;

namespace {

constexpr float kGridCell = 5.2F;  // text sizes

/// Fits three quarters of the position's tokens, and the last one.
float positionWidth(const TimelineFrame& frame, int position) {
    const inspect::TimelineModel& m = frame.model;
    const TextFace* font = frame.fonts().large;
    std::vector<float> widths;
    for (int step = 0; step < m.steps(); ++step)
        widths.push_back(textSize(font, m.textOf(m.token(step, position)).text).x);
    const float last = widths.back();
    const auto quarter = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() * 3 / 4);
    std::nth_element(widths.begin(), quarter, widths.end());
    return std::max({last, *quarter, 1.1F * frame.em});
}

}  // namespace

float TimelineCanvas::prepare(const TimelineFrame& frame, float width) {
    const bool unchanged =
        model_ == &frame.model && width_ == width && em_ == frame.em && grid_ == frame.grid;
    if (unchanged) return layout_.height;
    grid_ = frame.grid;
    model_ = &frame.model;
    width_ = width;
    em_ = frame.em;
    scroll_ = 0;
    followed_ = -1;
    positions_.clear();
    std::vector<FlowItem> items;
    const int last = frame.model.steps() - 1;
    const bool isSentence = frame.model.trace().unit == trace::Unit::Sentence;
    for (int position = 0; position < frame.model.positions(); ++position) {
        if (frame.model.state(last, position) == TokenState::Pad) continue;
        positions_.push_back(position);
        const inspect::TokenText& text = frame.model.textOf(frame.model.token(last, position));
        if (grid_)
            items.push_back({std::ceil(kGridCell * frame.em), true});
        else
            items.push_back(
                {std::ceil(positionWidth(frame, position)), text.wordStart || text.special || isSentence});
    }
    layout_ = layoutFlow(items, {width, std::ceil(3.1F * frame.em), 0.6F * frame.em, 1});
    return layout_.height;
}

void TimelineCanvas::scroll(const TimelineFrame& frame, const Box& area) {
    const float wheel = ImGui::GetIO().MouseWheel;
    if (wheel != 0 && area.contains(ImGui::GetIO().MousePos)) scroll_ -= wheel * 3.1F * frame.em;
    if (frame.position != followed_) {
        followed_ = frame.position;
        const auto at = std::find(positions_.begin(), positions_.end(), frame.position);
        if (at != positions_.end()) {
            const Box& box = layout_.boxes[static_cast<std::size_t>(at - positions_.begin())];
            scroll_ = std::clamp(scroll_, box.bottom() - area.h, box.y);
        }
    }
    scroll_ = std::clamp(scroll_, 0.0F, std::max(0.0F, layout_.height - area.h));
}

void TimelineCanvas::draw(const TimelineFrame& frame, const Box& area, TimelineIntent& intent) {
    scroll(frame, area);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect({area.x - 4, area.y}, {area.right() + 4, area.bottom()}, true);
    const ImVec2 p = ImGui::GetIO().MousePos;
    int tipped = -1;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
        Box box = layout_.boxes[i];
        box.x += area.x;
        box.y += area.y - scroll_;
        if (box.bottom() < area.y || box.y > area.bottom()) continue;
        if (area.contains(p) && box.contains(p)) {
            intent.hovered = positions_[i];
            if (ImGui::IsMouseClicked(0)) intent.position = positions_[i];
            tipped = positions_[i];
        }
        const TokenPreview* preview = frame.preview;
        if (preview != nullptr && preview->step == frame.step && preview->tokens.contains(positions_[i]))
            drawPreview(frame, list, preview->tokens[positions_[i]], box);
        else
            drawChip(frame, list, positions_[i], box);
    }
    list.PopClipRect();
    if (tipped >= 0 && !ImGui::IsMouseDown(0)) drawCellTip(frame, frame.step, tipped);
    if (layout_.height <= area.h || frame.host.isFigure()) return;
    const float size = area.h * area.h / layout_.height, at = area.h * scroll_ / layout_.height;
    list.AddRectFilled({area.right() - 3, area.y + at}, {area.right(), area.y + at + size}, frame.ink().line,
                       2);
}

void TimelineCanvas::drawChip(const TimelineFrame& frame, ImDrawList& list, int position,
                              const Box& box) const {
    const inspect::TimelineModel& m = frame.model;
    const Ink& ink = frame.ink();
    const TokenState state = m.state(frame.step, position);
    const float value = std::clamp(frame.unit(m.value(frame.measure, frame.step, position)), 0.0F, 1.0F);
    const inspect::TokenText& text = m.textOf(m.token(frame.step, position));
    const TextFace* font = text.special ? frame.fonts().small : frame.fonts().large;
    const float line = textSize(frame.fonts().large, "Ag").y;
    const float top = box.y + 1.05F * frame.em;  // room for the struck-out token above
    const Box chip{box.x - 2, top - 1, box.w + 4, line + 2};
    const bool selected = position == frame.position;
    if (selected) list.AddRectFilled(chip.min(), {chip.right(), chip.bottom() + 5}, ink.selection, 3);
    const bool again = state == TokenState::Remask && frame.step > 0;
    const bool other = again && m.token(frame.step, position) != m.token(frame.step - 1, position);
    if ((state == TokenState::Flip || other) && frame.step > 0 && !m.holdsMask(frame.step, position))
        drawOld(frame, list, position, box);
    if (state == TokenState::Masked || again)
        list.AddRect({box.x - 1, top + 1}, {box.right() + 1, top + line - 1}, ink.faint);
    if (!m.holdsMask(frame.step, position)) {
        const bool guess =
            value < 0.5F && frame.measure == inspect::Measure::Confidence && m.has(frame.measure);
        const float drop = text.special ? (line - textSize(font, "Ag").y) / 2 + 1 : 0;
        drawText(list, font, {box.x, top + drop},
                 text.special ? ink.faint
                 : guess      ? ink.soft
                              : ink.text,
                 elide(font, text.text, box.w + 1));
    }
    if (grid_) {
        const std::string number = std::to_string(position);
        drawText(list, frame.fonts().small, {box.right(), box.y + 0.08F * frame.em}, ink.faint, number, 1);
    }
    const float thick = 1.5F + 2.5F * value, y = top + line + 1.5F;
    list.AddRectFilled({box.x, y}, {box.right(), y + thick}, ink.at(0.18F + 0.82F * value));
    if (frame.differing != nullptr && (*frame.differing)[static_cast<std::size_t>(position)])
        list.AddRect({chip.x, chip.y}, {chip.right(), chip.bottom()}, ink.change, 3, 0, 1.5F);
    if (selected) list.AddRect(chip.min(), {chip.right(), chip.bottom() + 5}, ink.accent, 3, 0, 1.5F);
    drawDeclared(frame, list, position, chip);
    drawChipEdits(frame, list, position, {box.right(), y});
}

/// Marks of the sampler: a dotted frame around tokens that are remasked next, brackets around a finished
/// block.
void TimelineCanvas::drawDeclared(const TimelineFrame& frame, ImDrawList& list, int position,
                                  const Box& chip) const {
    const trace::TokenMarks& marks = frame.model.marks();
    const float dash = std::max(2.0F, 0.14F * frame.em);
    if (marks.willMask(frame.step, position)) {
        const std::array<ImVec2, 5> corners{chip.min(), ImVec2{chip.right(), chip.y}, chip.max(),
                                            ImVec2{chip.x, chip.bottom()}, chip.min()};
        drawDashed(list, corners, frame.ink().text, 1.5F, dash);
    }
    if (!marks.committed(frame.step, position)) return;
    const auto outside = [&](int other) {
        return other < 0 || other >= frame.model.positions() || !marks.committed(frame.step, other);
    };
    const float foot = 0.3F * frame.em, low = chip.bottom() + 5;
    const auto bracket = [&](float x, float inward) {
        list.AddRectFilled({x, chip.y}, {x + 2, low}, frame.ink().soft);
        for (const float y : {chip.y, low - 2})
            list.AddRectFilled({std::min(x, x + inward), y}, {std::max(x, x + inward) + 2, y + 2},
                               frame.ink().soft);
    };
    if (outside(position - 1)) bracket(chip.x - 3, foot);
    if (outside(position + 1)) bracket(chip.right() + 1, -foot);
}

/// The token of a running edit: tinted and framed; the tint flashes when it changes.
void TimelineCanvas::drawPreview(const TimelineFrame& frame, ImDrawList& list, const QString& token,
                                 const Box& box) const {
    const ImU32 colour = frame.ink().change;
    const float line = textSize(frame.fonts().large, "Ag").y, top = box.y + 1.05F * frame.em;
    const Box chip{box.x - 2, top - 1, box.w + 4, line + 2};
    list.AddRectFilled(chip.min(), chip.max(), withAlpha(colour, 0.16F + 0.6F * frame.flash), 3);
    list.AddRect(chip.min(), chip.max(), colour, 3, 0, 1.5F);
    drawText(
        list, frame.fonts().large, {box.x, top}, frame.ink().text,
        elide(frame.fonts().large, inspect::shownText(inspect::tokenText(token.toStdString())), box.w + 1));
}

void TimelineCanvas::drawOld(const TimelineFrame& frame, ImDrawList& list, int position,
                             const Box& box) const {
    const TextFace* font = frame.fonts().small;
    const inspect::TokenText& text = frame.model.textOf(frame.model.token(frame.step - 1, position));
    const float number = grid_ ? textSize(font, "000").x : 0;
    const std::string shown = elide(font, text.text, box.w - number);
    const ImU32 colour = frame.ink().change;
    const float line = textSize(frame.fonts().large, "Ag").y, top = box.y + 1.05F * frame.em;
    list.AddRectFilled({box.x - 1, top}, {box.right() + 1, top + line}, withAlpha(colour, 0.16F));
    const float y = box.y + 0.08F * frame.em;
    drawText(list, font, {box.x, y}, colour, shown);
    const ImVec2 size = textSize(font, shown);
    const float strike = std::floor(y + size.y * 0.55F);
    list.AddRectFilled({box.x, strike}, {box.x + size.x, strike + 1}, colour);
}

}  // namespace kurve::views
