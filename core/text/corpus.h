#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::text {

struct Pair {
    std::string source, target;
    bool operator==(const Pair&) const = default;
};

/// Counts of everything that was not taken as it stood; nothing is dropped silently.
struct CorpusReport {
    std::int64_t lines = 0;             ///< data lines read
    std::int64_t notices = 0;           ///< lines "# …" at the head of a TSV (source, licence); never data
    std::int64_t pairs = 0;             ///< pairs kept
    std::int64_t emptySides = 0;        ///< left out: a side is empty
    std::int64_t tooLong = 0;           ///< left out: a line above the byte limit
    std::int64_t crlf = 0, bom = 0;     ///< corrected
    std::vector<std::string> examples;  ///< up to 5 "file:line: reason"
};
struct Corpus {
    std::vector<Pair> pairs;
    CorpusReport report;
    std::string sha256;                     ///< of the files' bytes
    std::vector<std::string> notices = {};  ///< the lines "# …" at the head of a TSV, whole
};

struct CorpusOptions {
    int sourceColumn = 1, targetColumn = 2;  ///< 1-based columns of a TSV
    std::size_t maxLineBytes = 64 * 1024;
};

/// A TSV. Errors: data.missing, data.is_folder, data.empty, data.missing_column (file and line), data.utf8
/// (file, line, byte), data.nul.
Result<Corpus> readTsv(const std::filesystem::path& file, const CorpusOptions& options);
/// Two files with equally many lines. Errors as above, and data.line_counts.
Result<Corpus> readParallel(const std::filesystem::path& source, const std::filesystem::path& target,
                            const CorpusOptions& options);

/// Texts without a source: the lines, or the target column of a file "*.tsv"; Pair::source stays empty.
/// Errors as readTsv().
Result<Corpus> readText(const std::filesystem::path& file, const CorpusOptions& options);

}  // namespace kurve::text
