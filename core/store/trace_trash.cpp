#include "core/store/trace_trash.h"

#include <map>
#include <set>
#include <vector>

#include "core/base/check.h"
#include "core/base/inside.h"
#include "core/store/detail/side_writer.h"
#include "core/store/run_mirror.h"
#include "core/store/run_reader.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrashFolder = "trash";

bool isTrace(const TraceFile& trace) {
    const auto kind = trace.file.kind();
    return isFileName(trace.run) && (kind == RunFile::Kind::Trace || kind == RunFile::Kind::Trashed);
}

std::string nameOf(const TraceFile& trace) {
    return trace.run + "/" + trace.file.text();
}

Status checked(std::span<const TraceFile> traces) {
    for (const auto& trace : traces)
        if (!isTrace(trace))
            return requestError("run.not_trace", "only traces are moved and deleted one by one")
                .at(nameOf(trace));
    return {};
}

Status moved(const Project& project, const TraceFile& from, const TraceFile& to) {
    const fs::path run = project.runFolder(from.run);
    KURVE_TRY(const fs::path before, from.file.in(run));
    KURVE_TRY(const fs::path after, to.file.in(run));
    std::error_code failed;
    // An empty one is the sign that the copy's trace was deleted.
    if (!fs::exists(before, failed) || (isTrashed(from) && fs::is_empty(before, failed)))
        return requestError("run.trace_gone", "the trace is gone").at(nameOf(from)).fix("record it again");
    if (fs::exists(after, failed))
        return requestError("run.trace_exists", "another trace has this name")
            .at(nameOf(to))
            .fix("move the other one to the trash first");
    KURVE_CHECKED(makeFolderInside(run, fs::path(to.file.text()).parent_path()));
    fs::rename(before, after, failed);
    if (failed) return workError("io.write", failed.message()).in(before.string());
    return {};
}

bool isCopy(const fs::path& run) {
    const auto reader = RunReader::open(run);
    return reader && (*reader)->values().contains(kMachineKey);
}

/// Folders of the trash that hold nothing any more.
void dropEmpty(const fs::path& run, const RunFile& file) {
    std::error_code filled;  // the first that is not empty ends it
    for (fs::path folder = fs::path(file.text()).parent_path(); !folder.empty() && !filled;
         folder = folder.parent_path())
        fs::remove(run / folder, filled);
}

}  // namespace

bool isTrashed(const TraceFile& trace) {
    return trace.file.kind() == RunFile::Kind::Trashed;
}

TraceFile inTrash(TraceFile trace, const std::string& batch) {
    trace.file = trace.file.inTrash(batch);
    return trace;
}

TraceFile outOfTrash(TraceFile trace) {
    trace.file = trace.file.outOfTrash();
    return trace;
}

Status moveTraces(const Project& project, std::span<const TraceFile> from, std::span<const TraceFile> to) {
    KURVE_CHECK(from.size() == to.size(), "{} traces to {} files", from.size(), to.size());
    KURVE_CHECKED(checked(from));
    KURVE_CHECKED(checked(to));
    for (std::size_t i = 0; i < from.size(); ++i) {
        KURVE_CHECKED(moved(project, from[i], to[i]));
        if (isTrashed(from[i])) dropEmpty(project.runFolder(from[i].run), from[i].file);
    }
    return {};
}

Result<std::int64_t> purgeTraces(const Project& project, std::span<const TraceFile> traces) {
    KURVE_CHECKED(checked(traces));
    for (const auto& trace : traces)
        if (!isTrashed(trace))
            return requestError("run.not_trashed", "only traces in the trash are deleted")
                .at(nameOf(trace))
                .fix("move it there first");
    std::map<std::string, std::vector<RunFile>> gone;  // by run
    for (const auto& trace : traces) {
        const fs::path run = project.runFolder(trace.run);
        // The entry may be that of another trace that lies there by now.
        if (const RunFile before = trace.file.outOfTrash(); trace.file.isIn(run) && !before.isIn(run))
            gone[trace.run].push_back(before);
    }
    // The record first: killed in between, a file without an entry takes space, an entry without its file is
    // damage.
    std::set<std::string> copies;
    for (const auto& [run, paths] : gone) {
        if (isCopy(project.runFolder(run))) {
            copies.insert(run);
            continue;
        }
        KURVE_CHECKED(detail::writeBeside(project.runFolder(run), [&files = paths](detail::Database& db) {
            for (const auto& path : files) db.prepare("DELETE FROM traces WHERE path = ?1").run(path.text());
        }));
    }
    std::int64_t freed = 0;
    for (const auto& trace : traces) {
        const fs::path run = project.runFolder(trace.run);
        KURVE_TRY(const fs::path file, trace.file.in(run));
        std::error_code failed;
        const auto bytes = fs::file_size(file, failed);
        if (failed) continue;
        if (copies.contains(trace.run))
            fs::resize_file(file, 0, failed);
        else
            KURVE_CHECKED(trace.file.removeFrom(run));
        if (failed) return workError("io.write", failed.message()).in(file.string());
        freed += static_cast<std::int64_t>(bytes);
        dropEmpty(run, trace.file);
    }
    return freed;
}

std::optional<RunFile> findInTrash(const fs::path& runFolder, const RunFile& trace) {
    std::error_code failed;
    for (const auto& batch : fs::directory_iterator(runFolder / kTrashFolder, failed))
        if (const std::string name = batch.path().filename().string(); isPlainName(name))
            if (const RunFile file = trace.inTrash(name); file.isIn(runFolder)) return file;
    return std::nullopt;
}

}  // namespace kurve::store
