#pragma once

#include <ATen/core/Tensor.h>

#include "core/trace/trace.h"

namespace kurve::models {

/// Host copies of tensors, as a trace holds them.
[[nodiscard]] trace::Block blockOf(const at::Tensor& values);
[[nodiscard]] std::vector<float> floatsOf(const at::Tensor& values);
[[nodiscard]] std::vector<std::uint32_t> idsOf(const at::Tensor& values);

/// tokens, confidence, entropy, topIds and topProbability of a trace from log p [S, N, V].
void addDistributions(trace::Trace& trace, const at::Tensor& logP);

}  // namespace kurve::models
