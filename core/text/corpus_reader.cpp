#include "core/text/corpus_reader.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/text/detail/json_line.h"

namespace kurve::text {
namespace {

constexpr std::size_t kMaxExamples = 5;
constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;

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

Result<CorpusReader> CorpusReader::open(const CorpusSource& files) {
    KURVE_TRY(detail::LineReader source, detail::LineReader::open(files.source, files.options.maxLineBytes));
    CorpusReader reader(files, std::move(source));
    if (files.target.empty()) return reader;
    KURVE_TRY(detail::LineReader target, detail::LineReader::open(files.target, files.options.maxLineBytes));
    reader.target_.emplace(std::move(target));
    return reader;
}

bool CorpusReader::isTable() const {
    return !isJsonLines() && (files_.kind == CorpusKind::Pairs ||
                              (files_.kind == CorpusKind::Text && files_.source.extension() == ".tsv"));
}

bool CorpusReader::isJsonLines() const {
    return files_.kind != CorpusKind::Documents && files_.source.extension() == ".jsonl";
}

CorpusReader::Position CorpusReader::position() const {
    if (files_.kind == CorpusKind::Documents) return {documentAt_, 0};
    return {source_.position(), target_ ? target_->position() : 0};
}

Status CorpusReader::seek(Position position) {
    head_ = false;
    KURVE_CHECKED(source_.seek(position[0]));
    return target_ ? target_->seek(position[1]) : Status();
}

double CorpusReader::fraction() const {
    return static_cast<double>(source_.position()) / static_cast<double>(source_.fileBytes() + 1);
}

std::string CorpusReader::sha256() {
    const std::string source = source_.sha256();
    return target_ ? kurve::sha256(source + target_->sha256()) : source;
}

Result<bool> CorpusReader::next(Pair& example) {
    KURVE_TRY(const bool found, target_                                ? nextOfBoth(example)
                                : files_.kind == CorpusKind::Documents ? nextDocument(example)
                                                                       : nextLine(example));
    if (found) ++report_.pairs;
    if (report_.pairs == 0) return emptyError();
    return found;
}

Error CorpusReader::emptyError() const {
    struct Wanted {
        const char *name, *remedy;
    };
    const Wanted wanted = files_.kind == CorpusKind::Pairs
                              ? Wanted{"pair", "every line needs a source and a target"}
                          : files_.kind == CorpusKind::Text
                              ? Wanted{"text", "write one text per line"}
                              : Wanted{"document", "write its sentences, and an empty line behind it"};
    return requestError("data.empty",
                        fmt::format("has no usable {} among {}", wanted.name, counted(report_.lines, "line")))
        .in(source_.file())
        .fix(wanted.remedy);
}

Result<bool> CorpusReader::nextLine(Pair& example) {
    for (;;) {
        KURVE_TRY(const bool more, source_.next(report_));
        if (!more) return false;
        if (isTable() && head_ && source_.line().starts_with("# ") &&
            source_.line().find('\t') == std::string_view::npos) {  // else "# …" is a source
            ++report_.notices;
            notices_.emplace_back(source_.line());
            continue;
        }
        head_ = false;
        ++report_.lines;
        if (isTooLong(source_)) continue;
        KURVE_CHECKED(source_.check());
        if (trim(source_.line()).empty()) {
            note(source_, report_.emptySides, "empty line");
            continue;
        }
        KURVE_TRY(const bool kept, split(example));
        if (kept) return true;
    }
}

Result<bool> CorpusReader::split(Pair& example) {
    if (isJsonLines()) {
        auto pair = detail::readJsonLine(source_.line(), files_.kind == CorpusKind::Pairs);
        if (!pair) return std::move(pair.error()).in(source_.file(), source_.number());
        return keeps(pair->source, pair->target, example);
    }
    if (!isTable()) return keeps("", source_.line(), example);
    const auto columns = splitTabs(source_.line());
    std::string_view source;
    if (files_.kind == CorpusKind::Pairs) {
        KURVE_TRY(source, column(columns, files_.options.sourceColumn));
    }
    KURVE_TRY(const std::string_view target, column(columns, files_.options.targetColumn));
    return keeps(source, target, example);
}

Result<std::string_view> CorpusReader::column(const std::vector<std::string_view>& columns,
                                              int number) const {
    if (number <= static_cast<int>(columns.size())) return columns[static_cast<std::size_t>(number - 1)];
    return requestError("data.missing_column", "the line has " + counted(columns.size(), "column"))
        .in(source_.file(), source_.number())
        .at(fmt::format("column {}", number))
        .fix("separate the columns by one tab");
}

bool CorpusReader::keeps(std::string_view source, std::string_view target, Pair& example) {
    const bool text = files_.kind == CorpusKind::Text;
    const bool noSource = !text && trim(source).empty();
    if (noSource || trim(target).empty()) {
        note(source_, report_.emptySides, text ? "no text" : noSource ? "no source" : "no target");
        return false;
    }
    example = {std::string(trim(source)), std::string(trim(target))};
    return true;
}

bool CorpusReader::isTooLong(const detail::LineReader& lines) {
    if (lines.lineBytes() <= files_.options.maxLineBytes) return false;
    note(lines, report_.tooLong,
         fmt::format("{} bytes, more than {}", lines.lineBytes(), files_.options.maxLineBytes));
    return true;
}

void CorpusReader::note(const detail::LineReader& lines, std::int64_t& counter, const std::string& reason) {
    ++counter;
    if (report_.examples.size() < kMaxExamples)
        report_.examples.push_back(fmt::format("{}:{}: {}", lines.file(), lines.number(), reason));
}

Result<bool> CorpusReader::nextDocument(Pair& example) {
    for (bool more = true; more;) {
        std::vector<std::string> lines;
        std::size_t bytes = 0;
        bool whole = true;  // no line was left out
        while (true) {
            KURVE_TRY(more, source_.next(report_));
            if (!more) break;
            ++report_.lines;
            if (source_.lineBytes() <= files_.options.maxLineBytes) KURVE_CHECKED(source_.check());
            if (source_.lineBytes() == 0 || trim(source_.line()).empty()) {
                if (lines.empty()) continue;
                break;
            }
            if (lines.empty()) documentAt_ = source_.position();
            bytes += source_.lineBytes();
            if (whole && bytes > kMaxDocumentBytes) {
                note(source_, report_.tooLong,
                     fmt::format("a document of more than {} bytes", kMaxDocumentBytes));
                whole = false;
            } else if (whole && isTooLong(source_)) {
                whole = false;
            }
            lines.emplace_back(whole ? trim(source_.line()) : ".");
        }
        if (whole && !lines.empty() && keepsDocument(lines, example)) return true;
    }
    return false;
}

bool CorpusReader::keepsDocument(const std::vector<std::string>& lines, Pair& example) {
    const CorpusOptions& options = files_.options;
    std::vector<std::string> sentences;
    if (options.joined) {
        example = {"", join(lines, " ")};
        return true;
    }
    if (options.running) {
        sentences = sentencesOf(join(lines, " "), options.sentenceCap);
    } else {
        for (const std::string& line : lines)
            for (std::string& sentence : capped(line, options.sentenceCap))
                sentences.push_back(std::move(sentence));
    }
    if (sentences.empty()) {
        note(source_, report_.emptySides, "a document without a letter");
        return false;
    }
    report_.sentences += static_cast<std::int64_t>(sentences.size());
    example = {"", join(sentences, "\n")};
    return true;
}

Result<bool> CorpusReader::nextOfBoth(Pair& example) {
    for (;;) {
        KURVE_TRY(const bool haveSource, source_.next(report_));
        KURVE_TRY(const bool haveTarget, target_->next(report_));
        if (haveSource != haveTarget)
            return requestError("data.line_counts",
                                fmt::format("ends after line {}, but {} goes on", report_.lines,
                                            (haveSource ? source_ : *target_).file()))
                .in((haveSource ? *target_ : source_).file(), static_cast<int>(report_.lines))
                .fix("line n of one file must translate line n of the other");
        if (!haveSource) return false;
        ++report_.lines;
        if (isTooLong(source_) || isTooLong(*target_)) continue;
        KURVE_CHECKED(source_.check());
        KURVE_CHECKED(target_->check());
        if (keeps(source_.line(), target_->line(), example)) return true;
    }
}

}  // namespace kurve::text
