#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/interop/scalar_log.h"

namespace kurve::interop::detail {

/// What a column or member is for, whatever its spelling ("_step", "Wall time", "tag").
enum class Role : std::uint8_t { Metric, Step, Wall, Run, Tag, Value, None };
[[nodiscard]] Role roleOf(std::string_view name);

/// "0.5", "nan", "-inf", "Infinity"; nothing if the text is not a number.
[[nodiscard]] std::optional<double> numberOf(std::string_view text);
/// Seconds since 1970: a number, or "2026-11-21T15:30:00.5Z" (UTC without a zone).
[[nodiscard]] std::optional<double> timeOf(std::string_view text);
/// Nothing beyond the year 5138: milliseconds, or nanoseconds.
[[nodiscard]] std::optional<double> timeOf(double seconds);
/// A whole number that an int64 holds exactly.
[[nodiscard]] std::optional<std::int64_t> stepOf(double number);

/// The text of a file without its byte order mark. Errors: import.encoding (UTF-16, lines that end with CR
/// alone).
Result<std::string_view> plainText(std::string_view bytes, const std::filesystem::path& source);

/// The beginning of a cell or name as a message shows it: invisible bytes as \x00.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t most = 40);

/// Curves made of rows of text files. A column without numbers is left out; one with numbers in some lines
/// only has bad lines.
class RowLog {
public:
    RowLog(std::filesystem::path source, ReadOptions options)
        : source_(std::move(source)), options_(options) {}

    struct Row {
        std::string run;
        std::optional<std::int64_t> step;
        double wall = 0;
        int line = 0;
    };
    void add(const Row& row, const std::string& metric, double value) {
        logs_[row.run].add(metric, *row.step, row.wall, value);
        numeric_.insert(metric);
    }
    /// A text where a number should be.
    void addText(const Row& row, const std::string& metric, std::string_view text);
    /// A line that cannot be read: an error, or a note if bad lines are skipped.
    Status badLine(int line, const std::string& field, const std::string& problem);
    void note(std::string text) { notes_.push_back(std::move(text)); }

    /// Errors: import.line, import.empty.
    Result<std::vector<ScalarLog>> finish(const std::string& hash) &&;

private:
    struct BadText {
        int line = 0;
        std::string text;
        std::int64_t count = 0;
    };
    Status checkTexts();
    [[nodiscard]] Error nothingRead() const;

    std::filesystem::path source_;
    ReadOptions options_;
    std::map<std::string, ScalarLog> logs_;  ///< by run
    std::set<std::string> numeric_;
    std::map<std::string, BadText> texts_;  ///< the first of each metric
    std::vector<std::string> notes_;
    int skipped_ = 0;
};

}  // namespace kurve::interop::detail
