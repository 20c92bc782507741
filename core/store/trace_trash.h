#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/store/disk_use.h"
#include "core/store/project.h"

namespace kurve::store {

/// The trash of single traces. It lies in the run's folder (trash/BATCH/traces/…), so that nothing is
/// copied and all goes with the run; a batch is what went there at once, by a name that its caller makes.
[[nodiscard]] bool isTrashed(const TraceFile& trace);
/// The same trace in the trash, or where it was before.
[[nodiscard]] TraceFile inTrash(TraceFile trace, const std::string& batch);
[[nodiscard]] TraceFile outOfTrash(TraceFile trace);

/// Moves each trace into the trash or back: from[i] becomes to[i]. Not on the GUI thread.
/// Errors: run.not_trace (nothing is moved then), io.link,
/// run.trace_gone, run.trace_exists (another one lies there by now), io.write; what was moved
/// before stays moved.
Status moveTraces(const Project& project, std::span<const TraceFile> from, std::span<const TraceFile> to);
/// Deletes traces of the trash for good, and what run.db says of them; returns the bytes that this freed.
/// One that is gone already frees nothing. Of a run on another machine an empty file stays in the trash,
/// which tells not to fetch it again, and its entry. Errors: run.not_trace, run.not_trashed (nothing is
/// deleted then), io.link, io.write, store.* (the files are gone, their entries are not).
Result<std::int64_t> purgeTraces(const Project& project, std::span<const TraceFile> traces);

/// Where a trace that run.db names "traces/…" lies in the run's trash; none if it is not there.
[[nodiscard]] std::optional<RunFile> findInTrash(const std::filesystem::path& runFolder,
                                                 const RunFile& trace);

}  // namespace kurve::store
