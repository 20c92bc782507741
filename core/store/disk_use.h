#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/store/project.h"
#include "core/store/run_file.h"

namespace kurve::store {

/// One trace of a run.
struct TraceFile {
    std::string run;
    RunFile file;  ///< a trace, or one in the trash
    std::int64_t bytes = 0;
};

/// What a run takes on disk, and what of it could go.
struct RunDisk {
    std::string run;
    std::int64_t checkpoints = 0, traces = 0, rest = 0;
    std::int64_t trash = 0;  ///< traces in the trash
    std::int64_t spare = 0;  ///< of the checkpoints: neither the newest nor the best nor pinned
    bool trashed = false;    ///< the whole run is in the trash
    std::vector<TraceFile> files;

    [[nodiscard]] std::int64_t all() const { return checkpoints + traces + trash + rest; }
    [[nodiscard]] std::int64_t reclaimable() const { return trashed ? all() : spare + traces + trash; }
};

/// Of these runs, in their order. Walks their folders: not on the GUI thread. A run whose run.db cannot be
/// read has no spare checkpoints.
[[nodiscard]] std::vector<RunDisk> diskUse(const Project& project, std::span<const RunSummary> runs);

/// The same of as many of the first runs as `seconds` allow, one at least, for who wants to show how far it
/// is; fewer when `cancel` is requested.
[[nodiscard]] std::vector<RunDisk> diskUse(const Project& project, std::span<const RunSummary> runs,
                                           double seconds, const CancelToken& cancel);

}  // namespace kurve::store
