#include "core/text/corpus.h"

#include <array>

#include "core/text/corpus_reader.h"

namespace kurve::text {

namespace {

constexpr std::array kNames = {"pairs", "text", "documents"};

}  // namespace

const char* corpusKindName(CorpusKind kind) {
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<CorpusKind> corpusKindOf(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == kNames[i]) return static_cast<CorpusKind>(i);
    return std::nullopt;
}

Result<Corpus> readCorpus(const CorpusSource& files) {
    KURVE_TRY(CorpusReader reader, CorpusReader::open(files));
    Corpus corpus;
    for (Pair example;;) {
        KURVE_TRY(const bool more, reader.next(example));
        if (!more) break;
        corpus.pairs.push_back(std::move(example));
    }
    corpus.report = reader.report();
    corpus.notices = reader.notices();
    corpus.sha256 = reader.sha256();
    return corpus;
}

Result<Corpus> readTsv(const std::filesystem::path& file, const CorpusOptions& options) {
    return readCorpus({file, {}, CorpusKind::Pairs, options});
}

Result<Corpus> readParallel(const std::filesystem::path& source, const std::filesystem::path& target,
                            const CorpusOptions& options) {
    return readCorpus({source, target, CorpusKind::Pairs, options});
}

Result<Corpus> readText(const std::filesystem::path& file, const CorpusOptions& options) {
    return readCorpus({file, {}, CorpusKind::Text, options});
}

}  // namespace kurve::text
