#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/corpus.h"
#include "core/text/detail/line_reader.h"

namespace kurve::text {

/// The examples of a corpus one after the other; never more than one is in memory.
class CorpusReader {
public:
    /// Where an example begins in each file.
    using Position = std::array<std::uint64_t, 2>;

    /// Errors: data.missing, data.is_folder, io.open.
    static Result<CorpusReader> open(const CorpusSource& files);

    /// False at the end. What is left out is counted in report(). Errors: data.empty (no example in all of
    /// it), data.missing_column and data.json (file and line), data.utf8 (file, line, byte), data.nul,
    /// data.line_counts (two files of unequal lengths), io.read.
    Result<bool> next(Pair& example);
    [[nodiscard]] Position position() const;  ///< of the example that next() gave
    Status seek(Position position);           ///< next() gives the example that begins there
    [[nodiscard]] double fraction() const;    ///< of the bytes that were read
    [[nodiscard]] const CorpusReport& report() const { return report_; }
    [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
    /// Corpus::sha256; at the end only, and without a seek().
    [[nodiscard]] std::string sha256();

private:
    CorpusReader(CorpusSource files, detail::LineReader source)
        : files_(std::move(files)), source_(std::move(source)) {}
    Result<bool> nextLine(Pair& example);
    Result<bool> nextOfBoth(Pair& example);
    Result<bool> nextDocument(Pair& example);
    bool keepsDocument(const std::vector<std::string>& lines, Pair& example);
    Result<bool> split(Pair& example);
    Result<std::string_view> column(const std::vector<std::string_view>& columns, int number) const;
    bool keeps(std::string_view source, std::string_view target, Pair& example);
    bool isTooLong(const detail::LineReader& lines);
    void note(const detail::LineReader& lines, std::int64_t& counter, const std::string& reason);
    [[nodiscard]] bool isTable() const;
    [[nodiscard]] bool isJsonLines() const;
    [[nodiscard]] Error emptyError() const;

    CorpusSource files_;
    detail::LineReader source_;
    std::optional<detail::LineReader> target_;
    CorpusReport report_;
    std::vector<std::string> notices_;
    std::uint64_t documentAt_ = 0;  ///< where the document begins
    bool head_ = true;              ///< lines "# …" are notices
};

}  // namespace kurve::text
