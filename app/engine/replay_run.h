#pragma once

#include <string>

#include "app/engine/command.h"

namespace kurve::engine {

/// `kurve verify RUN --replay`: trains a stretch of the run again and compares it bit for bit with what is
/// stored.
struct ReplayChoice {
    std::string from;  ///< checkpoint, or "start"; empty: the one before `to`, or the start
    std::string to = "last";
};
/// Prints {"ok","checked","problems","replay":{"from","to","same","first_difference","largest_difference"}};
/// exit 1 if they differ. Errors: checkpoint.*, run.missing, replay.order.
Status replayRun(const CommonOptions& common, const std::string& run, const ReplayChoice& choice,
                 Output& out);

}  // namespace kurve::engine
