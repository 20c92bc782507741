#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/trace/trace.h"

namespace kurve::models {

/// Makes a frame one of chunks: what is known of their tokens goes into the level below, from log p [n, V],
/// the tokens of chunk i being those from i K on. `frame` has the layers of chunks, or gets them. Returns
/// that level.
trace::Trace& addChunkTokens(trace::Trace& frame, const at::Tensor& logP, std::int64_t chunkTokens);

}  // namespace kurve::models
