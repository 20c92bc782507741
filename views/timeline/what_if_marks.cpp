#include "views/timeline/what_if_marks.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

using trace::EditKind;

namespace {

Box cellOf(const TimelineFrame& frame, const Box& cells, int step, int slot) {
    const float w = cells.w / static_cast<float>(frame.model.steps()),
                h = cells.h / static_cast<float>(frame.model.slots());
    return {cells.x + static_cast<float>(step) * w, cells.y + static_cast<float>(slot) * h, w, h};
}

/// One letter says what is done, whatever its colour: "=" force, "!" pin, "x" ban, "~" noise, "+" moved.
const char* signOf(EditKind kind) {
    constexpr const char* kSigns[] = {"=", "!", "x", "~", "+"};
    return kSigns[static_cast<std::size_t>(kind)];
}

void drawSign(const TimelineFrame& frame, ImDrawList& list, ImVec2 c, EditKind kind, bool waits) {
    const Ink& ink = frame.ink();
    const float r = 0.62F * frame.em;
    list.AddCircleFilled(c, r, waits ? ink.paper : ink.accent, 16);
    list.AddCircle(c, r, ink.accent, 16, 1.5F);
    const ImFont* font = frame.fonts().bold;
    drawText(list, font, {c.x, c.y - textSize(font, "=").y / 2}, waits ? ink.accent : ink.paper, signOf(kind),
             0.5F);
}

/// The word that is put into a slot, whole, on its own ground beside the sign: the cell itself may have room
/// for a letter of it.
void drawWord(const TimelineFrame& frame, ImDrawList& list, const Box& cells, ImVec2 c,
              const std::string& word) {
    const ImFont* font = frame.fonts().small;
    const ImVec2 size = textSize(font, word);
    const float gap = 0.9F * frame.em, pad = 0.3F * frame.em;
    const bool left = c.x + gap + size.x + 2 * pad > cells.right() && c.x - gap - size.x > cells.x;
    const float x = left ? c.x - gap - size.x - 2 * pad : c.x + gap;
    const ImVec2 from{x, c.y - size.y / 2 - 1}, to{x + size.x + 2 * pad, c.y + size.y / 2 + 1};
    list.AddRectFilled(from, to, frame.ink().paper, 3);
    list.AddRect(from, to, frame.ink().accent, 3);
    drawText(list, font, {x + pad, c.y - size.y / 2}, frame.ink().text, word);
}

void drawEdit(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const trace::Edit& edit,
              bool waits) {
    if (edit.point || edit.slot >= frame.model.slots() || edit.step >= frame.model.steps()) return;
    const Box cell = cellOf(frame, cells, edit.step, edit.slot);
    const ImVec2 c{cell.x + cell.w / 2, cell.y + cell.h / 2};
    const float r = 0.62F * frame.em;
    if (edit.kind == EditKind::Pin || edit.kind == EditKind::Ban)
        list.AddLine({c.x + r, c.y}, {cells.right(), c.y}, frame.ink().accent, waits ? 1.0F : 2.0F);
    drawSign(frame, list, c, edit.kind, waits);
    if ((edit.kind == EditKind::Force || edit.kind == EditKind::Pin) && !edit.text.empty())
        drawWord(frame, list, cells, c, edit.text);
}

}  // namespace

void drawBranchMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const WhatIf& whatIf) {
    for (int slot = 0; slot < frame.model.slots(); ++slot)
        for (int step = 0; step < frame.model.steps(); ++step) {
            if (!whatIf.differs(step, slot)) continue;
            const Box cell = cellOf(frame, cells, step, slot);
            const float r = std::clamp(0.45F * std::min(cell.w, cell.h), 2.0F, 0.55F * frame.em);
            list.AddTriangleFilled({cell.right() - r - 1, cell.y}, {cell.right() - 1, cell.y},
                                   {cell.right() - 1, cell.y + r}, frame.ink().change);
        }
    for (const trace::Edit& edit : whatIf.made()) drawEdit(frame, list, cells, edit, false);
}

void drawPendingMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const WhatIf& whatIf) {
    for (const trace::Edit& edit : whatIf.pending()) drawEdit(frame, list, cells, edit, true);
}

void drawChipEdits(const TimelineFrame& frame, ImDrawList& list, int slot, ImVec2 right,
                   const WhatIf& whatIf) {
    float x = right.x;
    const auto draw = [&](const std::vector<trace::Edit>& edits, bool waits) {
        for (const trace::Edit& edit : edits) {
            if (edit.point || edit.slot != slot || !edit.actsAt(frame.step)) continue;
            drawSign(frame, list, {x, right.y}, edit.kind, waits);
            x -= 1.4F * frame.em;
        }
    };
    draw(whatIf.made(), false);
    draw(whatIf.pending(), true);
}

void askMenu(const TimelineFrame& frame, const Box& cells, TimelineIntent& intent) {
    const ImVec2 p = ImGui::GetIO().MousePos;
    const int steps = frame.model.steps();
    const float at = (p.x - cells.x) / cells.w * static_cast<float>(steps);
    intent.menuWanted = true;
    intent.menuSlot = intent.hovered;
    intent.menuStep =
        cells.contains(p) ? std::clamp(static_cast<int>(std::floor(at)), 0, steps - 1) : frame.step;
}

}  // namespace kurve::views
