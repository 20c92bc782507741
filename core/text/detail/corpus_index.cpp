#include "core/text/detail/corpus_index.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/check.h"
#include "core/base/hash.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<fs::path> filesOf(const CorpusSource& files) {
    if (files.target.empty()) return {files.source};
    return {files.source, files.target};
}

/// Changes whenever somebody writes the file.
std::string stampOf(const fs::path& file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) return "";
    return fmt::format("{} {}.{}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

Error changed(const CorpusSource& files) {
    return requestError("data.changed", "was changed after it was prepared")
        .in(files.source.string())
        .fix("restore the file, or start again: the data is then prepared anew");
}

json toJson(const CorpusReport& report) {
    return {report.lines,   report.notices, report.pairs, report.emptySides,
            report.tooLong, report.crlf,    report.bom,   report.sentences};
}

CorpusReport reportFrom(const json& counts) {
    CorpusReport report;
    auto at = counts.begin();
    for (auto* count : {&report.lines, &report.notices, &report.pairs, &report.emptySides, &report.tooLong,
                        &report.crlf, &report.bom, &report.sentences})
        at++->get_to(*count);
    return report;
}

Status index(const CorpusSource& files, const std::string& sha256, CacheWriter& out) {
    KURVE_TRY(CorpusReader reader, CorpusReader::open(files));
    ArrayWriter &positions = out.array("positions.u64"), &keys = out.array("keys.u64");
    for (Pair example;;) {
        KURVE_TRY(const bool more, reader.next(example));
        if (!more) break;
        positions.add(reader.position());
        keys.add(keysOf(example));
    }
    if (reader.sha256() != sha256) return changed(files);
    out.facts = {{"report", toJson(reader.report())}, {"notices", reader.notices()}};
    return {};
}

}  // namespace

Result<std::string> corpusHash(const CorpusSource& files, FileHashes* maybeEach) {
    std::string both;
    for (const fs::path& file : filesOf(files)) {
        KURVE_CHECKED(LineReader::open(file, 0).map([](auto) {}));  // its errors
        KURVE_TRY(const std::string one, sha256File(file));
        if (maybeEach != nullptr) (*maybeEach)[file] = one;
        both += one;
    }
    return files.target.empty() ? both : kurve::sha256(both);
}

Result<std::shared_ptr<const CorpusIndex>> CorpusIndex::open(const CorpusSource& files,
                                                             const CacheFolder::Place& cache,
                                                             std::vector<std::string>& log) {
    auto out = std::make_shared<CorpusIndex>();
    out->files_ = files;
    for (const fs::path& file : filesOf(files)) out->stamps_.push_back(stampOf(file));
    KURVE_TRY(out->sha256_, corpusHash(files, &out->hashes_));
    const std::string key = fmt::format(
        "lines 3\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", out->sha256_, static_cast<int>(files.kind),
        files.source.extension().string(), files.options.sourceColumn, files.options.targetColumn,
        files.options.maxLineBytes, files.options.running, files.options.sentenceCap, files.options.joined);
    const auto make = [&](CacheWriter& writer) { return index(files, out->sha256_, writer); };
    KURVE_TRY(out->folder_,
              CacheFolder::openOrMake(cache, kurve::sha256(key).substr(0, 16) + ".lines", key, make, log));
    out->positions_ = out->folder_->array<CorpusReader::Position>("positions.u64");
    out->keys_ = out->folder_->array<PairKeys>("keys.u64");
    out->report_ = reportFrom(out->folder_->facts().at("report"));
    out->folder_->facts().at("notices").get_to(out->notices_);
    std::error_code ignored;
    for (const fs::path& file : filesOf(files)) out->bytes_ += fs::file_size(file, ignored);
    return out;
}

Status CorpusIndex::checkUnchanged() const {
    const std::vector<fs::path> paths = filesOf(files_);
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (stampOf(paths[i]) != stamps_[i]) return changed(files_);
    return {};
}

Result<std::vector<Pair>> CorpusIndex::read(std::span<const std::uint32_t> examples) const {
    KURVE_CHECKED(checkUnchanged());
    KURVE_TRY(CorpusReader reader, CorpusReader::open(files_));
    std::vector<Pair> texts(examples.size());
    for (std::size_t i = 0; i < examples.size(); ++i) {
        KURVE_CHECK(examples[i] < size(), "example {} of {}", examples[i], size());
        KURVE_CHECKED(reader.seek(positions_[examples[i]]));
        KURVE_TRY(const bool found, reader.next(texts[i]));
        if (!found) return changed(files_);
    }
    return texts;
}

Result<Leak> CorpusIndex::leakInto(const CorpusIndex& other) const {
    constexpr std::size_t kExamples = 5;
    const SentenceSet known(keys_);
    Leak leak;
    std::vector<std::uint32_t> shown;
    for (std::size_t i = 0; i < other.size(); ++i) {
        if (!known.shares(other.keys_[i])) continue;
        ++leak.pairs;
        if (shown.size() < kExamples) shown.push_back(static_cast<std::uint32_t>(i));
    }
    KURVE_TRY(const std::vector<Pair> texts, other.read(shown));
    for (const Pair& pair : texts) leak.examples.push_back(pair.source.empty() ? pair.target : pair.source);
    return leak;
}

}  // namespace kurve::text::detail
