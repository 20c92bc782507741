#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

namespace kurve::store::detail {

/// The write-ahead log as it lies on disk: every commit changes it.
struct LogState {
    std::int64_t bytes = -1, seconds = 0, nanoseconds = 0;

    static LogState of(const std::filesystem::path& database) {
        struct stat found {};
        if (::stat((database.string() + "-wal").c_str(), &found) != 0) return {};
        return {found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
    }
    bool operator==(const LogState&) const = default;
};

}  // namespace kurve::store::detail
