#pragma once

#include <string>
#include <vector>

#include "core/config/run_config.h"

namespace kurve::views {

/// The text of an experiment's file when it was read, and now.
struct ExperimentTexts {
    std::string file, then, now;
};
/// The overrides besides `sets` with which the engine, which reads the present file, trains what the file
/// said then. Errors: those of reading either text; draft.family where it is of another family now.
Result<std::vector<Override>> experimentPins(const ExperimentTexts& texts, const SchemaLookup& schemas,
                                             const std::vector<Override>& sets);

}  // namespace kurve::views
