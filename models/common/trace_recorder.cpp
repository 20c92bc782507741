#include "models/common/trace_values.h"

#include <torch/torch.h>

namespace kurve::models {

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
    trace.topProbability = floatsOf(top.exp());
    trace.topIds = idsOf(ids);
    trace.tokens = idsOf(ids.select(-1, 0));
    trace.confidence = floatsOf(top.select(-1, 0).exp());
    trace.entropy = floatsOf(-(logP.exp() * logP).sum(-1));
}

}  // namespace kurve::models
