#include "models/cmlm/pass_recorder.h"

#include <torch/torch.h>

#include <cmath>

#include "core/text/tokenizer.h"
#include "models/cmlm/generator.h"
#include "models/cmlm/isotropy.h"
#include "models/common/edited_logits.h"

namespace kurve::models::cmlm {

using trace::TokenState;

PassRecorder::PassRecorder(const train::GenerateRequest& request, trace::TraceSink& sink, const Setup& setup)
    : request_(request), setup_(setup), recorder_(request, sink) {}

void PassRecorder::begin(const Candidates& candidates) {
    candidates_.emplace(candidates);
    beginRow(request_.candidate.value_or(candidates.likeliest));
}

void PassRecorder::beginRow(std::int64_t row) {
    row_ = row;
    before_ = {};
    logits_.reset();
    recorder_.begin(setup_.plannedPasses);
}

void PassRecorder::beginPass(std::span<const sampling::MaskedSentence> sentences) {
    pass_ = {std::vector<Cells>(static_cast<std::size_t>(setup_.rows)), {}, {}};
    for (std::size_t r = 0; r < pass_.cells.size(); ++r)
        for (int position = 0; position < sentences[r].size(); ++position)
            pass_.cells[r].masked.push_back(sentences[r].masked(position) ? 1 : 0);
}

void PassRecorder::record(const at::Tensor& features, std::span<const sampling::MaskedSentence> sentences) {
    pass_.features = features.narrow(0, 0, setup_.rows).clone();
    for (const auto& [name, value] : capture().tensors)
        pass_.captured[name] = value.narrow(0, 0, setup_.rows).clone();
    capture().tensors.clear();
    for (std::size_t r = 0; r < pass_.cells.size(); ++r) {
        Cells& cells = pass_.cells[r];
        cells.tokens.assign(sentences[r].tokens().begin(), sentences[r].tokens().end());
        cells.scores.assign(sentences[r].scores().begin(), sentences[r].scores().end());
        for (int position = 0; position < sentences[r].size(); ++position)
            cells.fixed.push_back(sentences[r].fixed(position) ? 1 : 0);
    }
}

void PassRecorder::endPass(std::span<const sampling::MaskedSentence> sentences) {
    for (std::size_t r = 0; r < pass_.cells.size(); ++r)
        for (int position = 0; position < sentences[r].size(); ++position)
            pass_.cells[r].next.push_back(sentences[r].masked(position) ? 1 : 0);
    write(pass_);
    if (setup_.rows > 1 && !request_.candidate) kept_.push_back(std::move(pass_));
}

void PassRecorder::finish(std::int64_t chosen) {
    if (chosen == row_) return;
    beginRow(chosen);
    for (const Pass& pass : kept_) write(pass);
}

void PassRecorder::write(const Pass& pass) {
    const Cells& cells = pass.cells[static_cast<std::size_t>(row_)];
    const at::Tensor features = pass.features[row_].narrow(0, 0, length());
    addDistribution(cells, features);
    addCells(cells);
    recorder_.addCaptured(pass.captured, {row_, 0, length()});
    if (recorder_.wants("hidden") || recorder_.wants("latent")) {
        recorder_.addLayer("features", features);
        recorder_.addLayer("logits", at::matmul(features, logitFactor(candidates_->net.embedding->weight)));
    }
    before_ = cells;
    // By the fraction of tokens that a pass finds masked; minus infinity where all are.
    const double passes = setup_.plannedPasses, revealed = recorder_.steps(), masked = passes - revealed;
    recorder_.endFrame(static_cast<int>(length()),
                       {masked / passes, std::log(revealed / masked), 0, recorder_.steps()});
}

at::Tensor PassRecorder::kept(const Cells& now) const {
    std::vector<std::uint8_t> kept(static_cast<std::size_t>(length()));
    for (std::size_t position = 1; position + 1 < kept.size(); ++position) {
        const std::size_t at = position - 1;
        if (!now.masked[at] && now.tokens[at] == before_.tokens[at] && now.scores[at] == before_.scores[at])
            kept[position] = 1;
    }
    return at::tensor(kept, at::kByte).to(at::kBool);
}

/// With the edits' bans and forced tokens; BOS and EOS have probability 1.
void PassRecorder::addDistribution(const Cells& now, const at::Tensor& features) {
    at::Tensor logits = at::matmul(features, candidates_->net.embedding->weight.t());
    const text::SpecialIds& special = candidates_->net.special();
    if (setup_.banSpecials) banSpecials(logits, special, setup_.mask);
    if (logits_.defined()) logits = at::where(kept(now).to(logits.device()).unsqueeze(-1), logits_, logits);
    logits_ = logits.clone();
    applyEdits(logits, request_.edits, recorder_.steps());
    forceToken(logits[0], special.bos);
    forceToken(logits[length() - 1], special.eos);
    addDistributions(recorder_.frame(), at::log_softmax(logits, -1));
}

TokenState PassRecorder::stateOf(const Cells& now, std::size_t position) const {
    if (now.fixed[position]) return TokenState::Given;
    if (recorder_.steps() == 0) return TokenState::New;
    if (now.masked[position]) return TokenState::Remask;
    return now.tokens[position] == before_.tokens[position] ? TokenState::Kept : TokenState::Flip;
}

void PassRecorder::addCells(const Cells& now) {
    trace::Trace& frame = recorder_.frame();
    const auto count = static_cast<std::size_t>(length());
    frame.state.assign(count, static_cast<std::uint8_t>(TokenState::Given));
    trace::Block next{{1, length()}, std::vector<float>(count), true}, found = next;
    for (std::size_t position = 1; position + 1 < count; ++position) {
        const std::size_t at = position - 1;
        frame.tokens[position] = static_cast<std::uint32_t>(now.tokens[at]);
        frame.confidence[position] = std::exp(now.scores[at]);
        frame.state[position] = static_cast<std::uint8_t>(stateOf(now, at));
        next.data[position] = now.next[at];
        found.data[position] = now.masked[at];
    }
    frame.blocks["will_mask"] = std::move(next);
    frame.blocks["found_masked"] = std::move(found);
}

}  // namespace kurve::models::cmlm
