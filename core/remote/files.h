#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::remote {

inline constexpr std::uint64_t kChunkBytes = 4 << 20;  ///< of a file in one message

/// A file below a folder of a project or run, as messages name it.
struct FileEntry {
    std::string path;  ///< "checkpoints/step-00000400/weights.safetensors"
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;  ///< nanoseconds since the epoch

    /// As a file and its copy: a file system may keep fewer digits of a time, and cuts the others off.
    bool operator==(const FileEntry& other) const;
};

/// The file's path below `root`. Errors: remote.path (no names with '/' between them, or one that begins with
/// a dot), io.link.
Result<std::filesystem::path> pathBelow(const std::filesystem::path& root, const std::string& path);

/// A name that only the writer of a run gives: run.db and its log, run.lock, control.sock.
[[nodiscard]] bool isOfLiveRun(const std::string& path);

/// As it lies there. Errors: remote.path, io.link, io.open.
Result<FileEntry> entryOf(const std::filesystem::path& root, const std::string& path);

/// The regular files below a folder, sorted by path: no links, nothing that is temporary (".name",
/// "name.tmp12") or of a live run. None if the folder is not there.
[[nodiscard]] std::vector<FileEntry> filesBelow(const std::filesystem::path& root);

/// At most `limit` bytes from `offset` on. Errors: io.open, io.read.
Result<std::string> readPart(const std::filesystem::path& file, std::uint64_t offset, std::uint64_t limit);

/// A file that arrives in parts beside its place, and takes it when it is whole: temporary file, fsync,
/// rename. What has arrived stays for the next one with the same `version` (plain characters). One at a time:
/// it is locked.
class ArrivingFile {
public:
    /// Errors: io.write, io.link, remote.busy (another program receives it).
    static Result<ArrivingFile> open(const std::filesystem::path& file, const std::string& version);
    /// Bytes that have arrived of one that nobody has to open.
    [[nodiscard]] static std::uint64_t arrived(const std::filesystem::path& file, const std::string& version);
    ArrivingFile(ArrivingFile&& other) noexcept;
    ArrivingFile& operator=(ArrivingFile&&) = delete;
    ~ArrivingFile();

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  ///< that have arrived
    /// Errors: io.write, which names the cause, e.g. a full disk.
    Status append(const std::string& part);
    /// Checks it and puts it in its place; `modified` 0: now. Errors: remote.damaged (it is deleted),
    /// io.write.
    Status finish(const std::string& sha256, std::int64_t modified = 0);
    void discard();  ///< what has arrived is of no use
    /// Deletes what interrupted transfers left of other versions of the file, and nobody has added to for so
    /// long.
    void discardOthers(std::chrono::seconds idle) const;

private:
    ArrivingFile(std::filesystem::path file, std::filesystem::path part, int fd, std::uint64_t bytes);
    [[nodiscard]] Error writeError(int cause) const;

    std::filesystem::path file_, part_;
    int fd_ = -1;
    std::uint64_t bytes_ = 0;
};

}  // namespace kurve::remote
