#include "core/store/recording_trash.h"

#include <map>
#include <vector>

#include "core/base/check.h"
#include "core/store/detail/side_writer.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRecorded = "traces", *kTrash = "trash";

/// From "trash/BATCH/traces/…" what follows the batch; anything else as it is.
fs::path withoutBatch(const fs::path& file) {
    auto part = file.begin();
    if (part == file.end() || *part != kTrash) return file;
    fs::path rest;
    if (++part != file.end())
        for (++part; part != file.end(); ++part) rest /= *part;
    return rest;
}

bool isRecording(const RecordingFile& recording) {
    const fs::path file = recording.file, plain = withoutBatch(file);
    return file.is_relative() && file.lexically_normal() == file && plain.has_filename() &&
           *plain.begin() == kRecorded && std::distance(plain.begin(), plain.end()) > 1 &&
           recording.run.find('/') == std::string::npos;
}

Status checked(std::span<const RecordingFile> recordings) {
    for (const auto& recording : recordings)
        if (!isRecording(recording))
            return requestError("run.not_recording", "only recordings are moved and deleted one by one")
                .at(recording.run + "/" + recording.file);
    return {};
}

Status moved(const Project& project, const RecordingFile& from, const RecordingFile& to) {
    const fs::path run = project.runFolder(from.run);
    std::error_code failed;
    if (!fs::exists(run / from.file, failed))
        return requestError("run.recording_gone", "the recording is not there any more")
            .at(from.run + "/" + from.file)
            .fix("what was deleted for good can only be recorded again");
    if (fs::exists(run / to.file, failed))
        return requestError("run.recording_exists", "another recording has its place by now")
            .at(to.run + "/" + to.file)
            .fix("move that one to the trash first");
    fs::create_directories((run / to.file).parent_path(), failed);
    if (!failed) fs::rename(run / from.file, run / to.file, failed);
    if (failed) return workError("io.write", failed.message()).in((run / from.file).string());
    return {};
}

/// Folders of the trash that hold nothing any more.
void dropEmpty(const fs::path& run, const fs::path& file) {
    std::error_code filled;  // the first that is not empty ends it
    for (fs::path folder = file.parent_path(); !folder.empty() && !filled; folder = folder.parent_path())
        fs::remove(run / folder, filled);
}

}  // namespace

bool isTrashed(const RecordingFile& recording) {
    const fs::path file = recording.file;
    return file.begin() != file.end() && *file.begin() == kTrash;
}

RecordingFile inTrash(RecordingFile recording, const std::string& batch) {
    recording.file = (fs::path(kTrash) / batch / recording.file).string();
    return recording;
}

RecordingFile outOfTrash(RecordingFile recording) {
    recording.file = withoutBatch(recording.file).string();
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
                .at(recording.run + "/" + recording.file)
                .fix("move it there first");
    std::int64_t freed = 0;
    std::map<std::string, std::vector<std::string>> gone;  // by run
    for (const auto& recording : recordings) {
        const fs::path run = project.runFolder(recording.run), file = run / recording.file;
        std::error_code failed;
        const auto bytes = fs::file_size(file, failed);
        if (failed) continue;
        if (!fs::remove(file, failed)) return workError("io.write", failed.message()).in(file.string());
        freed += static_cast<std::int64_t>(bytes);
        dropEmpty(run, recording.file);
        // The entry may be another recording's that has the place by now.
        if (const std::string before = outOfTrash(recording).file; !fs::exists(run / before, failed))
            gone[recording.run].push_back(before);
    }
    for (const auto& [run, paths] : gone)
        KURVE_CHECKED(detail::writeBeside(project.runFolder(run), [&paths = paths](detail::Database& db) {
            for (const auto& path : paths) db.prepare("DELETE FROM traces WHERE path = ?1").run(path);
        }));
    return freed;
}

std::optional<fs::path> findInTrash(const fs::path& runFolder, const std::string& path) {
    std::error_code failed;
    for (const auto& batch : fs::directory_iterator(runFolder / kTrash, failed))
        if (fs::exists(batch.path() / path, failed)) return batch.path() / path;
    return std::nullopt;
}

}  // namespace kurve::store
