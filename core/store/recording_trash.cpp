#include "core/store/recording_trash.h"

#include <map>
#include <vector>

#include "core/base/check.h"
#include "core/base/inside.h"
#include "core/store/detail/side_writer.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrash = "trash";

bool isRecording(const RecordingFile& recording) {
    const auto kind = recording.file.kind();
    return isFileName(recording.run) && (kind == RunFile::Kind::Recording || kind == RunFile::Kind::Trashed);
}

std::string nameOf(const RecordingFile& recording) {
    return recording.run + "/" + recording.file.text();
}

Status checked(std::span<const RecordingFile> recordings) {
    for (const auto& recording : recordings)
        if (!isRecording(recording))
            return requestError("run.not_recording", "only recordings are moved and deleted one by one")
                .at(nameOf(recording));
    return {};
}

Status moved(const Project& project, const RecordingFile& from, const RecordingFile& to) {
    const fs::path run = project.runFolder(from.run);
    KURVE_TRY(const fs::path before, from.file.in(run));
    KURVE_TRY(const fs::path after, to.file.in(run));
    std::error_code failed;
    if (!fs::exists(before, failed))
        return requestError("run.recording_gone", "the recording is not there any more")
            .at(nameOf(from))
            .fix("what was deleted for good can only be recorded again");
    if (fs::exists(after, failed))
        return requestError("run.recording_exists", "another recording has its place by now")
            .at(nameOf(to))
            .fix("move that one to the trash first");
    KURVE_CHECKED(makeFolderInside(run, fs::path(to.file.text()).parent_path()));
    fs::rename(before, after, failed);
    if (failed) return workError("io.write", failed.message()).in(before.string());
    return {};
}

/// Folders of the trash that hold nothing any more.
void dropEmpty(const fs::path& run, const RunFile& file) {
    std::error_code filled;  // the first that is not empty ends it
    for (fs::path folder = fs::path(file.text()).parent_path(); !folder.empty() && !filled;
         folder = folder.parent_path())
        fs::remove(run / folder, filled);
}

}  // namespace

bool isTrashed(const RecordingFile& recording) {
    return recording.file.kind() == RunFile::Kind::Trashed;
}

RecordingFile inTrash(RecordingFile recording, const std::string& batch) {
    recording.file = recording.file.inTrash(batch);
    return recording;
}

RecordingFile outOfTrash(RecordingFile recording) {
    recording.file = recording.file.outOfTrash();
    return recording;
}

Status moveRecordings(const Project& project, std::span<const RecordingFile> from,
                      std::span<const RecordingFile> to) {
    KURVE_CHECK(from.size() == to.size(), "{} recordings to {} places", from.size(), to.size());
    KURVE_CHECKED(checked(from));
    KURVE_CHECKED(checked(to));
    for (std::size_t i = 0; i < from.size(); ++i) {
        KURVE_CHECKED(moved(project, from[i], to[i]));
        if (isTrashed(from[i])) dropEmpty(project.runFolder(from[i].run), from[i].file);
    }
    return {};
}

Result<std::int64_t> purgeRecordings(const Project& project, std::span<const RecordingFile> recordings) {
    KURVE_CHECKED(checked(recordings));
    for (const auto& recording : recordings)
        if (!isTrashed(recording))
            return requestError("run.not_trashed", "only recordings in the trash are deleted")
                .at(nameOf(recording))
                .fix("move it there first");
    std::map<std::string, std::vector<RunFile>> gone;  // by run
    for (const auto& recording : recordings) {
        const fs::path run = project.runFolder(recording.run);
        // The entry may be another recording's that has the place by now.
        if (const RunFile before = recording.file.outOfTrash(); recording.file.isIn(run) && !before.isIn(run))
            gone[recording.run].push_back(before);
    }
    // The record first: killed in between, a file without an entry takes room, an entry without its file is
    // damage.
    for (const auto& [run, paths] : gone)
        KURVE_CHECKED(detail::writeBeside(project.runFolder(run), [&paths = paths](detail::Database& db) {
            for (const auto& path : paths) db.prepare("DELETE FROM traces WHERE path = ?1").run(path.text());
        }));
    std::int64_t freed = 0;
    for (const auto& recording : recordings) {
        const fs::path run = project.runFolder(recording.run);
        KURVE_TRY(const fs::path file, recording.file.in(run));
        std::error_code failed;
        const auto bytes = fs::file_size(file, failed);
        if (failed) continue;
        KURVE_CHECKED(recording.file.removeFrom(run));
        freed += static_cast<std::int64_t>(bytes);
        dropEmpty(run, recording.file);
    }
    return freed;
}

std::optional<RunFile> findInTrash(const fs::path& runFolder, const RunFile& recording) {
    std::error_code failed;
    for (const auto& batch : fs::directory_iterator(runFolder / kTrash, failed))
        if (const std::string name = batch.path().filename().string(); isPlainName(name))
            if (const RunFile file = recording.inTrash(name); file.isIn(runFolder)) return file;
    return std::nullopt;
}

}  // namespace kurve::store
