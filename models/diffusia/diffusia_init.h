#pragma once

#include "core/config/run_config.h"
#include "models/common/init.h"

namespace kurve::models::diffusia {

/// The initializer of a parameter by its name; empty for unknown names.
[[nodiscard]] Initializer initializer(const RunConfig& config, const std::string& name);

}  // namespace kurve::models::diffusia
