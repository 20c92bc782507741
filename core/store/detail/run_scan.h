#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/store/detail/run_entry.h"

namespace kurve::store::detail {

/// A run that the index must read: it does not know it, or the run's stamp is another than when it was read.
struct WaitingRun {
    std::filesystem::path folder;
    std::string stamp;
    bool hasLog = false;  ///< there is something in the write-ahead log
    [[nodiscard]] std::string id() const { return folder.filename().string(); }
};

/// What lies in runs/; nothing if there is no such folder. Errors: io.read (no right to look, too long a
/// path, …).
[[nodiscard]] Result<std::vector<std::filesystem::path>> foldersIn(const std::filesystem::path& runsFolder);

/// First those that are being written (or were when their engine was killed); then the newest: an id begins
/// with the time of its start.
void sortWaiting(std::vector<WaitingRun>& waiting);

/// Reads them in their order, on a few threads, until all are read or steadySeconds() is `until`; at least
/// one. `known` is what the index has. The entries of those that were read: the first of `waiting`.
[[nodiscard]] std::vector<RunEntry> readWaiting(std::span<const WaitingRun> waiting,
                                                const std::map<std::string, RunEntry>& known, double until);

}  // namespace kurve::store::detail
