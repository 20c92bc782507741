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

/// The trash of single recordings. It lies in the run's folder (trash/BATCH/traces/…), so that nothing is
/// copied and all goes with the run; a batch is what went there at once, by a name that its caller makes.
[[nodiscard]] bool isTrashed(const RecordingFile& recording);
/// The same recording in the trash, or where it was before.
[[nodiscard]] RecordingFile inTrash(RecordingFile recording, const std::string& batch);
[[nodiscard]] RecordingFile outOfTrash(RecordingFile recording);

/// Moves each recording into the trash or back: from[i] is to[i]'s other place. Not on the GUI thread.
/// Errors: run.not_recording (nothing is moved then), io.link,
/// run.recording_gone, run.recording_exists (another one has the place by now), io.write; what was moved
/// before stays moved.
Status moveRecordings(const Project& project, std::span<const RecordingFile> from,
                      std::span<const RecordingFile> to);
/// Deletes recordings of the trash for good, and what run.db says of them; returns the bytes that this freed.
/// One that is gone already frees nothing. Errors: run.not_recording, run.not_trashed (nothing is deleted
/// then), io.link, io.write, store.* (the files are gone, their entries are not).
Result<std::int64_t> purgeRecordings(const Project& project, std::span<const RecordingFile> recordings);

/// Where a recording that run.db names "traces/…" lies in the run's trash; none if it is not there.
[[nodiscard]] std::optional<RunFile> findInTrash(const std::filesystem::path& runFolder,
                                                 const RunFile& recording);

}  // namespace kurve::store
