#include "models/mdlm/trace_recorder.h"

#include <torch/torch.h>

#include <algorithm>

#include "models/common/logit_factor.h"
#include "models/common/trace_values.h"

namespace kurve::models::mdlm {
namespace {

constexpr auto kTop = static_cast<std::size_t>(trace::kTopCandidates);

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

bool TraceRecorder::wants(const char* block) const {
    return std::find(request_.what.begin(), request_.what.end(), block) != request_.what.end();
}

StateCapture& TraceRecorder::capture() {
    capture_.hidden = wants("hidden");
    capture_.attention = wants("attention");
    return capture_;
}

void TraceRecorder::begin(const MaskedText& text) {
    const std::size_t n = text.ids.size() - static_cast<std::size_t>(text.first);
    if (!latest_.confidence.empty()) return;
    trace_.positions = static_cast<int>(n);
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

void TraceRecorder::addDistributions(const MaskedText& text, const std::vector<int>& positions,
                                     const at::Tensor& p) {
    begin(text);
    const auto [top, ids] = p.topk(trace::kTopCandidates, 1);
    const std::vector<float> probabilities = floatsOf(top), entropies = floatsOf(-(at::xlogy(p, p)).sum(1));
    const std::vector<std::uint32_t> tokens = idsOf(ids);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto at = static_cast<std::size_t>(positions[i] - text.first);
        const auto from = static_cast<std::ptrdiff_t>(i * kTop), to = static_cast<std::ptrdiff_t>(at * kTop);
        std::copy_n(probabilities.begin() + from, kTop, latest_.topProbability.begin() + to);
        std::copy_n(tokens.begin() + from, kTop, latest_.topIds.begin() + to);
        latest_.confidence[at] = probabilities[i * kTop];
        latest_.margin[at] = probabilities[i * kTop] - probabilities[i * kTop + 1];
        latest_.entropy[at] = entropies[i];
    }
}

void TraceRecorder::addStates(const MaskedText& text, const at::Tensor& states) {
    const std::int64_t first = text.first, n = static_cast<std::int64_t>(text.ids.size()) - first;
    states_.push_back(states.narrow(0, first, n).to(at::kCPU));
    for (const auto& [name, values] : capture_.tensors) {  // of the first row: [1, W, H] or [1, heads, W, W]
        const at::Tensor own = values[0];
        const bool attention = own.dim() == 3;
        const at::Tensor rows = own.narrow(attention ? 1 : 0, first, n);
        captured_[name].push_back((attention ? rows.narrow(2, first, n) : rows).to(at::kCPU));
    }
    capture_.tensors.clear();
}

void TraceRecorder::endStep(const MaskedText& text, const StepTime& time) {
    begin(text);
    trace_.t.push_back(time.t);
    trace_.logSnr.push_back(time.logSnr);
    ++trace_.steps;
    // A step that asks nothing leaves the states as they were.
    const auto steps = static_cast<std::size_t>(trace_.steps);
    if (!states_.empty()) states_.resize(steps, states_.back());
    for (auto& [name, values] : captured_) values.resize(steps, values.back());
    append(trace_.topIds, latest_.topIds);
    append(trace_.topProbability, latest_.topProbability);
    append(trace_.entropy, latest_.entropy);
    append(trace_.margin, latest_.margin);
    for (std::size_t i = static_cast<std::size_t>(text.first); i < text.ids.size(); ++i) {
        const bool masked = text.masked(static_cast<int>(i));
        trace_.tokens.push_back(static_cast<std::uint32_t>(text.ids[i]));
        trace_.state.push_back(text.changes[i]);
        trace_.confidence.push_back(masked ? latest_.confidence[i - static_cast<std::size_t>(text.first)]
                                           : text.probability[i]);
    }
}

trace::Trace TraceRecorder::finish(const at::Tensor& table) const {
    trace::Trace out = trace_;
    out.meta["kind"] = "discrete";
    out.meta["candidate"] = "0";
    for (const auto& [name, values] : captured_) out.blocks[name] = blockOf(at::stack(values));
    if (states_.empty() || !(wants("latent") || wants("hidden"))) return out;
    const at::Tensor features = at::stack(states_);
    out.blocks["features"] = blockOf(features);
    out.blocks["logits"] = blockOf(at::matmul(features, logitFactor(table.detach().to(at::kCPU))));
    return out;
}

}  // namespace kurve::models::mdlm
