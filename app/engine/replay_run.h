#pragma once

#include <cstdint>
#include <string>

#include "app/engine/command.h"
#include "core/train/checkpoint.h"

namespace kurve::engine {

/// Errors: reproduce.ranks, of a run of several processes: `kurve reproduce` is one.
Status checkTrainedAlone(const train::TrainingState& state);

/// `kurve reproduce RUN --steps N`: trains the last steps again, from the newest checkpoint before them or
/// the start, and compares weights and moments bit for bit with what is stored.
struct ReplayRange {
    std::int64_t steps = 0;  ///< at least so many
    std::string to = "last";
};
/// Prints {"run","equal","from","to","first_difference"?,"largest_difference","problems"}; exit 1 if they
/// differ. Errors: checkpoint.*, run.missing.
Status replayRun(const CommonOptions& common, const std::string& run, const ReplayRange& range, Output& out);

}  // namespace kurve::engine
