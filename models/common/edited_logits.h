#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "core/trace/edit.h"

namespace kurve::models {

/// Logits [V] of one position, changed in place: probability 1 for this token.
void forceToken(const at::Tensor& logits, std::int64_t token);
/// Logits [N, V] of one step, changed in place by the edits: a forced or pinned token gets probability 1, a
/// banned one 0.
void applyEdits(const at::Tensor& logits, std::span<const trace::Edit> edits, int step);

}  // namespace kurve::models
