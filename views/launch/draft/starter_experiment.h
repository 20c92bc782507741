#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "views/common/data/engine_info.h"

namespace kurve::views {

/// The text of a first experiment for a project without one: the engine's first family in its smallest
/// preset, on a corpus in the project's data/, if there is one. Lists that folder. Errors:
/// engine.describe (no family is known), those of RunConfig::parse.
Result<std::string> starterExperiment(const EngineInfo& engine, const std::filesystem::path& project,
                                      const std::string& name);

}  // namespace kurve::views
