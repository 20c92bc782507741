#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/text/corpus.h"

namespace kurve::text::detail {

/// The lines of a text file one after the other, read in blocks; memory is that of one line, and of no line
/// more than the limit.
class LineReader {
public:
    /// Errors: data.missing, data.is_folder, io.open.
    static Result<LineReader> open(const std::filesystem::path& file, std::size_t maxLineBytes);

    /// False at the end. A byte-order mark and a CR at the end are taken off and counted.
    Result<bool> next(CorpusReport& report);
    [[nodiscard]] std::string_view line() const { return line_; }
    /// Its bytes; of a line above the limit line() has only the first.
    [[nodiscard]] std::uint64_t lineBytes() const { return lineBytes_; }
    [[nodiscard]] std::uint64_t position() const { return position_; }  ///< where line() begins in the file
    [[nodiscard]] std::uint64_t fileBytes() const { return input_.bytes(); }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] int number() const { return number_; }  ///< of line(), from 1

    /// NUL bytes and broken UTF-8 in line() end the reading: such a file is not text. Errors: data.nul,
    /// data.utf8.
    [[nodiscard]] Status check() const;
    /// next() is the line that begins there.
    Status seek(std::uint64_t position);
    /// Of the whole file; at its end only, and without a seek().
    [[nodiscard]] std::string sha256() { return hash_.hex(); }

private:
    LineReader(InputFile input, const std::filesystem::path& file, std::size_t maxLineBytes)
        : input_(std::move(input)), file_(file.string()), maxLineBytes_(maxLineBytes) {}
    Result<bool> fill();
    void append(std::string_view bytes);
    void takeOffMarks(CorpusReport& report);

    InputFile input_;
    std::string file_;
    std::size_t maxLineBytes_;
    std::string block_, line_;
    std::size_t at_ = 0;
    std::uint64_t blockEnd_ = 0;  ///< where block_ ends in the file
    std::uint64_t position_ = 0, lineBytes_ = 0;
    char last_ = '\0';  ///< of the line
    int number_ = 0;
    bool sought_ = false;
    Sha256 hash_;
};

}  // namespace kurve::text::detail
