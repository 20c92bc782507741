#include "app/engine/corpus_statistics.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/text/statistics.h"

namespace kurve::engine {

using nlohmann::json;

Lengths lengthsBy(std::shared_ptr<const text::Tokenizer> maybeTokenizer) {
    if (maybeTokenizer == nullptr)
        return [](const std::string& side, std::int64_t&) {
            return static_cast<std::int64_t>(splitWords(side).size());
        };
    return [tokenizer = std::move(maybeTokenizer)](const std::string& side, std::int64_t& unknown) {
        const auto ids = tokenizer->encode(side);
        unknown += std::count(ids.begin(), ids.end(), tokenizer->special().unk);
        return static_cast<std::int64_t>(ids.size());
    };
}

CorpusStatistics corpusStatistics(const text::Corpus& corpus, const Lengths& lengthOf,
                                  std::int64_t maxLength) {
    CorpusStatistics out;
    out.report = corpus.report;
    out.duplicates = text::duplicatePairs(corpus);
    for (const text::Pair& pair : corpus.pairs) {
        const std::int64_t source = lengthOf(pair.source, out.unknown);
        if (!pair.source.empty()) out.sources.push_back(source);
        std::int64_t longest = source;
        out.tokens += source;
        for (const std::string& sentence : split(pair.target, '\n')) {  // more than one in documents only
            out.targets.push_back(lengthOf(sentence, out.unknown));
            out.tokens += out.targets.back();
            longest = std::max(longest, out.targets.back());
        }
        // <s> and </s> count in data.max_length.
        out.truncated += maxLength > 0 && longest + 2 > maxLength;
    }
    out.sides = out.sources;
    out.sides.insert(out.sides.end(), out.targets.begin(), out.targets.end());
    return out;
}

namespace {

json lengthsJson(const text::LengthSummary& lengths) {
    return {{"min", lengths.min}, {"p50", lengths.p50}, {"p95", lengths.p95}, {"max", lengths.max}};
}

}  // namespace

json statisticsJson(const CorpusStatistics& statistics) {
    return {{"lines", statistics.report.lines},
            {"pairs", statistics.report.pairs},
            {"sentences", statistics.report.sentences},
            {"tokens", statistics.tokens},
            {"length", lengthsJson(text::summarizeLengths(statistics.sides))},
            {"source_length", lengthsJson(text::summarizeLengths(statistics.sources))},
            {"target_length", lengthsJson(text::summarizeLengths(statistics.targets))},
            {"truncated", statistics.truncated},
            {"duplicates", statistics.duplicates},
            {"notices", statistics.report.notices},
            {"empty_sides", statistics.report.emptySides},
            {"too_long", statistics.report.tooLong},
            {"crlf", statistics.report.crlf},
            {"bom", statistics.report.bom}};
}

json fileRow(const text::Corpus& corpus, const CorpusStatistics& statistics, const text::Corpus* maybeTrain,
             bool inTokens) {
    const double words = static_cast<double>(std::max<std::int64_t>(statistics.tokens, 1));
    json row = statisticsJson(statistics);
    row["oov_rate"] = inTokens     ? static_cast<double>(statistics.unknown) / words
                      : maybeTrain ? text::unseenWordRate(*maybeTrain, corpus)
                                   : 0.0;
    row["train_valid_overlap"] = maybeTrain ? text::findLeak(*maybeTrain, corpus).pairs : 0;
    return row;
}

}  // namespace kurve::engine
