#pragma once

#include <string>
#include <vector>

#include "core/config/run_config.h"

namespace kurve::views {

/// An experiment's file while somebody works on it: what it said, and what it says now.
struct ExperimentTexts {
    std::string file, then, now;
};
/// What must be set beside `sets`, so that the engine, which reads the file as it is now, trains what the
/// file said then. Errors: those of reading either text; draft.family where it is of another family now.
Result<std::vector<Override>> experimentPins(const ExperimentTexts& texts, const SchemaLookup& schemas,
                                             const std::vector<Override>& sets);

}  // namespace kurve::views
