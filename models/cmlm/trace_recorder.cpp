#include "models/cmlm/trace_recorder.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/text/tokenizer.h"
#include "models/cmlm/generator.h"
#include "models/cmlm/isotropy.h"
#include "models/common/edited_logits.h"
#include "models/common/trace_values.h"

namespace kurve::models::cmlm {

using trace::SlotState;

TraceRecorder::TraceRecorder(const train::GenerateRequest& request, std::int64_t rows)
    : request_(request), rows_(rows) {
    taps_.hidden = wants("hidden");
    taps_.attention = wants("attention");
}

bool TraceRecorder::wants(const char* block) const {
    return std::find(request_.what.begin(), request_.what.end(), block) != request_.what.end();
}

void TraceRecorder::begin(std::span<const sampling::MaskedSentence> sentences) {
    cells_.emplace_back(static_cast<std::size_t>(rows_));
    for (std::size_t r = 0; r < cells_.back().size(); ++r)
        for (int slot = 0; slot < sentences[r].size(); ++slot)
            cells_.back()[r].masked.push_back(sentences[r].masked(slot) ? 1 : 0);
}

void TraceRecorder::record(const at::Tensor& features, std::span<const sampling::MaskedSentence> sentences) {
    features_.push_back(features.narrow(0, 0, rows_).clone());
    for (const auto& [name, value] : taps_.kept) tapped_[name].push_back(value.narrow(0, 0, rows_).clone());
    taps_.kept.clear();
    for (std::size_t r = 0; r < cells_.back().size(); ++r) {
        Cells& cells = cells_.back()[r];
        cells.tokens.assign(sentences[r].tokens().begin(), sentences[r].tokens().end());
        cells.scores.assign(sentences[r].scores().begin(), sentences[r].scores().end());
        for (int slot = 0; slot < sentences[r].size(); ++slot)
            cells.fixed.push_back(sentences[r].fixed(slot) ? 1 : 0);
    }
}

void TraceRecorder::end(std::span<const sampling::MaskedSentence> sentences) {
    for (std::size_t r = 0; r < cells_.back().size(); ++r)
        for (int slot = 0; slot < sentences[r].size(); ++slot)
            cells_.back()[r].next.push_back(sentences[r].masked(slot) ? 1 : 0);
}

trace::Trace TraceRecorder::finish(const CmlmNetImpl& net, const Finish& which) const {
    trace::Trace out;
    out.steps = static_cast<int>(cells_.size());
    out.slots = which.length;
    out.meta["kind"] = "discrete";
    out.meta["candidate"] = std::to_string(which.row);
    for (int step = 0; step < out.steps; ++step) {  // by the share of words that a pass finds masked
        const double masked = which.passes - step, shown = step;
        out.t.push_back(masked / which.passes);
        out.logSnr.push_back(std::log(shown / masked));  // minus infinity where all is masked
    }
    addDistribution(out, net, which);
    addCells(out, which);
    addStates(out, net, which);
    return out;
}

at::Tensor TraceRecorder::keptBy(std::size_t step, const Finish& which) const {
    const auto row = static_cast<std::size_t>(which.row);
    const Cells &now = cells_[step][row], &before = cells_[step - 1][row];
    std::vector<std::uint8_t> kept(static_cast<std::size_t>(which.length));
    for (std::size_t slot = 1; slot + 1 < kept.size(); ++slot) {
        const std::size_t at = slot - 1;
        if (!now.masked[at] && now.tokens[at] == before.tokens[at] && now.scores[at] == before.scores[at])
            kept[slot] = 1;
    }
    return at::tensor(kept, at::kByte).to(at::kBool);
}

/// What a hand bans or forces is taken into account; BOS and EOS are certain.
void TraceRecorder::addDistribution(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const {
    const at::Tensor features = at::stack(features_).select(1, which.row).narrow(1, 0, which.length);
    at::Tensor logits = at::matmul(features, net.embedding->weight.t());
    if (which.banSpecials) banSpecials(logits.view({-1, logits.size(2)}), which.mask);
    for (int step = 1; step < out.steps; ++step) {
        const at::Tensor kept = keptBy(static_cast<std::size_t>(step), which).to(logits.device());
        logits[step].copy_(at::where(kept.unsqueeze(-1), logits[step - 1], logits[step]));
    }
    for (int step = 0; step < out.steps; ++step) {
        restrictLogits(logits[step], request_.edits, step);
        only(logits[step][0], text::kBos);
        only(logits[step][which.length - 1], text::kEos);
    }
    addDistributions(out, at::log_softmax(logits, -1));
    constexpr std::size_t kTop = trace::kTopCandidates;
    for (std::size_t i = 0; i < out.tokens.size(); ++i)
        out.margin.push_back(out.topProbability[i * kTop] - out.topProbability[i * kTop + 1]);
}

SlotState TraceRecorder::stateOf(std::size_t step, std::size_t row, std::size_t slot) const {
    const Cells& cells = cells_[step][row];
    if (cells.fixed[slot]) return SlotState::Given;
    if (step == 0) return SlotState::New;
    if (cells.masked[slot]) return SlotState::Remask;
    return cells.tokens[slot] == cells_[step - 1][row].tokens[slot] ? SlotState::Kept : SlotState::Flip;
}

void TraceRecorder::addCells(trace::Trace& out, const Finish& which) const {
    const auto row = static_cast<std::size_t>(which.row), last = static_cast<std::size_t>(which.length) - 1;
    out.state.assign(out.tokens.size(), static_cast<std::uint8_t>(SlotState::Given));
    trace::Block next{{out.steps, out.slots}, std::vector<float>(out.tokens.size()), true};
    for (std::size_t step = 0; step < cells_.size(); ++step) {
        const Cells& cells = cells_[step][row];
        for (std::size_t slot = 1; slot < last; ++slot) {
            const std::size_t at = out.cell(static_cast<int>(step), static_cast<int>(slot));
            out.tokens[at] = static_cast<std::uint32_t>(cells.tokens[slot - 1]);
            out.confidence[at] = std::exp(cells.scores[slot - 1]);
            out.state[at] = static_cast<std::uint8_t>(stateOf(step, row, slot - 1));
            next.data[at] = cells.next[slot - 1];
        }
    }
    out.blocks["will_mask"] = std::move(next);
}

void TraceRecorder::addStates(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const {
    for (const auto& [name, values] : tapped_) {
        at::Tensor all = at::stack(values).select(1, which.row);  // [S, L, H] or [S, heads, L, L]
        const bool attention = all.dim() == 4;
        all = all.narrow(attention ? 2 : 1, 0, which.length);
        out.blocks[name] = blockOf(attention ? all.narrow(3, 0, which.length) : all);
    }
    if (!wants("hidden") && !wants("latent")) return;
    const at::Tensor features = at::stack(features_).select(1, which.row).narrow(1, 0, which.length);
    out.blocks["features"] = blockOf(features);
    out.blocks["logits"] = blockOf(at::matmul(features, logitFactor(net.embedding->weight)));
}

}  // namespace kurve::models::cmlm
