#pragma once

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models {

/// Checks that model.heads divide model.hidden, and that the data's longest sentence fits
/// model.max_positions. Errors: model.heads, model.max_positions with `field` set.
[[nodiscard]] Status checkSizes(const RunConfig& config, const train::TextShape& shape);

/// Checks that model.heads divide model.hidden into even widths, for rotary positions. Errors: model.heads.
[[nodiscard]] Status checkRotaryHeads(const RunConfig& config);

}  // namespace kurve::models
