#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kurve::store {

/// The name of something that belongs to a run, as its records, traces and messages say it:
///   checkpoints/NAME          a checkpoint's folder
///   traces/NAME               a trace
///   trash/BATCH/traces/NAME   a trace that was thrown away
/// with plain names (isPlainName) and nothing else: whatever a record says, a RunFile names nothing outside
/// the run's folder, nor that folder or one that holds several. Every path that was not made here or typed
/// by a person becomes one before anything is done with it.
class RunFile {
public:
    enum class Kind : unsigned char { None, Checkpoint, Trace, Trashed };

    RunFile() = default;  ///< names nothing
    /// One that this program makes; no RunFile is a breach of contract. What was read is parsed.
    RunFile(const char* own) : RunFile(std::string(own)) {}  // NOLINT: implicit, for names in the source
    explicit RunFile(const std::string& own);
    /// `only`: where another kind is as wrong as none. Errors: run.path.
    static Result<RunFile> parse(std::string_view text, Kind only = Kind::None);
    /// The name of a file that lies in `runFolder`. Errors: run.path.
    static Result<RunFile> below(const std::filesystem::path& runFolder, const std::filesystem::path& file);

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool empty() const { return kind_ == Kind::None; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::string name() const;  ///< its last part
    /// Of a trace in the trash where it was before, of others the same.
    [[nodiscard]] RunFile outOfTrash() const;
    [[nodiscard]] RunFile inTrash(const std::string& batch) const;

    /// Where it lies, for reading and writing. Errors: io.link (it or a folder on the way is a link),
    /// run.path (a trace is no file, a checkpoint no folder). It need not be there.
    [[nodiscard]] Result<std::filesystem::path> in(const std::filesystem::path& runFolder) const;
    /// It is there, and in() has no error.
    [[nodiscard]] bool isIn(const std::filesystem::path& runFolder) const;
    /// Deletes it with all that is in it, following no link. Errors: io.link, io.write.
    Status removeFrom(const std::filesystem::path& runFolder) const;

    bool operator==(const RunFile&) const = default;
    auto operator<=>(const RunFile&) const = default;

private:
    std::string text_;
    Kind kind_ = Kind::None;
};

/// What the run's record names that is no RunFile: run.path, with the column in `field`. Errors: store.*.
Result<std::vector<Error>> pathProblems(const std::filesystem::path& runFolder);

}  // namespace kurve::store
