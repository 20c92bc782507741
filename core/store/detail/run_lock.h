#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"

namespace kurve::store::detail {

/// The right to write a run: an exclusive flock on run.lock, which a dying process gives back by itself.
class RunLock {
public:
    /// Errors: store.locked (names the pid), io.write.
    static Result<std::unique_ptr<RunLock>> take(const std::filesystem::path& runFolder);
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;
    ~RunLock();

private:
    RunLock(std::filesystem::path file, int fd) : file_(std::move(file)), fd_(fd) {}
    std::filesystem::path file_;
    int fd_;
};

}  // namespace kurve::store::detail
