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

using trace::TokenState;

TraceRecorder::TraceRecorder(const train::GenerateRequest& request, std::int64_t rows)
    : request_(request), rows_(rows) {
    capture_.hidden = wants("hidden");
    capture_.attention = wants("attention");
}

bool TraceRecorder::wants(const char* block) const {
    return std::find(request_.what.begin(), request_.what.end(), block) != request_.what.end();
}

void TraceRecorder::begin(std::span<const sampling::MaskedSentence> sentences) {
    cells_.emplace_back(static_cast<std::size_t>(rows_));
    for (std::size_t r = 0; r < cells_.back().size(); ++r)
        for (int position = 0; position < sentences[r].size(); ++position)
            cells_.back()[r].masked.push_back(sentences[r].masked(position) ? 1 : 0);
}

void TraceRecorder::record(const at::Tensor& features, std::span<const sampling::MaskedSentence> sentences) {
    features_.push_back(features.narrow(0, 0, rows_).clone());
    for (const auto& [name, value] : capture_.tensors)
        captured_[name].push_back(value.narrow(0, 0, rows_).clone());
    capture_.tensors.clear();
    for (std::size_t r = 0; r < cells_.back().size(); ++r) {
        Cells& cells = cells_.back()[r];
        cells.tokens.assign(sentences[r].tokens().begin(), sentences[r].tokens().end());
        cells.scores.assign(sentences[r].scores().begin(), sentences[r].scores().end());
        for (int position = 0; position < sentences[r].size(); ++position)
            cells.fixed.push_back(sentences[r].fixed(position) ? 1 : 0);
    }
}

void TraceRecorder::end(std::span<const sampling::MaskedSentence> sentences) {
    for (std::size_t r = 0; r < cells_.back().size(); ++r)
        for (int position = 0; position < sentences[r].size(); ++position)
            cells_.back()[r].next.push_back(sentences[r].masked(position) ? 1 : 0);
}

trace::Trace TraceRecorder::finish(const CmlmNetImpl& net, const Finish& which) const {
    trace::Trace out;
    out.steps = static_cast<int>(cells_.size());
    out.positions = which.length;
    out.meta["kind"] = "discrete";
    out.meta["candidate"] = std::to_string(which.row);
    for (int step = 0; step < out.steps; ++step) {  // by the fraction of tokens that a pass finds masked
        const double masked = which.passes - step, revealed = step;
        out.t.push_back(masked / which.passes);
        out.logSnr.push_back(std::log(revealed / masked));  // minus infinity where all is masked
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
    for (std::size_t position = 1; position + 1 < kept.size(); ++position) {
        const std::size_t at = position - 1;
        if (!now.masked[at] && now.tokens[at] == before.tokens[at] && now.scores[at] == before.scores[at])
            kept[position] = 1;
    }
    return at::tensor(kept, at::kByte).to(at::kBool);
}

/// With the edits' bans and forced tokens; BOS and EOS have probability 1.
void TraceRecorder::addDistribution(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const {
    const at::Tensor features = at::stack(features_).select(1, which.row).narrow(1, 0, which.length);
    at::Tensor logits = at::matmul(features, net.embedding->weight.t());
    if (which.banSpecials) banSpecials(logits.view({-1, logits.size(2)}), which.mask);
    for (int step = 1; step < out.steps; ++step) {
        const at::Tensor kept = keptBy(static_cast<std::size_t>(step), which).to(logits.device());
        logits[step].copy_(at::where(kept.unsqueeze(-1), logits[step - 1], logits[step]));
    }
    for (int step = 0; step < out.steps; ++step) {
        applyEdits(logits[step], request_.edits, step);
        forceToken(logits[step][0], text::kBos);
        forceToken(logits[step][which.length - 1], text::kEos);
    }
    addDistributions(out, at::log_softmax(logits, -1));
    constexpr std::size_t kTop = trace::kTopCandidates;
    for (std::size_t i = 0; i < out.tokens.size(); ++i)
        out.margin.push_back(out.topProbability[i * kTop] - out.topProbability[i * kTop + 1]);
}

TokenState TraceRecorder::stateOf(std::size_t step, std::size_t row, std::size_t position) const {
    const Cells& cells = cells_[step][row];
    if (cells.fixed[position]) return TokenState::Given;
    if (step == 0) return TokenState::New;
    if (cells.masked[position]) return TokenState::Remask;
    return cells.tokens[position] == cells_[step - 1][row].tokens[position] ? TokenState::Kept
                                                                            : TokenState::Flip;
}

void TraceRecorder::addCells(trace::Trace& out, const Finish& which) const {
    const auto row = static_cast<std::size_t>(which.row), last = static_cast<std::size_t>(which.length) - 1;
    out.state.assign(out.tokens.size(), static_cast<std::uint8_t>(TokenState::Given));
    trace::Block next{{out.steps, out.positions}, std::vector<float>(out.tokens.size()), true};
    for (std::size_t step = 0; step < cells_.size(); ++step) {
        const Cells& cells = cells_[step][row];
        for (std::size_t position = 1; position < last; ++position) {
            const std::size_t at = out.cell(static_cast<int>(step), static_cast<int>(position));
            out.tokens[at] = static_cast<std::uint32_t>(cells.tokens[position - 1]);
            out.confidence[at] = std::exp(cells.scores[position - 1]);
            out.state[at] = static_cast<std::uint8_t>(stateOf(step, row, position - 1));
            next.data[at] = cells.next[position - 1];
        }
    }
    out.blocks["will_mask"] = std::move(next);
}

void TraceRecorder::addStates(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const {
    for (const auto& [name, values] : captured_) {
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
