#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace kurve {

/// The most that a file of a kind may hold: one that is larger is damaged, or somebody wants the memory.
/// Settings are everything that people and programs say in a few lines: projects, experiments, alerts,
/// queues, sessions, layouts, schedules, samplers, a checkpoint's state, what a corpus or a tokenizer is made
/// of.
inline constexpr std::uint64_t kSettingsBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kResultBytes = std::uint64_t{64} << 20;  ///< an evaluation, a sweep's point
inline constexpr std::uint64_t kModelBytes = std::uint64_t{256}
                                             << 20;  ///< a tokenizer and its vocabulary, a trace
inline constexpr std::uint64_t kCorpusBytes = std::uint64_t{8} << 30;  ///< text, logs of other programs

/// A regular file, opened for reading. A folder, pipe, socket or device is refused at once: to read one may
/// never end.
class InputFile {
public:
    /// Errors: io.open (missing, no regular file, no permission).
    static Result<InputFile> open(const std::filesystem::path& file);
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&&) = delete;
    ~InputFile();

    [[nodiscard]] int descriptor() const { return fd_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  ///< as it was opened
    /// Fills `into` as far as there is something; 0 at the end. Errors: io.read.
    Result<std::size_t> read(std::span<char> into);

private:
    InputFile(int fd, std::uint64_t bytes, std::string name)
        : fd_(fd), bytes_(bytes), name_(std::move(name)) {}
    int fd_;
    std::uint64_t bytes_;
    std::string name_;
};

/// Whole file as bytes; everything that a project or run folder holds is read by this, SafetensorsFile or
/// sha256File. Errors: io.open, io.too_large (more than `limit` bytes), io.read.
Result<std::string> readFile(const std::filesystem::path& file, std::uint64_t limit = kSettingsBytes);

/// That a file may be written here. A device there would be gone: what is written takes its name. Errors:
/// io.write.
Status checkReplaceable(const std::filesystem::path& file);
/// Writes atomically: temporary file in the same folder, fsync, rename, fsync of the folder. A crash leaves
/// either the old file or the new one. Errors (io.write) name the file and the cause, e.g. a full or
/// read-only disk.
Status writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

}  // namespace kurve
