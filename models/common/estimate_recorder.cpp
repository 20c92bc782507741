#include "models/common/estimate_recorder.h"

#include <torch/torch.h>

#include <algorithm>

#include "models/common/edited_logits.h"
#include "models/common/logit_factor.h"
#include "models/common/padding.h"

namespace kurve::models {

EstimateRecorder::EstimateRecorder(const train::GenerateRequest& request, trace::TraceSink& sink,
                                   const Setup& setup)
    : request_(request), setup_(setup), recorder_(request, sink) {}

void EstimateRecorder::begin(const Candidates& candidates) {
    candidates_.emplace(candidates);
    beginRow(request_.candidate.value_or(candidates.likeliest));
}

void EstimateRecorder::beginRow(std::int64_t row) {
    row_ = row;
    before_.clear();
    conditionBefore_ = at::Tensor();
    seen_.clear();
    recorder_.begin(setup_.plannedSteps);
    if (!recorder_.wants("curve")) return;
    auto map = candidates_->layout.describe(row);
    hasCurve_ = map.contains("psi");
    for (auto& [name, block] : map) recorder_.addConstant(name, std::move(block));
}

void EstimateRecorder::record(const schedule::ReverseStep& step, const at::Tensor& noisy,
                              const Estimate& estimate) {
    const auto rows = [&](const at::Tensor& all) { return all.narrow(0, 0, setup_.rows).clone(); };
    Step one{step, rows(noisy), rows(estimate.words), {}, {}};
    if (recorder_.wants("curve")) one.tokens = rows(estimate.tokens);
    if (const auto reads = capture().tensors.extract("layer_reads")) reads_ = reads.mapped();
    for (const auto& [name, value] : capture().tensors) one.captured[name] = rows(value);
    capture().tensors.clear();
    write(one);
    if (setup_.rows > 1 && !request_.candidate) kept_.push_back(std::move(one));
}

void EstimateRecorder::finish(std::int64_t chosen) {
    if (chosen != row_) {
        beginRow(chosen);
        for (const Step& step : kept_) write(step);
    }
    if (reads_.defined()) recorder_.addConstant("layer_reads", blockOf(reads_));
    if (!recorder_.wants("latent") && !recorder_.wants("curve")) return;
    const WordTable& words = candidates_->words;
    const std::vector<std::int64_t> ids(seen_.begin(), seen_.end());
    const at::Tensor index = toDevice(std::span<const std::int64_t>(ids), words.embeddings.device());
    recorder_.addConstant("vocab/latent", blockOf(words.latents(index)));
    recorder_.addConstant("vocab/ids",
                          {{static_cast<std::int64_t>(ids.size())}, {ids.begin(), ids.end()}, false});
}

void EstimateRecorder::write(const Step& step) {
    const auto row = static_cast<std::size_t>(row_);
    const std::int64_t words = candidates_->lengths[row], points = candidates_->layout.tokenLengths()[row];
    const at::Tensor estimates = step.words[row_].narrow(0, 0, words);
    addCells(estimates);
    addStates();
    if (recorder_.wants("latent") || recorder_.wants("curve")) {
        recorder_.addLayer("latent", estimates);
        recorder_.addLayer("noisy", step.noisy[row_].narrow(0, 0, words));
    }
    if (hasCurve_) recorder_.addLayer("curve", step.tokens[row_].narrow(0, 0, points));
    // States with the inner products of the logits.
    if (recorder_.wants("hidden"))
        recorder_.addLayer("logits", at::matmul(estimates, logitFactor(candidates_->words.embeddings)));
    addCaptured(step.captured, points);
    recorder_.endFrame(static_cast<int>(words),
                       {static_cast<double>(step.step.t) / std::max(1, setup_.processSteps - 1),
                        step.step.logSnr, 0, recorder_.steps()});
}

/// Cells of the timeline from the estimates [N, d]: distribution over the vocabulary, its best tokens.
void EstimateRecorder::addCells(const at::Tensor& estimates) {
    const at::Tensor table = candidates_->words.embeddings.detach();
    const at::Tensor logits = candidates_->words.logits(estimates);
    applyEdits(logits, request_.edits, recorder_.steps());
    trace::Trace& frame = recorder_.frame();
    addDistributions(frame, at::log_softmax(logits, -1));
    seen_.insert(frame.topIds.begin(), frame.topIds.end());
    const at::Tensor directions = table / table.norm(2, 1, true).clamp_min(1e-6);
    const at::Tensor cosines =
        at::matmul(estimates, directions.t()) / estimates.norm(2, -1, true).clamp_min(1e-6);
    const at::Tensor two = std::get<0>(cosines.topk(2, -1));
    frame.margin = floatsOf(two.select(-1, 0) - two.select(-1, 1));
}

void EstimateRecorder::addStates() {
    using S = trace::TokenState;
    trace::Trace& frame = recorder_.frame();
    for (std::size_t i = 0; i < frame.tokens.size(); ++i) {
        const S state = before_.empty() ? S::New : frame.tokens[i] == before_[i] ? S::Kept : S::Flip;
        frame.state.push_back(static_cast<std::uint8_t>(state));
    }
    const auto end = candidates_->end;
    if (end) {
        auto behind = std::find(frame.tokens.begin(), frame.tokens.end(), static_cast<std::uint32_t>(*end));
        for (auto i = behind - frame.tokens.begin() + 1; i < std::ssize(frame.tokens); ++i)
            frame.state[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(S::Pad);
    }
    for (const trace::Edit& edit : request_.edits)
        if (edit.kind == trace::EditKind::Pin && edit.actsAt(recorder_.steps()))
            frame.state[static_cast<std::size_t>(edit.position)] = static_cast<std::uint8_t>(S::Given);
    before_ = frame.tokens;
}

void EstimateRecorder::addCaptured(const std::map<std::string, at::Tensor>& captured, std::int64_t points) {
    auto states = captured;
    // [rows, n, M, d] and [rows, n]
    if (const auto curves = states.extract("curves"); curves && recorder_.wants("curve"))
        recorder_.addLayer("curves", curves.mapped()[row_].narrow(1, 0, points));
    if (const auto weights = states.extract("curve_weights"); weights && recorder_.wants("curve"))
        recorder_.addLayer("curve_weights", weights.mapped()[row_]);
    addCondition(states);
    recorder_.addCaptured(states, {row_, 0, points});
}

void EstimateRecorder::addCondition(std::map<std::string, at::Tensor>& captured) {
    at::Tensor last;
    for (int m = 0;; ++m) {
        const auto states = captured.extract("condition/" + std::to_string(m));
        if (!states) break;
        last = states.mapped()[row_].narrow(0, 0, candidates_->condition);
        recorder_.addLayer(states.key(), last);
    }
    if (!last.defined()) return;
    const at::Tensor& before = conditionBefore_.defined() ? conditionBefore_ : last;
    recorder_.addLayer("condition_similarity", at::cosine_similarity(last, before, -1, 1e-12));
    recorder_.addLayer("condition_distance", (last - before).norm(2, -1));
    conditionBefore_ = last;
}

}  // namespace kurve::models
