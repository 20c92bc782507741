#pragma once

#include <vector>

#include "core/config/field_spec.h"

namespace kurve::train {

/// The run whose weights a training begins from; no other part of it is needed later.
inline constexpr const char* kInitFrom = "train.init_from";

/// The fields every experiment has apart from data.*: seed, train.*, eval.*, checkpoint.*, log.*.
[[nodiscard]] std::vector<FieldSpec> trainingFields();

}  // namespace kurve::train
