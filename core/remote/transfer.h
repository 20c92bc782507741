#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/remote/connection.h"
#include "core/remote/files.h"

namespace kurve::remote {

/// Bytes of all files together; `path` is the one that travels. False: stop (error cancelled).
using TransferProgress =
    std::function<bool(const std::string& path, std::uint64_t done, std::uint64_t total)>;

/// A file of this machine and its place below the project's folder on the other.
struct SentFile {
    std::filesystem::path file;
    std::string path;
    std::shared_ptr<const std::string> maybeContent = nullptr;  ///< is sent instead of the file's
    std::string sha256 = {};                                    ///< set by hashFiles()
    std::uint64_t bytes = 0;                                    ///< the same
};
/// Before a connection is opened, which the other side closes when it hears nothing for two minutes. Errors:
/// io.*.
Status hashFiles(std::vector<SentFile>& files);
/// Sends those that are not there with the same hash; what was sent of one before stays sent. `files` have
/// their hashes. Errors: io.*, remote.*, those of the other machine (io.write: its disk is full).
Status sendFiles(Connection& connection, std::span<const SentFile> files, const TransferProgress& progress);

/// ArrivingFile::open() that waits some seconds for another process with the file.
Result<ArrivingFile> openPatiently(const std::filesystem::path& place, const std::string& version);

/// The files of a run that another machine has, and their copies here.
class RunFiles {
public:
    RunFiles(std::string run, std::filesystem::path folder)
        : run_(std::move(run)), folder_(std::move(folder)) {}

    /// Those that are not here with the same size and time, but for traces in the trash here. Errors:
    /// remote.*, those of the other machine.
    Result<std::vector<FileEntry>> missing(Connection& connection) const;
    /// Fetches them. `files` have all or none of a checkpoint, as missing() has: it appears whole. What
    /// changed or went meanwhile is left for the next listing. Goes on where an earlier call stopped. Errors:
    /// io.*, remote.*; remote.busy (for some seconds another process fetched the same file).
    Status fetch(Connection& connection, const std::vector<FileEntry>& files,
                 const TransferProgress& progress) const;
    using Wanted = std::function<bool(const std::string& path)>;
    /// Lists and fetches until nothing is missing that was at first and is wanted: all or none of a
    /// checkpoint. Returns what has arrived. Errors: as fetch(); remote.damaged (somebody there writes on).
    Result<std::vector<FileEntry>> fetchAll(Connection& connection, const Wanted& wanted,
                                            const TransferProgress& progress) const;

    /// "checkpoints/NAME" of a file in it; empty: it is in none.
    [[nodiscard]] static std::string checkpointOf(const std::string& path);

private:
    Result<std::vector<FileEntry>> listed(Connection& connection) const;
    /// Where it arrives. Errors: io.link, io.write.
    [[nodiscard]] Result<std::filesystem::path> placeOf(const FileEntry& file) const;
    /// `progress`: of the bytes of this file.
    Status fetchOne(Connection& connection, const FileEntry& file, const std::filesystem::path& place,
                    const std::function<bool(std::uint64_t)>& progress) const;
    /// What interrupted calls left of checkpoints that have gone there since, or are here by now.
    Status dropGathered(const std::set<std::string>& incomplete) const;
    /// Of one that has come whole; `files` are the names of all that is in it.
    Status install(const std::string& checkpoint, const std::set<std::string>& files) const;

    std::string run_;
    std::filesystem::path folder_;
};

}  // namespace kurve::remote
