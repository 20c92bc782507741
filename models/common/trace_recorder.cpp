#include "models/common/trace_recorder.h"

#include <torch/torch.h>

#include <algorithm>

namespace kurve::models {
namespace {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// From the best probabilities and their tokens, [n, k].
void addBest(trace::Trace& trace, const at::Tensor& best, const at::Tensor& ids, const at::Tensor& entropy) {
    append(trace.topProbability, floatsOf(best));
    append(trace.topIds, idsOf(ids));
    append(trace.tokens, idsOf(ids.select(-1, 0)));
    append(trace.confidence, floatsOf(best.select(-1, 0)));
    append(trace.margin, floatsOf(best.select(-1, 0) - best.select(-1, 1)));
    append(trace.entropy, floatsOf(entropy));
}

}  // namespace

trace::Block blockOf(const at::Tensor& values) {
    const at::Tensor host = values.to(at::kCPU, at::kFloat).contiguous();
    const auto* data = host.const_data_ptr<float>();
    return {host.sizes().vec(), std::vector<float>(data, data + host.numel()), true};
}

std::vector<float> floatsOf(const at::Tensor& values) {
    return blockOf(values).data;
}

std::vector<std::uint32_t> idsOf(const at::Tensor& values) {
    const at::Tensor host = values.to(at::kCPU, at::kLong).contiguous();
    const auto* data = host.const_data_ptr<std::int64_t>();
    return {data, data + host.numel()};
}

void addDistributions(trace::Trace& trace, const at::Tensor& logP) {
    const auto [top, ids] = logP.topk(trace::kTopCandidates, -1);
    addBest(trace, top.exp(), ids, -(logP.exp() * logP).sum(-1));
}

void addProbabilities(trace::Trace& trace, const at::Tensor& p) {
    const auto [top, ids] = p.topk(trace::kTopCandidates, -1);
    addBest(trace, top, ids, -at::xlogy(p, p).sum(-1));
}

TraceRecorder::TraceRecorder(const train::GenerateRequest& request, trace::TraceSink& sink)
    : request_(request), sink_(sink) {
    capture_.hidden = wants("hidden");
    capture_.attention = wants("attention");
}

bool TraceRecorder::wants(std::string_view what) const {
    return std::find(request_.what.begin(), request_.what.end(), what) != request_.what.end();
}

void TraceRecorder::begin(int plannedSteps) {
    sink_.begin(plannedSteps);
    frame_ = {};
    steps_ = 0;
}

void TraceRecorder::addLayer(const std::string& name, const at::Tensor& values) {
    frame_.blocks[name] = blockOf(values.unsqueeze(0));
}

void TraceRecorder::addCaptured(const std::map<std::string, at::Tensor>& captured, const Rows& rows) {
    const auto narrowed = [&](const at::Tensor& values, int dimension, bool source) {
        return source ? values.narrow(dimension, 0, std::ssize(request_.sources.front()))
                      : values.narrow(dimension, rows.first, rows.count);
    };
    for (const auto& [name, values] : captured) {
        const at::Tensor own = narrowed(values[rows.row], -2, name.starts_with("condition_cross_attention/"));
        addLayer(name, own.dim() == 3 ? narrowed(own, -1, name.starts_with("cross_attention/")) : own);
    }
}

void TraceRecorder::endFrame(int positions, const Time& time) {
    frame_.steps = 1;
    frame_.positions = positions;
    frame_.t = {time.t};
    frame_.logSnr = {time.logSnr};
    frame_.outer = {time.outer};
    frame_.inner = {time.inner};
    sink_.append(frame_);
    const int outerLength = frame_.outerLength;
    frame_ = {};
    frame_.outerLength = outerLength;
    ++steps_;
}

}  // namespace kurve::models
