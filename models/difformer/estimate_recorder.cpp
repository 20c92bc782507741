#include "models/difformer/trace_recorder.h"

#include <torch/torch.h>

#include <algorithm>
#include <set>

#include "models/common/edited_logits.h"
#include "models/common/logit_factor.h"
#include "models/common/padding.h"
#include "models/common/trace_values.h"
#include "models/difformer/intervention.h"

namespace kurve::models::difformer {
namespace {

using trace::Block;

}  // namespace

TraceRecorder::TraceRecorder(const train::GenerateRequest& request, std::int64_t rows, int processSteps)
    : request_(request), rows_(rows), processSteps_(processSteps) {
    capture_.hidden = wants("hidden");
    capture_.attention = wants("attention");
}

bool TraceRecorder::wants(const char* block) const {
    return std::find(request_.what.begin(), request_.what.end(), block) != request_.what.end();
}

void TraceRecorder::record(const schedule::ReverseStep& step, const at::Tensor& noisy,
                           const Estimate& estimate) {
    steps_.push_back(step);
    noisy_.push_back(noisy.narrow(0, 0, rows_).clone());
    words_.push_back(estimate.words.narrow(0, 0, rows_).clone());
    if (wants("curve")) tokens_.push_back(estimate.tokens.narrow(0, 0, rows_).clone());
    for (const auto& [name, value] : capture_.tensors)
        captured_[name].push_back(value.narrow(0, 0, rows_).clone());
    capture_.tensors.clear();
}

trace::Trace TraceRecorder::finish(DifformerNetImpl& net, const Finish& which) const {
    trace::Trace out;
    out.steps = static_cast<int>(steps_.size());
    out.positions = static_cast<int>(which.words);
    out.meta["kind"] = "continuous";
    out.meta["candidate"] = std::to_string(which.row);
    for (const auto& step : steps_) {
        out.t.push_back(static_cast<double>(step.t) / std::max(1, processSteps_ - 1));
        out.logSnr.push_back(step.logSnr);
    }
    const at::Tensor latents = at::stack(words_).select(1, which.row).narrow(1, 0, which.words);
    addTokens(out, latents, net.embedding->weight.detach());
    addStates(out);
    if (wants("latent") || wants("curve")) addLatents(out, latents, net, which);
    if (wants("curve")) {
        const at::Tensor curve = at::stack(tokens_).select(1, which.row);
        for (auto& [name, block] : which.layout->describe(which.row)) out.blocks[name] = std::move(block);
        if (out.block("psi") != nullptr) {
            const std::int64_t points = which.layout->tokenLengths()[static_cast<std::size_t>(which.row)];
            out.blocks["curve"] = blockOf(curve.narrow(1, 0, points));
        }
    }
    // States with the inner products of the logits.
    if (wants("hidden"))
        out.blocks["logits"] = blockOf(at::matmul(latents, logitFactor(net.embedding->weight)));
    addCaptured(out, which);
    return out;
}

/// Cells of the timeline from the estimates [S, N, d]: distribution over the vocabulary, its best tokens.
void TraceRecorder::addTokens(trace::Trace& out, const at::Tensor& estimates, const at::Tensor& table) const {
    const at::Tensor logits = at::matmul(estimates, table.t());
    for (int step = 0; step < out.steps; ++step) applyEdits(logits[step], request_.edits, step);
    const at::Tensor logP = at::log_softmax(logits, -1);
    addDistributions(out, logP);

    const at::Tensor directions = table / table.norm(2, 1, true).clamp_min(1e-6);
    const at::Tensor cosines =
        at::matmul(estimates, directions.t()) / estimates.norm(2, -1, true).clamp_min(1e-6);
    const at::Tensor two = std::get<0>(cosines.topk(2, -1));
    out.margin = floatsOf(two.select(-1, 0) - two.select(-1, 1));
}

void TraceRecorder::addStates(trace::Trace& out) const {
    out.state.resize(out.tokens.size());
    const auto positions = static_cast<std::size_t>(out.positions);
    for (std::size_t i = 0; i < out.tokens.size(); ++i) {
        trace::TokenState state = trace::TokenState::New;
        if (i >= positions)
            state = out.tokens[i] == out.tokens[i - positions] ? trace::TokenState::Kept
                                                               : trace::TokenState::Flip;
        out.state[i] = static_cast<std::uint8_t>(state);
    }
    for (const trace::Edit& edit : request_.edits)
        for (int step = edit.step; edit.kind == trace::EditKind::Pin && step < out.steps; ++step)
            out.state[out.cell(step, edit.position)] = static_cast<std::uint8_t>(trace::TokenState::Given);
}

void TraceRecorder::addLatents(trace::Trace& out, const at::Tensor& latents, DifformerNetImpl& net,
                               const Finish& which) const {
    out.blocks["latent"] = blockOf(latents);
    out.blocks["noisy"] = blockOf(at::stack(noisy_).select(1, which.row).narrow(1, 0, which.words));
    const std::set<std::uint32_t> unique(out.topIds.begin(), out.topIds.end());
    const std::vector<std::int64_t> ids(unique.begin(), unique.end());
    const at::Tensor index = toDevice(std::span<const std::int64_t>(ids), net.device());
    out.blocks["vocab/latent"] = blockOf(net.latentOf(net.embedTarget(index)));
    Block idBlock{{static_cast<std::int64_t>(ids.size())}, {ids.begin(), ids.end()}, false};
    out.blocks["vocab/ids"] = std::move(idBlock);
}

void TraceRecorder::addCaptured(trace::Trace& out, const Finish& which) const {
    const std::int64_t points = which.layout->tokenLengths()[static_cast<std::size_t>(which.row)];
    for (const auto& [name, values] : captured_) {
        at::Tensor all = at::stack(values).select(1, which.row);  // [S, M, H] or [S, heads, M, M]
        if (name == "curves" || name == "curve_weights") {        // [S, N, M, d] and [S, N]
            if (wants("curve")) out.blocks[name] = blockOf(name == "curves" ? all.narrow(2, 0, points) : all);
            continue;
        }
        const bool attention = all.dim() == 4;
        all = all.narrow(attention ? 2 : 1, 0, points);
        out.blocks[name] = blockOf(attention ? all.narrow(3, 0, points) : all);
    }
}

}  // namespace kurve::models::difformer
