#pragma once

#include "core/config/run_config.h"

namespace kurve::models {

/// Checks that `key` names a schedule that can be discrete with diffusion.steps, for a model that diffuses
/// embeddings. Errors: model.schedule, those of makeSchedule(), with `key` as field.
[[nodiscard]] Status checkSchedule(const RunConfig& config, const char* key);

}  // namespace kurve::models
