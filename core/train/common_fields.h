#pragma once

#include <vector>

#include "core/config/field_spec.h"

namespace kurve::train {

/// The fields every experiment has apart from data.*: seed, train.*, eval.*, checkpoint.*, log.*.
[[nodiscard]] std::vector<FieldSpec> trainingFields();

}  // namespace kurve::train
