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
    const RunEntry* before = nullptr;  ///< what the index knows of it; null: nothing
    bool hasLog = false;               ///< there is something in the write-ahead log
    [[nodiscard]] std::string id() const { return folder.filename().string(); }
};

/// Reads them in their order, on a few threads, until all are read or steadySeconds() is `until`; at least
/// one. The entries of those that were read: the first of `waiting`.
[[nodiscard]] std::vector<RunEntry> readWaiting(std::span<const WaitingRun> waiting, double until);

}  // namespace kurve::store::detail
