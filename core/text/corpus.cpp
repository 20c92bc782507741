#include "core/text/corpus.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace kurve::text {
namespace {

constexpr std::size_t kMaxExamples = 5;

/// Lines of one file without BOM and CR; both are counted.
class Lines {
public:
    static Result<Lines> read(const std::filesystem::path& file) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored))
            return requestError("data.missing", "there is no such file")
                .in(file.string())
                .fix("check the path; it counts from the project folder");
        if (std::filesystem::is_directory(file, ignored))
            return requestError("data.is_folder", "is a folder, not a file")
                .in(file.string())
                .fix("name a file in it");
        auto bytes = readFile(file, kCorpusBytes);
        if (!bytes) return bytes.error();
        Lines lines(file.string(), std::move(*bytes));
        return lines;
    }

    /// Without its end; CR and BOM are taken off and counted. False at the end.
    bool next(std::string_view& line, CorpusReport& report) {
        if (at_ >= bytes_.size()) return false;
        if (number_++ == 0 && bytes_.compare(0, 3, "\xEF\xBB\xBF") == 0) {
            at_ = 3;
            ++report.bom;
        }
        const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
        line = std::string_view(bytes_).substr(at_, end - at_);
        at_ = end + 1;
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
            ++report.crlf;
        }
        return true;
    }

    /// NUL bytes and broken UTF-8 end the reading: such a file is not text.
    [[nodiscard]] Status check(std::string_view line) const {
        if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos)
            return requestError("data.nul", fmt::format("byte {} is NUL, which no text has", nul + 1))
                .in(file_, number_)
                .fix("save the file as UTF-8 text");
        if (const auto bad = firstInvalidUtf8(line))
            return requestError("data.utf8", fmt::format("byte {} is not UTF-8", *bad + 1))
                .in(file_, number_)
                .fix("convert the file, for example with iconv -f latin1 -t utf-8");
        return {};
    }

    void note(CorpusReport& report, std::int64_t& counter, const std::string& reason) const {
        ++counter;
        if (report.examples.size() < kMaxExamples)
            report.examples.push_back(fmt::format("{}:{}: {}", file_, number_, reason));
    }

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] int number() const { return number_; }

private:
    Lines(std::string file, std::string bytes) : file_(std::move(file)), bytes_(std::move(bytes)) {}
    std::string file_, bytes_;
    std::size_t at_ = 0;
    int number_ = 0;
};

bool tooLong(const Lines& lines, std::string_view line, const CorpusOptions& options, CorpusReport& report) {
    if (line.size() <= options.maxLineBytes) return false;
    lines.note(report, report.tooLong,
               fmt::format("{} bytes, more than {}", line.size(), options.maxLineBytes));
    return true;
}

void keep(const Lines& lines, std::string_view source, std::string_view target, Corpus& corpus) {
    if (trim(source).empty() || trim(target).empty()) {
        lines.note(corpus.report, corpus.report.emptySides, trim(source).empty() ? "no source" : "no target");
        return;
    }
    corpus.pairs.push_back({std::string(trim(source)), std::string(trim(target))});
}

Result<Corpus> finish(Corpus corpus, const std::string& file, bool pairs) {
    corpus.report.pairs = static_cast<std::int64_t>(corpus.pairs.size());
    if (corpus.pairs.empty())
        return requestError("data.empty", fmt::format("has no usable {} among {} lines",
                                                      pairs ? "pair" : "text", corpus.report.lines))
            .in(file)
            .fix(pairs ? "every line needs a source and a target" : "write one text per line");
    return corpus;
}

Result<std::string_view> column(const Lines& lines, const std::vector<std::string_view>& columns,
                                int number) {
    if (number <= static_cast<int>(columns.size())) return columns[static_cast<std::size_t>(number - 1)];
    return requestError("data.missing_column", fmt::format("the line has {} column{}", columns.size(),
                                                           columns.size() == 1 ? "" : "s"))
        .in(lines.file(), lines.number())
        .at(fmt::format("column {}", number))
        .fix("separate the columns by one tab");
}

std::vector<std::string_view> splitTabs(std::string_view line) {
    std::vector<std::string_view> columns;
    for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
        columns.push_back(line.substr(0, tab));
        line.remove_prefix(tab + 1);
    }
    columns.push_back(line);
    return columns;
}

}  // namespace

namespace {

struct LineKind {
    bool notices = true;  ///< "# …" lines may come first
    bool pairs = true;
};

/// Reads the lines of data; `add` takes one into the corpus.
template <class Add>
Result<Corpus> readLines(const std::filesystem::path& file, const CorpusOptions& options, LineKind kind,
                         const Add& add) {
    KURVE_TRY(Lines lines, Lines::read(file));
    Corpus corpus;
    corpus.sha256 = sha256(lines.bytes());
    std::string_view line;
    while (lines.next(line, corpus.report)) {
        if (kind.notices && corpus.report.lines == 0 && line.starts_with("# ")) {
            ++corpus.report.notices;
            corpus.notices.emplace_back(line);
            continue;
        }
        ++corpus.report.lines;
        if (tooLong(lines, line, options, corpus.report)) continue;
        KURVE_CHECKED(lines.check(line));
        if (trim(line).empty()) {
            lines.note(corpus.report, corpus.report.emptySides, "empty line");
            continue;
        }
        KURVE_CHECKED(add(lines, line, corpus));
    }
    return finish(std::move(corpus), file.string(), kind.pairs);
}

}  // namespace

Result<Corpus> readTsv(const std::filesystem::path& file, const CorpusOptions& options) {
    return readLines(
        file, options, {}, [&](const Lines& lines, std::string_view line, Corpus& corpus) -> Status {
            const auto columns = splitTabs(line);
            KURVE_TRY(const std::string_view source, column(lines, columns, options.sourceColumn));
            KURVE_TRY(const std::string_view target, column(lines, columns, options.targetColumn));
            keep(lines, source, target, corpus);
            return {};
        });
}

Result<Corpus> readText(const std::filesystem::path& file, const CorpusOptions& options) {
    const bool table = file.extension() == ".tsv";
    return readLines(file, options, {table, false},
                     [&](const Lines& lines, std::string_view line, Corpus& corpus) -> Status {
                         if (table) {
                             KURVE_TRY(line, column(lines, splitTabs(line), options.targetColumn));
                         }
                         if (trim(line).empty())
                             lines.note(corpus.report, corpus.report.emptySides, "no text");
                         else
                             corpus.pairs.push_back({"", std::string(trim(line))});
                         return {};
                     });
}

Result<Corpus> readParallel(const std::filesystem::path& source, const std::filesystem::path& target,
                            const CorpusOptions& options) {
    KURVE_TRY(Lines sources, Lines::read(source));
    KURVE_TRY(Lines targets, Lines::read(target));
    Corpus corpus;
    corpus.sha256 = sha256(sha256(sources.bytes()) + sha256(targets.bytes()));
    std::string_view left, right;
    for (;;) {
        const bool haveLeft = sources.next(left, corpus.report),
                   haveRight = targets.next(right, corpus.report);
        if (haveLeft != haveRight)
            return requestError("data.line_counts",
                                fmt::format("ends after line {}, but {} goes on", corpus.report.lines,
                                            (haveLeft ? source : target).string()))
                .in((haveLeft ? target : source).string(), static_cast<int>(corpus.report.lines))
                .fix("line n of one file must translate line n of the other");
        if (!haveLeft) break;
        ++corpus.report.lines;
        if (tooLong(sources, left, options, corpus.report) || tooLong(targets, right, options, corpus.report))
            continue;
        KURVE_CHECKED(sources.check(left));
        KURVE_CHECKED(targets.check(right));
        keep(sources, left, right, corpus);
    }
    return finish(std::move(corpus), source.string(), true);
}

}  // namespace kurve::text
