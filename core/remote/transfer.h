#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/remote/files.h"
#include "core/remote/line.h"

namespace kurve::remote {

/// Bytes of all files together; `path` is the one that travels. False: stop (error cancelled).
using TransferProgress =
    std::function<bool(const std::string& path, std::uint64_t done, std::uint64_t total)>;

/// A file of this machine and its place below the project's folder on the other.
struct SentFile {
    std::filesystem::path file;
    std::string path;
};
/// Sends those that are not there with the same hash; what was sent of one before stays sent. Errors: io.*,
/// remote.*, those of the other machine (io.write: its disk is full).
Status sendFiles(Line& line, std::span<const SentFile> files, const TransferProgress& progress);

/// The files of a run that another machine has, and their copies here.
class RunFiles {
public:
    RunFiles(std::string run, std::filesystem::path folder)
        : run_(std::move(run)), folder_(std::move(folder)) {}

    /// Those that are not here with the same size and time. Errors: remote.*, those of the other machine.
    Result<std::vector<FileEntry>> missing(Line& line) const;
    /// Fetches them; a checkpoint of which one is named is fetched whole and appears whole. One that changed
    /// or went meanwhile is left for the next listing. Goes on where an earlier call stopped. Errors: io.*,
    /// remote.*.
    Status fetch(Line& line, const std::vector<FileEntry>& files, const TransferProgress& progress) const;

    /// "checkpoints/NAME" of a file in it; empty: it is in none.
    [[nodiscard]] static std::string checkpointOf(const std::string& path);

private:
    Result<std::vector<FileEntry>> listed(Line& line) const;
    [[nodiscard]] std::filesystem::path placeOf(const FileEntry& file) const;
    /// `progress`: of the bytes of this file.
    Status fetchOne(Line& line, const FileEntry& file,
                    const std::function<bool(std::uint64_t)>& progress) const;
    Status install(const std::string& checkpoint) const;

    std::string run_;
    std::filesystem::path folder_;
};

}  // namespace kurve::remote
