#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/run_reader.h"

namespace kurve::interop {

/// The curves of one run as another program logged them.
struct ScalarLog {
    /// What was logged from one start of that program to the next. Points of earlier attempts at steps >=
    /// startStep were logged again.
    struct Attempt {
        std::int64_t startStep = 0;
        std::map<std::string, store::Series> curves;
    };
    std::string name;  ///< a sub-folder or the text of a column `run`; may be empty
    std::vector<Attempt> attempts;
    std::map<std::string, std::string> files;  ///< name within the source to SHA-256
    std::vector<std::string> notes;            ///< what was left out and why, for people

    /// Adds a point to the newest attempt.
    void add(const std::string& metric, std::int64_t step, double wall, double value);
    /// Puts each attempt's curves into step order; points of one step keep theirs.
    void sort();
    [[nodiscard]] std::int64_t points() const;
    [[nodiscard]] std::int64_t lastStep() const;                ///< largest step; 0 without points
    [[nodiscard]] std::pair<double, double> wallRange() const;  ///< of times > 0; {0, 0} if there are none
    [[nodiscard]] std::vector<std::string> metrics() const;     ///< sorted
    /// Any point at or behind that step; of one metric or of all.
    [[nodiscard]] bool hasPointFrom(std::int64_t firstStep, const std::string& ofMetric = {}) const;
};

struct ReadOptions {
    /// Lines and records that cannot be read are left out with a note that names them; else the first one is
    /// the error.
    bool skipBad = false;
};

/// A form in which other programs write curves.
struct LogFormat {
    const char* id;
    const char* doc;
    bool (*recognises)(const std::filesystem::path& source);  ///< by its name alone
    Result<std::vector<ScalarLog>> (*read)(const std::filesystem::path& source, const ReadOptions& options);
};
/// tfevents csv jsonl.
[[nodiscard]] const std::vector<LogFormat>& logFormats();
/// By id, or with an empty id by the source's name. Errors: import.format (the known ones are listed).
Result<const LogFormat*> findLogFormat(const std::string& id, const std::filesystem::path& source);

/// TensorBoard event files: a file is a run, a folder one run for each folder below it that holds such files
/// (they are read in the order of their names). Scalars are Value.simple_value and tensors of the plug-in
/// "scalars"; the rest is counted in a note. A record that is cut off ends its file with a note that names
/// the offset. Errors: import.crc (record and offset), import.record, import.empty, io.*.
Result<std::vector<ScalarLog>> readEventFiles(const std::filesystem::path& source,
                                              const ReadOptions& options);

/// Comma, semicolon or tab separated, with a header. Wide: a column `step` and one column a metric; long:
/// columns metric (or tag, name), step, value. Both may have wall (or wall_time, timestamp: seconds since
/// 1970, or ISO 8601) and run. Case, a leading _ and spaces in those names do not matter. Empty cells are no
/// points; nan and inf are. Errors: import.header, import.line (line and column), import.empty, io.*.
Result<std::vector<ScalarLog>> readCsvLog(const std::filesystem::path& source, const ReadOptions& options);

/// One JSON object a line: "step" and, for each metric, a number (also NaN, Infinity as Python writes them,
/// or as texts). Objects within are joined by '/'. wall and run as above. Errors: as above.
Result<std::vector<ScalarLog>> readJsonLog(const std::filesystem::path& source, const ReadOptions& options);

}  // namespace kurve::interop
