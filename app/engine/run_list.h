#pragma once

#include <nlohmann/json.hpp>

#include "core/store/project.h"

namespace kurve::engine {

/// A run as `kurve runs --json` has it.
[[nodiscard]] nlohmann::json runJson(const store::RunSummary& run);

}  // namespace kurve::engine
