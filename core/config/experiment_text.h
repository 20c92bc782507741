#pragma once

#include <optional>
#include <string>

#include "core/config/run_config.h"

namespace kurve {

/// A minimal experiment file of the config: family, name, preset, and the settings that
/// differ from the preset's. Reading it gives an equal config but for the name.
[[nodiscard]] std::string experimentText(const RunConfig& config, const std::string& name);

/// Text of what the field `name` has in an experiment that does not set it: the preset's value, else the
/// default. `name` is the field's key, or its last part where no other field has it; nothing: there is no
/// such field.
[[nodiscard]] std::optional<std::string> unchangedText(const Schema& schema, const std::string& preset,
                                                       const std::string& name);

}  // namespace kurve
