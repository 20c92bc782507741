#include "views/timeline/timeline_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/trace/map_marks.h"
#include "views/timeline/cell_tip.h"
#include "views/timeline/map_glyphs.h"

namespace kurve::views {

using trace::TokenState;

namespace {

constexpr float kTokenInset = 4;                  // of a token and its glyph in a cell
constexpr float kRuler = 1.6F, kLeastRow = 1.1F;  // text heights; 14 pixels at no zoom
constexpr float kMinToken = 3;                    // likewise: of a shortened token

}  // namespace

float TimelineMap::comfortableHeight(const TimelineFrame& frame) {
    const float row = textSize(frame.fonts().small, "Ag").y + 3;
    return row * static_cast<float>(frame.model.positions()) + kRuler * frame.em;
}

float TimelineMap::minimumHeight(int positions, float em) {
    return (kLeastRow * static_cast<float>(positions) + kRuler) * em;
}

void TimelineMap::place(const TimelineFrame& frame, const Box& area) {
    ruler_ = kRuler * frame.em;
    nameW_ = std::min(10.0F * frame.em, area.w * 0.25F);
    cellW_ = std::min((area.w - nameW_) / static_cast<float>(frame.model.steps()), 8.0F * frame.em);
    if (cellW_ >= 4) cellW_ = std::floor(cellW_);  // equal cells
    cellH_ = std::min((area.h - ruler_) / static_cast<float>(frame.model.positions()), 1.9F * frame.em);
    if (cellH_ >= 4) cellH_ = std::floor(cellH_);
    map_ = {std::round(area.x + nameW_), std::round(area.y + ruler_),
            cellW_ * static_cast<float>(frame.model.steps()),
            cellH_ * static_cast<float>(frame.model.positions())};
    markR_ = std::clamp(std::min(cellW_, cellH_) * 0.24F, 1.0F, 0.30F * frame.em);
}

int TimelineMap::nameEvery(float line) const {
    return std::max(1, static_cast<int>(std::ceil(line / cellH_)));
}

ImVec2 TimelineMap::centre(int step, int position) const {
    return {map_.x + (static_cast<float>(step) + 0.5F) * cellW_,
            map_.y + (static_cast<float>(position) + 0.5F) * cellH_};
}

void TimelineMap::drawStill(const TimelineFrame& frame, ImDrawList& list) {
    const inspect::TimelineModel& m = frame.model;
    drawRuler(frame, list);
    drawCells(frame, list);
    for (int position = 0; position < m.positions(); ++position)
        for (int step = 0; step < m.steps(); ++step) {
            if (showsToken(frame, step, position))
                drawNewToken(frame, list, step, position);
            else if (trace::isMarked(m.trace(), step, position))
                drawMark(frame, list, step, position);
        }
    drawDeclared(frame, list);
    const float line = textSize(frame.fonts().small, "Ag").y;
    for (int position = 0; position < m.positions(); position += nameEvery(line))
        drawName(frame, list, position, frame.ink().soft);
}

float TimelineMap::tokenWidth(const TimelineFrame& frame, int step, int position) const {
    const bool glyph = trace::isMarked(frame.model.trace(), step, position);
    return cellW_ - 7 - (glyph ? 2 * markR_ + kTokenInset : 0);
}

/// The cell is large enough for its new token, or for a legible part of it.
bool TimelineMap::showsToken(const TimelineFrame& frame, int step, int position) const {
    if (cellW_ < 2.6F * frame.em || cellH_ < textSize(frame.fonts().small, "Ag").y - 1) return false;
    const inspect::TimelineModel& m = frame.model;
    const TokenState state = m.state(step, position);
    const bool refilled = state == TokenState::Remask && step > 0 && !m.holdsMask(step, position) &&
                          m.token(step, position) != m.token(step - 1, position);
    if (state != TokenState::New && state != TokenState::Flip && !refilled) return false;
    const float width =
        textSize(frame.fonts().small, inspect::shownText(m.textOf(m.token(step, position)))).x;
    return tokenWidth(frame, step, position) >= std::min(width, kMinToken * frame.em);
}

/// Position of the cell's glyph: before a token, else in the middle.
ImVec2 TimelineMap::glyphPosition(const TimelineFrame& frame, int step, int position) const {
    const ImVec2 middle = centre(step, position);
    if (!showsToken(frame, step, position)) return middle;
    return {map_.x + static_cast<float>(step) * cellW_ + kTokenInset + markR_, middle.y};
}

/// A dotted frame around cells that are remasked next; a bracket where a block was finished, over its
/// positions.
void TimelineMap::drawDeclared(const TimelineFrame& frame, ImDrawList& list) const {
    const inspect::TimelineModel& m = frame.model;
    for (int step = 0; step < m.steps() && cellH_ >= 5 && cellW_ >= 5; ++step)
        for (int position = 0; position < m.positions(); ++position)
            if (m.marks().willMask(step, position))
                drawDotted(list, glyphPosition(frame, step, position), 1.7F * markR_,
                           onCell(frame, step, position));
    for (const trace::FinishedBlock& block : trace::finishedBlocks(m.trace(), m.marks()))
        drawBracket(list,
                    {map_.x + static_cast<float>(block.step) * cellW_, centre(0, block.from).y - cellH_ / 2},
                    static_cast<float>(block.count) * cellH_, frame.ink().text);
}

ImU32 TimelineMap::onCell(const TimelineFrame& frame, int step, int position) const {
    return frame.ink().onRamp(frame.unit(frame.model.value(frame.measure, step, position)));
}

void TimelineMap::drawRuler(const TimelineFrame& frame, ImDrawList& list) const {
    const TextFace* font = frame.fonts().small;
    const float y = map_.y - textSize(font, "0").y - 4;
    // Every 1, 2, 5, 10, … steps, as the numbers fit.
    const float least = textSize(font, "000").x + frame.em;
    int every = 1;
    for (int k = 0; static_cast<float>(every) * cellW_ < least; ++k) every = every * (k % 3 == 1 ? 5 : 4) / 2;
    for (int step = 0; step < frame.model.steps(); ++step)
        if (step == 0 || (step + 1) % every == 0)
            drawText(list, font, {centre(step, 0).x, y}, frame.ink().soft, std::to_string(step + 1), 0.5F);
    drawText(list, font, {map_.x - 0.8F * frame.em, y}, frame.ink().faint, "step", 1);
}

void TimelineMap::drawCells(const TimelineFrame& frame, ImDrawList& list) {
    const inspect::TimelineModel& m = frame.model;
    const ImU32 paper = frame.ink().paper;
    std::vector<ImU32> pixels;
    pixels.reserve(static_cast<std::size_t>(m.steps()) * static_cast<std::size_t>(m.positions()));
    for (int position = 0; position < m.positions(); ++position)
        for (int step = 0; step < m.steps(); ++step)
            pixels.push_back(m.state(step, position) == TokenState::Pad
                                 ? paper
                                 : frame.ink().at(frame.unit(m.value(frame.measure, step, position))));
    cells_.set(m.steps(), m.positions(), pixels);
    list.AddImage(cells_.id(), map_.min(), map_.max());
    // Hairlines between large cells.
    for (int step = 1; cellW_ >= 7 && cellH_ >= 5 && step < m.steps(); ++step) {
        const float x = map_.x + static_cast<float>(step) * cellW_;
        list.AddRectFilled({x - 1, map_.y}, {x, map_.bottom()}, paper);
    }
    for (int position = 1; cellH_ >= 7 && position < m.positions(); ++position) {
        const float y = map_.y + static_cast<float>(position) * cellH_;
        list.AddRectFilled({map_.x, y - 1}, {map_.right(), y}, paper);
    }
}

void TimelineMap::drawMark(const TimelineFrame& frame, ImDrawList& list, int step, int position) const {
    const ImVec2 c = centre(step, position);
    const ImU32 colour = onCell(frame, step, position);
    if (cellH_ >= 5 && cellW_ >= 5)
        return drawShape(list, frame.model.state(step, position), c, markR_, colour);
    // Too small for a shape: a bar.
    list.AddRectFilled({c.x - cellW_ * 0.25F, c.y - cellH_ / 2}, {c.x + cellW_ * 0.25F, c.y + cellH_ / 2},
                       colour);
}

void TimelineMap::drawNewToken(const TimelineFrame& frame, ImDrawList& list, int step, int position) const {
    const inspect::TimelineModel& m = frame.model;
    const TokenState state = m.state(step, position);
    const TextFace* font = frame.fonts().small;
    const ImU32 colour = onCell(frame, step, position);
    const float left = map_.x + static_cast<float>(step) * cellW_ + kTokenInset, y = centre(step, position).y;
    float x = left;
    if (trace::isMarked(m.trace(), step, position)) {
        drawShape(list, state, glyphPosition(frame, step, position), markR_, colour);
        x = left + 2 * markR_ + kTokenInset;
    }
    drawText(list, font, {x, y - textSize(font, "Ag").y / 2}, colour,
             elide(font, inspect::shownText(m.textOf(m.token(step, position))),
                   tokenWidth(frame, step, position)));
}

void TimelineMap::drawName(const TimelineFrame& frame, ImDrawList& list, int position, ImU32 colour) const {
    const int last = frame.model.steps() - 1;
    if (frame.model.state(last, position) == TokenState::Pad) return;
    const TextFace* font = frame.fonts().small;
    const float x = map_.x - nameW_, y = centre(0, position).y - textSize(font, "Ag").y / 2;
    drawText(list, font, {x + 1.9F * frame.em, y}, frame.ink().faint, std::to_string(position), 1);
    const std::string text = inspect::shownText(frame.model.textOf(frame.model.token(last, position)));
    drawText(list, font, {x + 2.4F * frame.em, y}, colour, elide(font, text, nameW_ - 3.0F * frame.em));
}

void TimelineMap::coverNames(const TimelineFrame& frame, ImDrawList& list, float low, float high) const {
    // Names that overlap the row are covered completely.
    const float line = textSize(frame.fonts().small, "Ag").y;
    float from = low, to = high;
    for (int position = 0; position < frame.model.positions(); position += nameEvery(line)) {
        const float top = centre(0, position).y - line / 2;
        if (top >= high || top + line <= low) continue;
        from = std::min(from, top);
        to = std::max(to, top + line);
    }
    list.AddRectFilled({map_.x - nameW_, std::max(from, map_.y - 2)}, {map_.x - 3, to}, frame.ink().paper);
}

void TimelineMap::drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) {
    const Ink& ink = frame.ink();
    if (frame.position >= 0) {
        const float y = centre(0, frame.position).y, half = std::max(cellH_, 1.2F * frame.em) / 2;
        const float low = std::max(y - half, map_.y - 2), high = y + half;
        coverNames(frame, list, low, high);
        list.AddRectFilled({map_.x - nameW_, low}, {map_.x - 3, high}, ink.selection);
        drawName(frame, list, frame.position, ink.text);
        list.AddRect({map_.x - 1, y - cellH_ / 2 - 1}, {map_.right(), y + cellH_ / 2}, ink.playhead);
    }
    const float x = map_.x + static_cast<float>(frame.step) * cellW_;
    list.AddRect({x - 1, map_.y - 1}, {x + std::max(cellW_, 3.0F), map_.bottom() + 1}, ink.playhead, 0, 0,
                 2.0F);
    drawLoop(frame, list);
    const float c = std::floor(x + cellW_ / 2), r = 0.34F * frame.em;
    list.AddTriangleFilled({c - r, map_.y - r * 1.3F}, {c + r, map_.y - r * 1.3F}, {c, map_.y}, ink.playhead);
    handlePointer(frame, intent);
}

void TimelineMap::drawLoop(const TimelineFrame& frame, ImDrawList& list) const {
    const int last = frame.model.steps() - 1, to = frame.loopTo < 0 ? last : std::min(frame.loopTo, last);
    if (frame.loopFrom <= 0 && to == last) return;
    const float from = map_.x + static_cast<float>(frame.loopFrom) * cellW_;
    const float end = map_.x + static_cast<float>(to + 1) * cellW_, y = map_.y - ruler_,
                tall = 0.5F * frame.em;
    const ImU32 colour = frame.ink().accent;
    list.AddRectFilled({from, y}, {end, y + 2}, colour);
    list.AddRectFilled({from, y}, {from + 2, y + tall}, colour);
    list.AddRectFilled({end - 2, y}, {end, y + tall}, colour);
}

void TimelineMap::handlePointer(const TimelineFrame& frame, TimelineIntent& intent) {
    const ImVec2 p = ImGui::GetIO().MousePos;
    const Box grip{map_.x, map_.y - ruler_, map_.w, map_.h + ruler_};
    const Box names{map_.x - nameW_, map_.y, nameW_, map_.h};
    const auto cell = [](float offset, float size, int count) {
        // Clamped before the cast: without a mouse the position is -FLT_MAX.
        return static_cast<int>(std::clamp(std::floor(offset / size), 0.0F, static_cast<float>(count - 1)));
    };
    const int position = cell(p.y - map_.y, cellH_, frame.model.positions());
    const int step = cell(p.x - map_.x, cellW_, frame.model.steps());
    if (ImGui::IsMouseClicked(0) && (grip.contains(p) || names.contains(p))) {
        dragging_ = grip.contains(p);
        if (map_.contains(p) || names.contains(p)) intent.position = position;
    }
    if (!ImGui::IsMouseDown(0)) dragging_ = false;
    if (dragging_) intent.step = step;
    if (grip.contains(p) && ImGui::GetIO().MouseWheel != 0)
        intent.step = std::clamp(frame.step - static_cast<int>(std::lround(ImGui::GetIO().MouseWheel)), 0,
                                 frame.model.steps() - 1);
    if (map_.contains(p)) intent.hovered = position;
    if (map_.contains(p) && !dragging_) drawCellTip(frame, step, position);
}

}  // namespace kurve::views
