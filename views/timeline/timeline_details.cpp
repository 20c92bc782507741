#include "views/timeline/timeline_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::views {
namespace {

/// The slot that changed most often: what is worth looking at while nothing is chosen.
int liveliestSlot(const TimelineModel& m) {
    int best = 0;
    for (int slot = 1; slot < m.slots(); ++slot)
        if (m.editCount(slot) > m.editCount(best)) best = slot;
    return best;
}

/// Left button anywhere in the box moves the playhead along its width.
void scrub(const Box& box, int steps, TimelineIntent& intent) {
    const ImVec2 p = ImGui::GetIO().MousePos;
    const ImVec2 start = ImGui::GetIO().MouseClickedPos[0];
    if (!ImGui::IsMouseDown(0) || !box.contains(start) || steps < 2) return;
    const float unit = (p.x - box.x) / box.w;
    intent.step =
        std::clamp(static_cast<int>(std::lround(unit * static_cast<float>(steps - 1))), 0, steps - 1);
}

float stepX(const Box& box, int step, int steps) {
    return box.x + box.w * static_cast<float>(step) / static_cast<float>(std::max(steps - 1, 1));
}

void drawPlayheadLine(const TimelineFrame& frame, ImDrawList& list, const Box& box) {
    const float x = std::round(stepX(box, frame.step, frame.model.steps()));
    list.AddRectFilled({x - 0.5F, box.y}, {x + 0.5F, box.bottom()}, frame.ink().playhead);
}

}  // namespace

void RankFlowView::prepare(const TimelineFrame& frame, int slot) {
    if (model_ == &frame.model && slot_ == slot) return;
    model_ = &frame.model;
    slot_ = slot;
    lines_ = frame.model.rankFlow(slot);
    const PieceText& piece = frame.model.piece(frame.model.token(frame.model.steps() - 1, slot));
    const int edits = frame.model.editCount(slot);
    caption_ = fmt::format("Slot {}  \"{}\"   {} change{}, settled at step {}", slot, piece.text, edits,
                           edits == 1 ? "" : "s", frame.model.settledAt(slot) + 1);
}

void RankFlowView::draw(const TimelineFrame& frame, const Box& area, TimelineIntent& intent) {
    prepare(frame, frame.slot >= 0 ? frame.slot : liveliestSlot(frame.model));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, frame.fonts().bold, area.min(), frame.ink().text,
             elide(frame.fonts().bold, caption_, area.w));
    const float head = 1.7F * frame.em;
    if (lines_.empty()) {
        drawText(list, frame.fonts().small, {area.x, area.y + head}, frame.ink().soft,
                 "This trace holds no candidates.");
        return;
    }
    const float listW = std::min(11 * frame.em, area.w * 0.45F);
    const Box box{area.x + 1.4F * frame.em, area.y + head, area.w - listW - 2.6F * frame.em, area.h - head};
    drawLines(frame, list, box);
    drawCandidates(frame, list, {area.right() - listW, box.y, listW, box.h});
    scrub(box, frame.model.steps(), intent);
}

void RankFlowView::drawLines(const TimelineFrame& frame, ImDrawList& list, const Box& box) const {
    const Ink& ink = frame.ink();
    const float row = box.h / trace::kTopCandidates;
    const auto y = [&](int rank) { return box.y + (static_cast<float>(rank) + 0.5F) * row; };
    for (int rank = 0; rank < trace::kTopCandidates; ++rank) {
        list.AddRectFilled({box.x, y(rank)}, {box.right(), y(rank) + 1}, ink.grid);
        drawText(list, frame.fonts().small, {box.x - 0.6F * frame.em, y(rank) - 0.5F * frame.em}, ink.faint,
                 std::to_string(rank + 1), 1);
    }
    const std::uint32_t last = frame.model.token(frame.model.steps() - 1, slot_);
    const std::uint32_t now = frame.model.token(frame.step, slot_);
    const auto drawLine = [&](const RankLine& line, ImU32 colour) {
        for (std::size_t s = 1; s < line.rank.size(); ++s) {
            if (line.rank[s] < 0 || line.rank[s - 1] < 0) continue;
            const float p = std::max(line.probability[s], line.probability[s - 1]);
            list.AddLine({stepX(box, static_cast<int>(s) - 1, frame.model.steps()), y(line.rank[s - 1])},
                         {stepX(box, static_cast<int>(s), frame.model.steps()), y(line.rank[s])}, colour,
                         1.0F + 3.0F * p);
        }
    };
    for (const RankLine& line : lines_)
        if (line.id != last && line.id != now) drawLine(line, ink.line);
    for (const RankLine& line : lines_)
        if (line.id == now && now != last) drawLine(line, ink.change);
    for (const RankLine& line : lines_)
        if (line.id == last) drawLine(line, ink.accent);
    drawPlayheadLine(frame, list, box);
    const auto at = static_cast<std::size_t>(frame.step);
    for (const RankLine& line : lines_) {
        if (line.rank[at] < 0) continue;
        const ImU32 colour = line.id == last ? ink.accent : line.id == now ? ink.change : ink.soft;
        list.AddCircleFilled({stepX(box, frame.step, frame.model.steps()), y(line.rank[at])},
                             0.24F * frame.em, colour, 12);
    }
}

void RankFlowView::drawCandidates(const TimelineFrame& frame, ImDrawList& list, const Box& box) const {
    const Ink& ink = frame.ink();
    const float row = box.h / trace::kTopCandidates;
    const auto& t = frame.model.trace();
    const std::size_t base = t.cell(frame.step, slot_) * trace::kTopCandidates;
    const std::uint32_t last = frame.model.token(frame.model.steps() - 1, slot_);
    const float numberW = textSize(frame.fonts().small, "0.000").x, barW = 2.6F * frame.em;
    for (std::size_t k = 0; k < trace::kTopCandidates; ++k) {
        const float p = t.topProbability[base + k];
        if (p <= 0 && k > 0) break;
        const float y = box.y + (static_cast<float>(k) + 0.5F) * row, top = y - 0.55F * frame.em;
        const bool final = t.topIds[base + k] == last;
        const ImU32 colour = final ? ink.accent : k == 0 ? ink.change : ink.soft;
        drawText(list, frame.fonts().small, {box.x, top}, final || k == 0 ? ink.text : ink.soft,
                 elide(frame.fonts().small, frame.model.piece(t.topIds[base + k]).text,
                       box.w - numberW - barW - frame.em));
        const float x = box.right() - numberW - barW - 0.4F * frame.em;
        list.AddRectFilled({x, y - 0.2F * frame.em}, {x + std::max(1.0F, barW * p), y + 0.2F * frame.em},
                           colour);
        drawText(list, frame.fonts().small, {box.right(), top}, ink.soft, fmt::format("{:.3f}", p), 1);
    }
}

void drawStepStatistics(const TimelineFrame& frame, const Box& area, TimelineIntent& intent) {
    const StepStatistics& s = frame.model.statistics();
    const Ink& ink = frame.ink();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, frame.fonts().bold, area.min(), ink.text, fmt::format("Step {}", frame.step + 1));
    struct Row {
        const char* name;
        const std::vector<float>& values;
        const char* format;
        float least;  ///< the scale's upper end is at least this
    };
    const Row rows[] = {{"mean confidence", s.confidence, "{:.3f}", 1},
                        {"mean entropy", s.entropy, "{:.2f} nats", 0},
                        {"tokens changed", s.edits, "{:.0f}", 1},
                        {frame.model.continuous() ? "movement" : "masked left",
                         frame.model.continuous() ? s.distance : s.masked,
                         frame.model.continuous() ? "{:.3f}" : "{:.0f}", 0}};
    const float head = 1.7F * frame.em, row = (area.h - head) / 4;
    const float nameW = 8.2F * frame.em, valueW = 5.6F * frame.em;
    const Box plot{area.x + nameW, area.y + head, area.w - nameW - valueW - frame.em, area.h - head};
    for (int i = 0; i < 4; ++i) {
        const Box line{plot.x, plot.y + row * static_cast<float>(i), plot.w, row};
        const Box graph{line.x, line.y + 0.12F * row, line.w, 0.72F * row};
        const float text = graph.bottom() - textSize(frame.fonts().small, "0").y;
        float top = rows[i].least;
        for (const float v : rows[i].values)
            if (!std::isnan(v)) top = std::max(top, v);
        const float now = rows[i].values[static_cast<std::size_t>(frame.step)];
        list.AddRectFilled({graph.x, graph.bottom()}, {graph.right(), graph.bottom() + 1}, ink.line);
        drawSeries(list, graph, rows[i].values, 0, top > 0 ? top : 1, ink.accent, 1.6F);
        drawText(list, frame.fonts().small, {area.x, text}, ink.soft, rows[i].name);
        drawText(list, frame.fonts().small, {area.right(), text}, ink.text,
                 std::isnan(now) ? std::string("–") : fmt::format(fmt::runtime(rows[i].format), now), 1);
        if (!std::isnan(now) && top > 0) {
            const float y = graph.bottom() - graph.h * std::clamp(now / top, 0.0F, 1.0F);
            list.AddCircleFilled({stepX(graph, frame.step, frame.model.steps()), y}, 0.2F * frame.em,
                                 ink.playhead, 12);
        }
    }
    drawPlayheadLine(frame, list, plot);
    scrub(plot, frame.model.steps(), intent);
}

}  // namespace kurve::views
