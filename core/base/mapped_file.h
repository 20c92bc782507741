#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/result.h"

namespace kurve {

/// A regular file's bytes, memory-mapped to be read: they come into memory where they are looked at, and the
/// system takes them out again. Whoever truncates the file meanwhile ends the process: only for files that
/// are replaced by renaming.
class MappedFile {
public:
    /// Errors: io.open, io.read.
    static Result<MappedFile> open(const std::filesystem::path& file);
    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace kurve
