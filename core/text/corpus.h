#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/sentences.h"

namespace kurve::text {

struct Pair {
    std::string source, target;
    bool operator==(const Pair&) const = default;
};

/// Counts of everything that was not taken as it stood; nothing is dropped silently.
struct CorpusReport {
    std::int64_t lines = 0;             ///< data lines read
    std::int64_t notices = 0;           ///< lines "# …" without a tab at the head of a TSV; never data
    std::int64_t pairs = 0;             ///< pairs, texts or documents kept
    std::int64_t sentences = 0;         ///< of the documents
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
    std::size_t maxLineBytes = std::size_t{64} * 1024;
    bool running = false;  ///< documents: cut their text into sentences; else every line is one
    std::size_t sentenceCap = kSentenceCap;  ///< documents: characters of a sentence
    bool joined = false;  ///< documents: each is one text, its lines with a space between them
};

/// What one example of a corpus is.
enum class CorpusKind : unsigned char {
    Pairs,  ///< a line of a TSV, a line {"src": …, "trg": …} of a file "*.jsonl", or line n of two files
    Text,   ///< a line, or the target of a file "*.tsv" or "*.jsonl"; Pair::source stays empty
    /// Lines up to an empty one: Pair::target is the document's sentences, a line break between them.
    Documents,
};

/// As data.kind has it: "pairs", "text", "documents".
[[nodiscard]] const char* corpusKindName(CorpusKind kind);
[[nodiscard]] std::optional<CorpusKind> corpusKindOf(std::string_view name);

/// The files of a corpus and how they are read.
struct CorpusSource {
    std::filesystem::path source, target = {};  ///< target empty: one file has all
    CorpusKind kind = CorpusKind::Pairs;
    CorpusOptions options = {};
};

/// The whole corpus. Errors: those of CorpusReader.
Result<Corpus> readCorpus(const CorpusSource& files);
Result<Corpus> readTsv(const std::filesystem::path& file, const CorpusOptions& options);
Result<Corpus> readParallel(const std::filesystem::path& source, const std::filesystem::path& target,
                            const CorpusOptions& options);
Result<Corpus> readText(const std::filesystem::path& file, const CorpusOptions& options);

}  // namespace kurve::text
