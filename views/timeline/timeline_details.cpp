#include "views/timeline/timeline_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurve::views {

int RankFlowView::positionFor(const inspect::TimelineModel& model, int selected) {
    if (selected >= 0) return selected;
    int best = 0;
    for (int position = 1; position < model.positions(); ++position)
        if (model.editCount(position) > model.editCount(best)) best = position;
    return best;
}

void RankFlowView::place(const TimelineFrame& frame, const Box& area, int position) {
    const float head = 1.7F * frame.em, listW = std::min(12 * frame.em, area.w * 0.45F);
    area_ = area;
    plot_ = {area.x + 1.4F * frame.em, area.y + head, area.w - listW - 2.8F * frame.em, area.h - head};
    list_ = {area.right() - listW, plot_.y, listW, plot_.h};
    const float line = 0.95F * textSize(frame.fonts().small, "Ag").y;
    ranks_ = std::clamp(static_cast<int>(plot_.h / line), 1, std::max(1, frame.model.trace().topK));
    if (model_ == &frame.model && position_ == position) return;
    model_ = &frame.model;
    position_ = position;
    last_ = frame.model.token(frame.model.steps() - 1, position);
    lines_ = frame.model.rankFlow(position);
    const int edits = frame.model.editCount(position);
    caption_ = fmt::format("Position {} \"{}\": {} change{}, settled at step {}", position,
                           frame.model.textOf(last_).text, edits, edits == 1 ? "" : "s",
                           frame.model.settledAt(position) + 1);
}

float RankFlowView::y(int rank) const {
    return std::round(plot_.y + (static_cast<float>(rank) + 0.5F) * plot_.h / static_cast<float>(ranks_));
}

void RankFlowView::drawLine(const TimelineFrame& frame, ImDrawList& list, const inspect::RankLine& line,
                            ImU32 colour) const {
    const int steps = frame.model.steps();
    for (int s = 0; s < steps; ++s) {
        const auto at = static_cast<std::size_t>(s);
        if (!hasRank(line, at)) continue;
        const bool joined = s > 0 && hasRank(line, at - 1);
        const bool alone = !joined && (s + 1 == steps || !hasRank(line, at + 1));
        if (alone) list.AddCircleFilled({stepX(plot_, s, steps), y(line.rank[at])}, 1.6F, colour, 8);
        if (!joined) continue;
        const float p = std::max(line.probability[at], line.probability[at - 1]);
        list.AddLine({stepX(plot_, s - 1, steps), y(line.rank[at - 1])},
                     {stepX(plot_, s, steps), y(line.rank[at])}, colour, 1.2F + 2.8F * p);
    }
}

void RankFlowView::drawStill(const TimelineFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    drawText(list, frame.fonts().bold, area_.min(), ink.text, elide(frame.fonts().bold, caption_, area_.w));
    if (lines_.empty())
        return drawText(list, frame.fonts().small, plot_.min(), ink.soft, "No candidates recorded.");
    for (int rank = 0; rank < ranks_; ++rank) {
        list.AddRectFilled({plot_.x, y(rank)}, {plot_.right(), y(rank) + 1}, ink.grid);
        drawText(list, frame.fonts().small, {plot_.x - 0.6F * frame.em, y(rank) - 0.5F * frame.em}, ink.faint,
                 std::to_string(rank + 1), 1);
    }
    for (const inspect::RankLine& line : lines_)
        if (line.id != last_) drawLine(frame, list, line, mix(ink.line, ink.faint, 0.45F));
    for (const inspect::RankLine& line : lines_)
        if (line.id == last_) drawLine(frame, list, line, ink.accent);
}

void RankFlowView::drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const {
    if (lines_.empty()) return;
    const Ink& ink = frame.ink();
    const std::uint32_t now = frame.model.token(frame.step, position_);
    const auto at = static_cast<std::size_t>(frame.step);
    const float x = stepX(plot_, frame.step, frame.model.steps());
    for (const inspect::RankLine& line : lines_)
        if (line.id == now && now != last_) drawLine(frame, list, line, ink.change);
    list.AddRectFilled({std::round(x) - 0.5F, plot_.y}, {std::round(x) + 0.5F, plot_.bottom()}, ink.playhead);
    for (const inspect::RankLine& line : lines_) {
        if (!hasRank(line, at)) continue;
        const ImU32 colour = line.id == last_ ? ink.accent : line.id == now ? ink.change : ink.soft;
        frame.fonts().texts->draw(list, TextAtlas::Disc, {x, y(line.rank[at])}, 0.24F * frame.em, colour);
    }
    drawCandidates(frame, list, intent);
    if (const int step = scrubbedStep(plot_, frame.model.steps()); step >= 0) intent.step = step;
}

void RankFlowView::drawCandidates(const TimelineFrame& frame, ImDrawList& list,
                                  TimelineIntent& intent) const {
    const Ink& ink = frame.ink();
    const TextFace* font = frame.fonts().small;
    const trace::Candidates found = frame.model.trace().candidates(frame.step, position_);
    const float numberW = textSize(font, "0.000").x, barW = 3 * frame.em;
    const float rowH = std::min(1.5F * frame.em, plot_.h / static_cast<float>(ranks_));
    for (std::size_t k = 0; k < std::min(found.ids.size(), static_cast<std::size_t>(ranks_)); ++k) {
        const float p = found.probabilities[k];
        const float middle = y(static_cast<int>(k)), top = middle - 0.5F * frame.em;
        const bool final = found.ids[k] == last_;
        const Box row{list_.x - 0.4F * frame.em, middle - rowH / 2, list_.w + 0.8F * frame.em, rowH};
        if (row.contains(ImGui::GetIO().MousePos)) {
            list.AddRectFilled(row.min(), row.max(), ink.selection, 3);
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            if (ImGui::IsMouseClicked(0)) {
                intent.candidate = found.ids[k];
                intent.candidatePosition = position_;
            }
        }
        const ImU32 bar = final ? ink.accent : k == 0 ? ink.change : ink.faint;
        const float width = list_.w - numberW - barW - 1.2F * frame.em;
        drawText(list, font, {list_.x, top}, final || k == 0 ? ink.text : ink.soft,
                 elide(font, frame.model.textOf(found.ids[k]).text, width));
        const float x = list_.right() - numberW - barW - 0.5F * frame.em;
        list.AddRectFilled({x, middle - 0.22F * frame.em},
                           {x + std::max(1.0F, barW * p), middle + 0.22F * frame.em}, bar);
        drawText(list, font, {list_.right(), top}, ink.soft, fmt::format("{:.3f}", p), 1);
    }
}

// ---- step statistics ----

void StepStatisticsView::place(const TimelineFrame& frame, const Box& area) {
    area_ = area;
    const float head = 1.7F * frame.em;
    at_ = {
        {area.x, area.y + head, area.w, area.h - head}, 8.6F * frame.em, (beside_ ? 8.6F : 6.0F) * frame.em};
}

void StepStatisticsView::setBeside(const inspect::TraceComparison* pair) {
    beside_ = pair != nullptr ? &pair->b().statistics() : nullptr;
    partners_.clear();
    for (int step = 0; pair != nullptr && step < pair->a().steps(); ++step)
        partners_.push_back(pair->partner(step));
}

std::vector<SeriesRow> StepStatisticsView::rows(const TimelineFrame& frame) const {
    const inspect::StepStatistics& ofA = frame.model.statistics();
    std::vector<SeriesRow> out;
    const auto add = [&](const char* name, std::vector<float> inspect::StepStatistics::*of, float least,
                         const char* form) {
        out.push_back({name, ofA.*of, least, form});
        if (beside_ == nullptr) return;
        out.back().beside = beside_->*of;
        out.back().partners = partners_;
    };
    const bool confidence = frame.model.has(inspect::Measure::Confidence),
               entropy = frame.model.has(inspect::Measure::Entropy);
    if (confidence) add("mean confidence", &inspect::StepStatistics::confidence, 1, "{:.3f}");
    if (entropy)
        add("mean entropy", &inspect::StepStatistics::entropy, 0, beside_ ? "{:.2f}" : "{:.2f} nats");
    const trace::Unit unit = frame.model.trace().unit;
    add(unit == trace::Unit::Sentence ? "sentences changed"
        : unit == trace::Unit::Chunk  ? "chunks changed"
                                      : "tokens changed",
        &inspect::StepStatistics::edits, 1, "{:.0f}");
    if (frame.model.continuous())
        add("movement", &inspect::StepStatistics::distance, 0, "{:.3f}");
    else
        add(frame.model.emptyName(), &inspect::StepStatistics::masked, 1, "{:.0f}");
    if (!ofA.bleu.empty()) {
        add("chrF", &inspect::StepStatistics::chrf, 100, "{:.1f}");
        add("sentence BLEU", &inspect::StepStatistics::bleu, 100, "{:.1f}");
    }
    // In a low widget entropy is left out, then the last rows.
    const auto most = static_cast<std::size_t>(
        std::max(3.0F, at_.area.h / (textSize(frame.fonts().small, "Ag").y * 0.95F)));
    if (out.size() > most && entropy) out.erase(out.begin() + (confidence ? 1 : 0));
    if (out.size() > most) out.erase(out.begin() + static_cast<std::ptrdiff_t>(most), out.end());
    return out;
}

void StepStatisticsView::drawStill(const TimelineFrame& frame, ImDrawList& list) const {
    std::string note = beside_ ? "A; B dashed" : frame.model.trace().metaText("reference");
    if (!beside_ && !note.empty()) note = "reference: " + note;
    drawHeading(list, frame.fonts(), area_, {"Statistics per step", frame.ink().text},
                {note, frame.ink().soft});
    drawSeriesRows(list, frame.host, at_, rows(frame));
}

void StepStatisticsView::drawMoving(const TimelineFrame& frame, ImDrawList& list,
                                    TimelineIntent& intent) const {
    drawSeriesValues(list, frame.host, at_, rows(frame), frame.step);
    if (const int step = scrubbedStep(at_.plot(), frame.model.steps()); step >= 0) intent.step = step;
}

}  // namespace kurve::views
