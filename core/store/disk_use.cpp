#include "core/store/disk_use.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "core/base/clock.h"
#include "core/store/run_mirror.h"
#include "core/store/run_reader.h"
#include "core/store/trace_trash.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpoints = "checkpoints";

/// Bytes of the checkpoints here that nobody would miss. Those of a copy are its machine's to prune.
std::int64_t spareBytes(const fs::path& folder) {
    const auto reader = RunReader::open(folder);
    if (!reader) return 0;
    auto rows = (*reader)->checkpoints();
    std::erase_if(rows, [&](const auto& row) { return !row.path.isIn(folder); });
    if (rows.empty() || (*reader)->values().contains(kMachineKey)) return 0;
    std::set<RunFile> kept;
    const CheckpointRow *newest = &rows.front(), *low = nullptr, *high = nullptr;
    for (const auto& row : rows) {
        if (row.pinned) kept.insert(row.path);
        if (std::pair(row.saved, row.step) >= std::pair(newest->saved, newest->step)) newest = &row;
        if (!std::isfinite(row.metric)) continue;
        if (low == nullptr || row.metric < low->metric) low = &row;
        if (high == nullptr || row.metric > high->metric) high = &row;
    }
    kept.insert(newest->path);
    // Whether more or less is better only the engine knows: both ends are kept.
    for (const auto* best : {low, high})
        if (best != nullptr) kept.insert(best->path);
    std::int64_t spare = 0;
    for (const auto& row : rows)
        if (!kept.contains(row.path)) spare += row.bytes;
    return spare;
}

RunDisk measured(const Project& project, const RunSummary& run) {
    const fs::path folder = project.runFolder(run.id);
    RunDisk disk;
    disk.run = run.id;
    disk.trashed = run.trashed;
    std::error_code failed;
    if (fs::is_symlink(folder, failed)) return disk;
    for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end;
         it.increment(failed)) {
        std::error_code gone;  // files come and go while a run is being written
        if (it->is_symlink(gone) || !it->is_regular_file(gone) || gone) continue;
        const auto bytes = static_cast<std::int64_t>(it->file_size(gone));
        if (gone) continue;
        const auto file = RunFile::below(folder, it->path());
        const auto kind = file ? file->kind() : RunFile::Kind::None;
        if (*it->path().lexically_relative(folder).begin() == kCheckpoints) {
            disk.checkpoints += bytes;
        } else if (kind == RunFile::Kind::Trace) {
            disk.traces += bytes;
            disk.files.push_back({run.id, *file, bytes});
        } else if (kind == RunFile::Kind::Trashed) {
            if (bytes == 0) continue;  // purgeTraces()
            disk.trash += bytes;
            disk.files.push_back({run.id, *file, bytes});
        } else {
            disk.rest += bytes;
        }
    }
    disk.spare = std::min(disk.checkpoints, spareBytes(folder));
    std::sort(disk.files.begin(), disk.files.end(),
              [](const auto& a, const auto& b) { return a.file < b.file; });
    return disk;
}

}  // namespace

std::vector<RunDisk> diskUse(const Project& project, std::span<const RunSummary> runs) {
    return diskUse(project, runs, std::numeric_limits<double>::infinity(), {});
}

std::vector<RunDisk> diskUse(const Project& project, std::span<const RunSummary> runs, double seconds,
                             const CancelToken& cancel) {
    const double end = steadySeconds() + seconds;
    std::vector<RunDisk> all;
    for (const auto& run : runs) {
        if (cancel.requested() || (!all.empty() && steadySeconds() > end)) break;
        all.push_back(measured(project, run));
    }
    return all;
}

}  // namespace kurve::store
