#pragma once

#include <string>

#include "core/config/run_config.h"

namespace kurve {

/// A minimal experiment file of the config: family, name, preset, and the settings that
/// differ from the preset's. Reading it gives an equal config but for the name.
[[nodiscard]] std::string experimentText(const RunConfig& config, const std::string& name);

}  // namespace kurve
