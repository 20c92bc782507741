#include "models/mdlm/step_recorder.h"

#include <torch/torch.h>

#include <algorithm>

#include "models/common/logit_factor.h"

namespace kurve::models::mdlm {
namespace {

constexpr auto kTop = static_cast<std::size_t>(trace::kTopCandidates);
// Positions that only the trace asks about, a step: as many as their probabilities number less than the one,
// or this part of the text.
constexpr std::int64_t kRefreshedProbabilities = 1 << 18, kRefreshedPart = 16;

/// "psi" and "index" have a row for each word, those of the source first.
trace::Block ofText(const std::string& name, trace::Block block, int first) {
    if (name == "greville") return block;
    const std::int64_t columns = name == "psi" ? block.shape[1] : 1;
    block.shape[0] -= first;
    block.data.erase(block.data.begin(), block.data.begin() + first * columns);
    return block;
}

}  // namespace

StepRecorder::StepRecorder(const train::GenerateRequest& request, trace::TraceSink& sink,
                           const at::Tensor& table)
    : recorder_(request, sink),
      table_(table.detach()),
      refreshed_(static_cast<std::size_t>(kRefreshedProbabilities / table.size(0))) {
    if (recorder_.wants("latent") || recorder_.wants("hidden")) factor_ = logitFactor(table.detach());
}

void StepRecorder::begin(const MaskedText& text, int plannedSteps,
                         std::shared_ptr<const TokenLayout> maybeLayout) {
    recorder_.begin(plannedSteps);
    const std::size_t n = text.ids.size() - static_cast<std::size_t>(text.first);
    maybeLayout_ = recorder_.wants("curve") ? std::move(maybeLayout) : nullptr;
    if (maybeLayout_)
        for (auto& [name, block] : maybeLayout_->describe(0))
            recorder_.addConstant(name, ofText(name, std::move(block), text.first));
    asked_.assign(n, -1);
    latest_ = {};
    latest_.confidence.assign(n, 1);
    latest_.entropy.assign(n, 0);
    latest_.margin.assign(n, 1);
    latest_.topProbability.assign(n * kTop, 0);
    latest_.topIds.assign(n * kTop, 0);
    for (std::size_t i = 0; i < n; ++i) {  // what is given is certain
        latest_.topIds[i * kTop] =
            static_cast<std::uint32_t>(text.ids[i + static_cast<std::size_t>(text.first)]);
        latest_.topProbability[i * kTop] = 1;
    }
}

void StepRecorder::beginStep(const MaskedText& text) {
    const auto n = static_cast<std::int64_t>(asked_.size());
    found_ = {{1, n}, {}, true};
    for (int i = 0; i < n; ++i) found_.data.push_back(text.masked(text.first + i) ? 1.0F : 0.0F);
}

std::vector<int> StepRecorder::refreshed(const MaskedText& text, std::vector<int> positions) const {
    const std::size_t most = std::max(refreshed_, asked_.size() / static_cast<std::size_t>(kRefreshedPart));
    if (positions.size() <= most) return positions;
    const auto askedAt = [&](int position) {
        return asked_[static_cast<std::size_t>(position - text.first)];
    };
    std::stable_sort(positions.begin(), positions.end(),
                     [&](int a, int b) { return askedAt(a) < askedAt(b); });
    positions.resize(most);
    return positions;
}

void StepRecorder::addDistributions(const MaskedText& text, const std::vector<int>& positions,
                                    const at::Tensor& p) {
    trace::Trace now;
    addProbabilities(now, p);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto at = static_cast<std::size_t>(positions[i] - text.first);
        const auto from = static_cast<std::ptrdiff_t>(i * kTop), to = static_cast<std::ptrdiff_t>(at * kTop);
        std::copy_n(now.topProbability.begin() + from, kTop, latest_.topProbability.begin() + to);
        std::copy_n(now.topIds.begin() + from, kTop, latest_.topIds.begin() + to);
        latest_.confidence[at] = now.confidence[i];
        latest_.margin[at] = now.margin[i];
        latest_.entropy[at] = now.entropy[i];
        asked_[at] = recorder_.steps();
    }
}

void StepRecorder::addStates(const MaskedText& text, const at::Tensor& states) {
    features_ = states.narrow(0, text.first, static_cast<std::int64_t>(asked_.size()));
    captured_ = std::exchange(capture().tensors, {});  // of the first row: [1, W, H] or [1, heads, W, W]
}

void StepRecorder::endStep(const MaskedText& text, const Time& time) {
    trace::Trace& frame = recorder_.frame();
    frame.topIds = latest_.topIds;
    frame.topProbability = latest_.topProbability;
    frame.entropy = latest_.entropy;
    frame.margin = latest_.margin;
    for (std::size_t i = static_cast<std::size_t>(text.first); i < text.ids.size(); ++i) {
        const bool masked = text.masked(static_cast<int>(i));
        frame.tokens.push_back(static_cast<std::uint32_t>(text.ids[i]));
        frame.state.push_back(text.changes[i]);
        frame.confidence.push_back(masked ? latest_.confidence[i - static_cast<std::size_t>(text.first)]
                                          : text.probability[i]);
    }
    const auto n = static_cast<std::int64_t>(asked_.size());
    frame.blocks["found_masked"] = found_;
    if (recorder_.steps() == 0) hasStates_ = features_.defined();
    if (hasStates_) {  // a step that asks nothing leaves the states as they were
        if (maybeLayout_)
            addCurve();
        else
            recorder_.addCaptured(captured_, {0, text.first, n});
        if (factor_.defined()) {
            recorder_.addLayer("features", features_);
            recorder_.addLayer("logits", at::matmul(features_, factor_));
        }
    }
    recorder_.endFrame(static_cast<int>(n), {time.t, time.logSnr, 0, recorder_.steps()});
}

/// The first row's tensors: control points, all curves with their weights, states of control points.
void StepRecorder::addCurve() {
    const std::int64_t points = maybeLayout_->tokenLengths()[0];
    auto captured = captured_;
    recorder_.addLayer("curve", captured.extract("curve").mapped()[0].narrow(0, 0, points));
    if (const auto curves = captured.extract("curves"))
        recorder_.addLayer("curves", curves.mapped()[0].narrow(1, 0, points));
    if (const auto weights = captured.extract("curve_weights"))
        recorder_.addLayer("curve_weights", weights.mapped()[0]);
    recorder_.addCaptured(captured, {0, 0, points});
    seen_.insert(latest_.topIds.begin(), latest_.topIds.end());
}

void StepRecorder::finish() {
    if (!maybeLayout_) return;
    const std::vector<std::int64_t> ids(seen_.begin(), seen_.end());
    recorder_.addConstant("vocab/latent",
                          blockOf(table_.index_select(0, at::tensor(ids).to(table_.device()))));
    recorder_.addConstant("vocab/ids",
                          {{static_cast<std::int64_t>(ids.size())}, {ids.begin(), ids.end()}, false});
}

}  // namespace kurve::models::mdlm
