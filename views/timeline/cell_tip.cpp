#include "views/timeline/cell_tip.h"

#include <fmt/format.h>

#include <algorithm>

namespace kurve::views {

using trace::SlotState;

namespace {

constexpr int kBest = 5;

void drawBest(const TimelineFrame& frame, int step, int slot) {
    const trace::Trace& trace = frame.model.trace();
    const std::size_t from = trace.cell(step, slot) * trace::kTopCandidates;
    if (trace.topProbability.size() < from + trace::kTopCandidates) return;
    for (std::size_t k = from; k < from + kBest; ++k) {
        const float p = trace.topProbability[k];
        if (p <= 0) return;
        ImGui::Text("%.3f  %s", static_cast<double>(p),
                    shownText(frame.model.piece(trace.topIds[k])).c_str());
    }
}

}  // namespace

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

void drawCellTip(const TimelineFrame& frame, int step, int slot) {
    const TimelineModel& m = frame.model;
    if (m.state(step, slot) == SlotState::Pad) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.7F * frame.em, 0.5F * frame.em});
    frame.host.beginTip();
    ImGui::PushFont(frame.fonts().bold);
    ImGui::TextUnformatted(shownText(m.piece(m.token(step, slot))).c_str());
    ImGui::PopFont();
    std::string where = fmt::format(
        "slot {}, step {}: {}", slot, step + 1,
        m.state(step, slot) == SlotState::Masked ? m.emptyName() : stateName(m.state(step, slot)));
    const bool refilled = m.state(step, slot) == SlotState::Remask && !m.holdsMask(step, slot);
    if (refilled) where += " and filled";
    if (step > 0 && (m.state(step, slot) == SlotState::Flip ||
                     (refilled && m.token(step, slot) != m.token(step - 1, slot))))
        where += fmt::format(" from \"{}\"", shownText(m.piece(m.token(step - 1, slot))));
    if (m.marks().willMask(step, slot)) where += ", masked again next";
    if (m.marks().committed(step, slot)) where += ", in a finished block";
    ImGui::TextDisabled("%s", where.c_str());
    ImGui::Text("confidence %.2f   margin %.2f   entropy %.2f",
                static_cast<double>(m.value(Measure::Confidence, step, slot)),
                static_cast<double>(m.value(Measure::Margin, step, slot)),
                static_cast<double>(m.value(Measure::Entropy, step, slot)));
    if (m.measures(Measure::Norm))
        ImGui::Text("latent norm %.3f", static_cast<double>(m.value(Measure::Norm, step, slot)));
    drawBest(frame, step, slot);
    frame.host.endTip();
    ImGui::PopStyleVar();
}

}  // namespace kurve::views
