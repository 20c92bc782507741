#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "core/trace/edit.h"

namespace kurve::models {

/// Logits [V] of one slot, changed in place: this token for certain.
void only(const at::Tensor& logits, std::int64_t token);
/// Logits [N, V] of one step, changed in place to what edits leave open: a forced or pinned slot is its token
/// for certain, a banned token is none.
void restrictLogits(const at::Tensor& logits, std::span<const trace::Edit> edits, int step);

}  // namespace kurve::models
