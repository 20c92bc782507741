#include "views/timeline/cell_tip.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace kurve::views {

using trace::TokenState;

namespace {

constexpr int kBest = 5;

void drawBest(const TimelineFrame& frame, int step, int position) {
    const trace::Candidates found = frame.model.trace().candidates(step, position);
    for (std::size_t k = 0; k < std::min<std::size_t>(kBest, found.ids.size()); ++k) {
        if (found.probabilities[k] <= 0) return;
        drawTipLine(frame.fonts().text, frame.ink().text,
                    fmt::format("{:.3f}  {}", found.probabilities[k],
                                inspect::shownText(frame.model.textOf(found.ids[k]))));
    }
}

/// Of layers of one number a cell that a sampler recorded besides: "draws 64   draws distinct 12".
std::string furtherNumbers(const trace::Trace& trace, int step, int position) {
    static const std::set<std::string> kShownElsewhere{"found_masked", "will_mask", "committed",
                                                       "curve_weights"};
    std::string text;
    for (const auto& [name, block] : trace.blocks) {
        if (block.shape != std::vector<std::int64_t>{trace.steps, trace.positions} ||
            kShownElsewhere.contains(name))
            continue;
        std::string shown = name;
        std::replace(shown.begin(), shown.end(), '_', ' ');
        text += fmt::format("{}{} {:g}", text.empty() ? "" : "   ", shown,
                            block.data[trace.cell(step, position)]);
    }
    return text;
}

}  // namespace

const char* stateName(TokenState state) {
    switch (state) {
        case TokenState::Given:
            return "given";
        case TokenState::Masked:
            return "masked";
        case TokenState::New:
            return "new";
        case TokenState::Kept:
            return "kept";
        case TokenState::Flip:
            return "changed";
        case TokenState::Remask:
            return "remasked";
        case TokenState::Pad:
            return "padding";
    }
    return "";
}

void drawCellTip(const TimelineFrame& frame, int step, int position) {
    const inspect::TimelineModel& m = frame.model;
    if (m.state(step, position) == TokenState::Pad) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.7F * frame.em, 0.5F * frame.em});
    frame.host.beginTip();
    const TextFace* font = frame.fonts().text;
    drawTipLine(frame.fonts().bold, frame.ink().text, inspect::shownText(m.textOf(m.token(step, position))));
    std::string where = fmt::format(
        "position {}, step {}: {}", position, step + 1,
        m.state(step, position) == TokenState::Masked ? m.emptyName() : stateName(m.state(step, position)));
    const bool refilled = m.state(step, position) == TokenState::Remask && !m.holdsMask(step, position);
    if (refilled) where += " and filled";
    if (step > 0 && (m.state(step, position) == TokenState::Flip ||
                     (refilled && m.token(step, position) != m.token(step - 1, position))))
        where += fmt::format(" from \"{}\"", inspect::shownText(m.textOf(m.token(step - 1, position))));
    if (m.marks().willMask(step, position)) where += ", remasked next";
    if (m.marks().committed(step, position)) where += ", in a finished block";
    drawTipLine(font, frame.ink().soft, where);
    std::string numbers;
    for (const inspect::Measure measure :
         {inspect::Measure::Confidence, inspect::Measure::Margin, inspect::Measure::Entropy})
        if (m.has(measure))
            numbers += fmt::format("{}{} {:.2f}", numbers.empty() ? "" : "   ",
                                   inspect::measureText(measure).name, m.value(measure, step, position));
    if (!numbers.empty()) drawTipLine(font, frame.ink().text, numbers);
    if (m.has(inspect::Measure::Norm))
        drawTipLine(font, frame.ink().text,
                    fmt::format("latent norm {:.3f}", m.value(inspect::Measure::Norm, step, position)));
    if (const std::string further = furtherNumbers(m.trace(), step, position); !further.empty())
        drawTipLine(font, frame.ink().text, further);
    drawBest(frame, step, position);
    frame.host.endTip();
    ImGui::PopStyleVar();
}

}  // namespace kurve::views
