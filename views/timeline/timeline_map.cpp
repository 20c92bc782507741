#include "views/timeline/timeline_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurve::views {

using trace::SlotState;

namespace {

bool marked(SlotState state, int step, bool continuous) {
    switch (state) {
        case SlotState::Kept:
        case SlotState::Pad:
            return false;
        case SlotState::New:
            return step > 0 || !continuous;  // a whole first column of dots says nothing
        default:
            return true;
    }
}

void drawShape(ImDrawList& list, SlotState state, ImVec2 c, float r, ImU32 colour) {
    switch (state) {
        case SlotState::Given:
            list.AddRectFilled({c.x - r * 0.4F, c.y - r}, {c.x + r * 0.4F, c.y + r}, colour);
            break;
        case SlotState::Masked:
            list.AddRect({c.x - r, c.y - r}, {c.x + r, c.y + r}, colour);
            break;
        case SlotState::New:
            list.AddCircleFilled(c, r * 0.9F, colour, 10);
            break;
        case SlotState::Flip:
            drawDiamond(list, c, r * 1.15F, colour);
            break;
        case SlotState::Remask:
            list.AddCircle(c, r * 0.85F, colour, 10, 1.4F);
            list.AddLine({c.x - r * 0.7F, c.y + r * 0.7F}, {c.x - r * 1.5F, c.y + r * 1.5F}, colour, 1.4F);
            break;
        default:
            break;
    }
}

const char* stateName(SlotState state) {
    switch (state) {
        case SlotState::Given:
            return "given";
        case SlotState::Masked:
            return "masked";
        case SlotState::New:
            return "new";
        case SlotState::Kept:
            return "kept";
        case SlotState::Flip:
            return "changed";
        case SlotState::Remask:
            return "masked again";
        case SlotState::Pad:
            return "padding";
    }
    return "";
}

std::string shownText(const PieceText& piece) {
    return piece.text.empty() ? "␣" : piece.text;
}

}  // namespace

float TimelineMap::comfortableHeight(const TimelineFrame& frame) {
    const float row = textSize(frame.fonts().small, "Ag").y + 3;
    return row * static_cast<float>(frame.model.slots()) + 1.6F * frame.em;
}

int TimelineMap::stepAt(float x) const {
    return static_cast<int>(std::floor((x - map_.x) / cellW_));
}
int TimelineMap::slotAt(float y) const {
    return static_cast<int>(std::floor((y - map_.y) / cellH_));
}

void TimelineMap::build(const TimelineFrame& frame, const Built& wanted) {
    built_ = wanted;
    buildCells(frame);
    buildMarks(frame);
    buildNames(frame);
}

void TimelineMap::buildCells(const TimelineFrame& frame) {
    const TimelineModel& m = frame.model;
    std::vector<ImU32> pixels;
    pixels.reserve(static_cast<std::size_t>(m.steps()) * static_cast<std::size_t>(m.slots()));
    for (int slot = 0; slot < m.slots(); ++slot)
        for (int step = 0; step < m.steps(); ++step)
            pixels.push_back(m.state(step, slot) == SlotState::Pad
                                 ? frame.ink().paper
                                 : frame.ink().at(frame.unit(m.value(frame.measure, step, slot))));
    cells_.set(m.steps(), m.slots(), pixels);
}

void TimelineMap::buildMarks(const TimelineFrame& frame) {
    const TimelineModel& m = frame.model;
    marks_.clear();
    const ImFont* font = frame.fonts().small;
    const bool texts = cellW_ >= 2.6F * frame.em && cellH_ >= textSize(font, "Ag").y - 1;
    markR_ = std::clamp(std::min(cellW_, cellH_) * 0.24F, 1.0F, 0.30F * frame.em);
    for (int slot = 0; slot < m.slots(); ++slot)
        for (int step = 0; step < m.steps(); ++step) {
            const SlotState state = m.state(step, slot);
            const bool named = texts && (state == SlotState::New || state == SlotState::Flip);
            if (!named && !marked(state, step, m.continuous())) continue;
            Mark mark;
            mark.state = marked(state, step, m.continuous()) ? state : SlotState::Kept;
            mark.colour = frame.ink().onRamp(frame.unit(m.value(frame.measure, step, slot)));
            mark.x = (static_cast<float>(step) + 0.5F) * cellW_;
            mark.y = (static_cast<float>(slot) + 0.5F) * cellH_;
            if (named) {
                const float left = static_cast<float>(step) * cellW_ + 3;
                const bool shape = mark.state != SlotState::Kept;
                if (shape) mark.x = left + markR_ * 1.2F;
                mark.textX = shape ? mark.x + markR_ * 1.2F + 3 : left;
                const float room = static_cast<float>(step + 1) * cellW_ - 2 - mark.textX;
                mark.text = elide(font, shownText(m.piece(m.token(step, slot))), room);
            }
            marks_.push_back(std::move(mark));
        }
}

void TimelineMap::buildNames(const TimelineFrame& frame) {
    names_.clear();
    const ImFont* font = frame.fonts().small;
    const float line = textSize(font, "Ag").y;
    const int every = std::max(1, static_cast<int>(std::ceil(line / cellH_)));
    const int last = frame.model.steps() - 1;
    for (int slot = 0; slot < frame.model.slots(); slot += every) {
        if (frame.model.state(last, slot) == SlotState::Pad) continue;
        const std::string text = shownText(frame.model.piece(frame.model.token(last, slot)));
        names_.push_back({(static_cast<float>(slot) + 0.5F) * cellH_ - line / 2, slot,
                          elide(font, text, nameW_ - 2.6F * frame.em)});
    }
}

void TimelineMap::draw(const TimelineFrame& frame, const Box& area, TimelineIntent& intent) {
    const TimelineModel& m = frame.model;
    ruler_ = 1.6F * frame.em;
    nameW_ = std::min(10.0F * frame.em, area.w * 0.25F);
    cellW_ = std::min((area.w - nameW_) / static_cast<float>(m.steps()), 7.0F * frame.em);
    if (cellW_ >= 4) cellW_ = std::floor(cellW_);  // even cells look even
    cellH_ = std::min((area.h - ruler_) / static_cast<float>(m.slots()), 1.7F * frame.em);
    if (cellH_ >= 4) cellH_ = std::floor(cellH_);
    map_ = {std::round(area.x + nameW_), std::round(area.y + ruler_), cellW_ * static_cast<float>(m.steps()),
            cellH_ * static_cast<float>(m.slots())};
    const Built wanted{&m, frame.measure, map_.w, map_.h, frame.em, frame.ink().paper};
    if (!(built_ == wanted)) build(frame, wanted);

    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawRuler(frame, list);
    drawCells(frame, list);
    drawNames(frame, list);
    drawPlayhead(frame, list);
    handlePointer(frame, intent);
}

void TimelineMap::drawRuler(const TimelineFrame& frame, ImDrawList& list) const {
    const ImFont* font = frame.fonts().small;
    const float y = map_.y - textSize(font, "0").y - 4;
    // Every 1, 2, 5, 10, … steps, whichever leaves room for its number.
    const float room = textSize(font, "000").x + frame.em;
    int every = 1;
    for (int k = 0; static_cast<float>(every) * cellW_ < room; ++k) every = every * (k % 3 == 1 ? 5 : 4) / 2;
    for (int step = 0; step < frame.model.steps(); ++step) {
        if (step != 0 && (step + 1) % every != 0) continue;
        const float x = map_.x + (static_cast<float>(step) + 0.5F) * cellW_;
        drawText(list, font, {x, y}, frame.ink().soft, std::to_string(step + 1), 0.5F);
    }
    drawText(list, font, {map_.x - 0.8F * frame.em, y}, frame.ink().faint, "step", 1);
}

void TimelineMap::drawCells(const TimelineFrame& frame, ImDrawList& list) const {
    if (cells_) list.AddImage(cells_.id(), map_.min(), map_.max());
    // Hairlines between cells that are large enough to be looked at one by one.
    if (cellW_ >= 7)
        for (int step = 1; step < frame.model.steps(); ++step) {
            const float x = map_.x + static_cast<float>(step) * cellW_;
            list.AddRectFilled({x - 1, map_.y}, {x, map_.bottom()}, frame.ink().paper);
        }
    if (cellH_ >= 7)
        for (int slot = 1; slot < frame.model.slots(); ++slot) {
            const float y = map_.y + static_cast<float>(slot) * cellH_;
            list.AddRectFilled({map_.x, y - 1}, {map_.right(), y}, frame.ink().paper);
        }
    for (const Mark& mark : marks_) drawMark(frame, list, mark);
}

void TimelineMap::drawMark(const TimelineFrame& frame, ImDrawList& list, const Mark& mark) const {
    const ImVec2 centre{map_.x + mark.x, map_.y + mark.y};
    if (mark.state != SlotState::Kept) {
        if (cellH_ < 5 || cellW_ < 5) {  // too small for a shape: a full bar still shows where things happen
            list.AddRectFilled({centre.x - cellW_ * 0.25F, centre.y - cellH_ / 2},
                               {centre.x + cellW_ * 0.25F, centre.y + cellH_ / 2}, mark.colour);
            return;
        }
        drawShape(list, mark.state, centre, markR_, mark.colour);
    }
    if (mark.text.empty()) return;
    const ImFont* font = frame.fonts().small;
    drawText(list, font, {map_.x + mark.textX, centre.y - textSize(font, "Ag").y / 2}, mark.colour,
             mark.text);
}

void TimelineMap::drawNames(const TimelineFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const ImFont* font = frame.fonts().small;
    if (frame.slot >= 0) {
        const float y = map_.y + static_cast<float>(frame.slot) * cellH_;
        const float half = std::max(cellH_, 0.9F * frame.em) / 2;
        list.AddRectFilled({map_.x - nameW_, y + cellH_ / 2 - half}, {map_.x - 2, y + cellH_ / 2 + half},
                           ink.selection, 3);
        list.AddRect({map_.x - 1, y - 1}, {map_.right(), y + cellH_}, ink.playhead, 0, 0, 1.0F);
    }
    for (const RowName& name : names_) {
        const float y = map_.y + name.y;
        drawText(list, font, {map_.x - nameW_ + 1.9F * frame.em, y}, ink.faint, std::to_string(name.slot), 1);
        drawText(list, font, {map_.x - nameW_ + 2.4F * frame.em, y},
                 name.slot == frame.slot ? ink.text : ink.soft, name.text);
    }
}

void TimelineMap::drawPlayhead(const TimelineFrame& frame, ImDrawList& list) const {
    const float x = map_.x + static_cast<float>(frame.step) * cellW_;
    const ImU32 colour = frame.ink().playhead;
    const float width = std::max(cellW_, 3.0F);
    list.AddRect({x - 1, map_.y - 1}, {x + width, map_.bottom() + 1}, colour, 0, 0, 2.0F);
    const float c = std::floor(x + cellW_ / 2), r = 0.34F * frame.em;
    list.AddTriangleFilled({c - r, map_.y - r * 1.3F}, {c + r, map_.y - r * 1.3F}, {c, map_.y}, colour);
}

void TimelineMap::handlePointer(const TimelineFrame& frame, TimelineIntent& intent) {
    const ImVec2 p = ImGui::GetIO().MousePos;
    const Box grip{map_.x, map_.y - ruler_, map_.w, map_.h + ruler_};
    const Box names{map_.x - nameW_, map_.y, nameW_, map_.h};
    const int slot = std::clamp(slotAt(p.y), 0, frame.model.slots() - 1);
    const int step = std::clamp(stepAt(p.x), 0, frame.model.steps() - 1);
    if (ImGui::IsMouseClicked(0) && (grip.contains(p) || names.contains(p))) {
        dragging_ = grip.contains(p);
        if (map_.contains(p) || names.contains(p)) intent.slot = slot;
    }
    if (!ImGui::IsMouseDown(0)) dragging_ = false;
    if (dragging_) intent.step = step;
    if (grip.contains(p) && ImGui::GetIO().MouseWheel != 0)
        intent.step = std::clamp(frame.step - static_cast<int>(std::lround(ImGui::GetIO().MouseWheel)), 0,
                                 frame.model.steps() - 1);
    if (map_.contains(p)) intent.hovered = slot;
    if (map_.contains(p) && !dragging_) drawTip(frame, step, slot);
}

void TimelineMap::drawTip(const TimelineFrame& frame, int step, int slot) const {
    const TimelineModel& m = frame.model;
    if (m.state(step, slot) == SlotState::Pad) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.7F * frame.em, 0.5F * frame.em});
    ImGui::BeginTooltip();
    ImGui::PushFont(frame.fonts().bold);
    ImGui::TextUnformatted(shownText(m.piece(m.token(step, slot))).c_str());
    ImGui::PopFont();
    std::string where = fmt::format("slot {}, step {}: {}", slot, step + 1, stateName(m.state(step, slot)));
    if (step > 0 && m.state(step, slot) == SlotState::Flip)
        where += fmt::format(" from \"{}\"", shownText(m.piece(m.token(step - 1, slot))));
    ImGui::TextDisabled("%s", where.c_str());
    ImGui::Text("confidence %.2f   margin %.2f   entropy %.2f",
                static_cast<double>(m.value(Measure::Confidence, step, slot)),
                static_cast<double>(m.value(Measure::Margin, step, slot)),
                static_cast<double>(m.value(Measure::Entropy, step, slot)));
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

void drawMapLegend(const TimelineFrame& frame, ImDrawList& list, const Box& line) {
    const Ink& ink = frame.ink();
    const ImFont* font = frame.fonts().small;
    const float middle = line.y + line.h / 2, top = middle - textSize(font, "0").y / 2;
    const float rampW = 7 * frame.em, rampH = 0.6F * frame.em;
    const std::string high =
        fmt::format("{:.{}f}", frame.model.top(frame.measure), frame.measure == Measure::Confidence ? 0 : 2);
    float x = line.right() - textSize(font, high).x;
    drawText(list, font, {x, top}, ink.soft, high);
    x -= rampW + 0.4F * frame.em;
    for (int i = 0; i < 32; ++i) {
        const float a = x + rampW * static_cast<float>(i) / 32,
                    b = x + rampW * static_cast<float>(i + 1) / 32;
        list.AddRectFilled({a, middle - rampH / 2}, {b, middle + rampH / 2},
                           ink.at((static_cast<float>(i) + 0.5F) / 32));
    }
    list.AddRect({x, middle - rampH / 2}, {x + rampW, middle + rampH / 2}, ink.line);
    x -= 0.4F * frame.em;
    drawText(list, font, {x, top}, ink.soft, fmt::format("{}  0", measureText(frame.measure).name), 1);
    x -= textSize(font, fmt::format("{}  0", measureText(frame.measure).name)).x + 1.6F * frame.em;

    const auto entry = [&](SlotState state, const char* text) {
        x -= textSize(font, text).x;
        drawText(list, font, {x, top}, ink.soft, text);
        x -= 0.8F * frame.em;
        drawShape(list, state, {x, middle}, 0.28F * frame.em, ink.text);
        x -= 1.2F * frame.em;
    };
    if (frame.model.continuous()) return entry(SlotState::Flip, "token changed");
    entry(SlotState::Flip, "changed");
    entry(SlotState::Remask, "masked again");
    entry(SlotState::Masked, "masked");
    entry(SlotState::New, "new");
}

}  // namespace kurve::views
