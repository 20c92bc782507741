#include "views/timeline/map_marks.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

using trace::EditKind;

namespace {

Box cellOf(const TimelineFrame& frame, const Box& cells, int step, int position) {
    const float w = cells.w / static_cast<float>(frame.model.steps()),
                h = cells.h / static_cast<float>(frame.model.positions());
    return {cells.x + static_cast<float>(step) * w, cells.y + static_cast<float>(position) * h, w, h};
}

/// A character per kind, independent of colour: "=" force, "!" pin, "x" ban, "~" noise, "+" latent, "%"
/// sampler.
const char* glyphOf(EditKind kind) {
    constexpr const char* kGlyphs[] = {"=", "!", "x", "~", "+", "%"};
    return kGlyphs[static_cast<std::size_t>(kind)];
}

void drawEditGlyph(const TimelineFrame& frame, ImDrawList& list, ImVec2 c, EditKind kind, bool pending) {
    const Ink& ink = frame.ink();
    const float r = 0.62F * frame.em;
    list.AddCircleFilled(c, r, pending ? ink.paper : ink.accent, 16);
    list.AddCircle(c, r, ink.accent, 16, 1.5F);
    const TextFace* font = frame.fonts().bold;
    drawText(list, font, {c.x, c.y - textSize(font, "=").y / 2}, pending ? ink.accent : ink.paper,
             glyphOf(kind), 0.5F);
}

/// The edit's token beside its glyph, not shortened.
void drawToken(const TimelineFrame& frame, ImDrawList& list, const Box& cells, ImVec2 c,
               const std::string& token) {
    const TextFace* font = frame.fonts().small;
    const ImVec2 size = textSize(font, token);
    const float gap = 0.9F * frame.em, pad = 0.3F * frame.em;
    const bool left = c.x + gap + size.x + 2 * pad > cells.right() && c.x - gap - size.x > cells.x;
    const float x = left ? c.x - gap - size.x - 2 * pad : c.x + gap;
    const ImVec2 from{x, c.y - size.y / 2 - 1}, to{x + size.x + 2 * pad, c.y + size.y / 2 + 1};
    list.AddRectFilled(from, to, frame.ink().paper, 3);
    list.AddRect(from, to, frame.ink().accent, 3);
    drawText(list, font, {x + pad, c.y - size.y / 2}, frame.ink().text, token);
}

void drawEdit(const TimelineFrame& frame, ImDrawList& list, const Box& cells, const trace::Edit& edit,
              bool pending) {
    if (edit.point || edit.position >= frame.model.positions() || edit.step >= frame.model.steps()) return;
    const Box cell = cellOf(frame, cells, edit.step, edit.position);
    const ImVec2 c{cell.x + cell.w / 2, cell.y + cell.h / 2};
    const float r = 0.62F * frame.em;
    if (edit.lasts())
        list.AddLine({c.x + r, c.y}, {cells.right(), c.y}, frame.ink().accent, pending ? 1.0F : 2.0F);
    drawEditGlyph(frame, list, c, edit.kind, pending);
    if ((edit.kind == EditKind::Force || edit.kind == EditKind::Pin) && !edit.text.empty())
        drawToken(frame, list, cells, c, edit.text);
}

}  // namespace

void drawFoundMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells) {
    if (frame.found == nullptr) return;
    const float thick = std::max(1.5F, 0.12F * frame.em);
    for (const inspect::TraceCell& match : *frame.found) {
        const Box cell = cellOf(frame, cells, match.step, match.position);
        if (cell.w >= 5 && cell.h >= 5)
            list.AddRect(cell.min(), cell.max(), frame.ink().change, 0, 0, thick);
        else  // along the bottom of the cell, which stays readable
            list.AddRectFilled({cell.x, cell.y + 0.6F * cell.h},
                               {cell.x + std::max(cell.w, 1.0F), cell.bottom()}, frame.ink().change);
    }
}

void drawBranchMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells) {
    if (frame.intervention == nullptr) return;
    for (int position = 0; position < frame.model.positions(); ++position)
        for (int step = 0; step < frame.model.steps(); ++step) {
            if (!frame.intervention->differs(step, position)) continue;
            const Box cell = cellOf(frame, cells, step, position);
            const float r = std::clamp(0.45F * std::min(cell.w, cell.h), 2.0F, 0.55F * frame.em);
            list.AddTriangleFilled({cell.right() - r - 1, cell.y}, {cell.right() - 1, cell.y},
                                   {cell.right() - 1, cell.y + r}, frame.ink().change);
        }
    for (const trace::Edit& edit : frame.intervention->made()) drawEdit(frame, list, cells, edit, false);
}

void drawPendingMarks(const TimelineFrame& frame, ImDrawList& list, const Box& cells) {
    if (frame.intervention == nullptr) return;
    for (const trace::Edit& edit : frame.intervention->pending()) drawEdit(frame, list, cells, edit, true);
}

void drawChipEdits(const TimelineFrame& frame, ImDrawList& list, int position, ImVec2 right) {
    if (frame.intervention == nullptr) return;
    float x = right.x;
    const auto draw = [&](const std::vector<trace::Edit>& edits, bool pending) {
        for (const trace::Edit& edit : edits) {
            if (edit.point || edit.position != position || !edit.actsAt(frame.step)) continue;
            drawEditGlyph(frame, list, {x, right.y}, edit.kind, pending);
            x -= 1.4F * frame.em;
        }
    };
    draw(frame.intervention->made(), false);
    draw(frame.intervention->pending(), true);
}

void requestMenu(const TimelineFrame& frame, const Box& cells, TimelineIntent& intent) {
    const ImVec2 p = ImGui::GetIO().MousePos;
    const int steps = frame.model.steps();
    const float at = (p.x - cells.x) / cells.w * static_cast<float>(steps);
    intent.menuRequested = true;
    intent.menuPosition = intent.hovered;
    intent.menuStep =
        cells.contains(p) ? std::clamp(static_cast<int>(std::floor(at)), 0, steps - 1) : frame.step;
}

}  // namespace kurve::views
