#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/config/run_config.h"

namespace kurve {

/// When a training that has no checkpoint yet writes its first one.
struct FirstCheckpoint {
    std::int64_t step = 0;  ///< an estimate if it is scheduled by time
    double seconds = -1;    ///< from now, at the speed of the training so far; negative: not known yet
};

/// By the run's settings and its record (table run: heartbeat_step, seconds, heartbeat_wall, started,
/// total_steps). Nothing if the settings are not a training's. Pure.
[[nodiscard]] std::optional<FirstCheckpoint> firstCheckpoint(
    const RunConfig& config, const std::map<std::string, std::string>& record);

}  // namespace kurve
