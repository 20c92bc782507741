#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text/corpus.h"
#include "core/text/tokenizer.h"

namespace kurve::engine {

/// Statistics of one file, or of all of them.
struct CorpusStatistics {
    text::CorpusReport report;
    std::int64_t tokens = 0, unknown = 0, truncated = 0, duplicates = 0;
    std::vector<std::int64_t> sides, sources, targets;

    void add(const CorpusStatistics& other) {
        report.lines += other.report.lines;
        report.notices += other.report.notices;
        report.pairs += other.report.pairs;
        report.sentences += other.report.sentences;
        report.emptySides += other.report.emptySides;
        report.tooLong += other.report.tooLong;
        report.crlf += other.report.crlf;
        report.bom += other.report.bom;
        tokens += other.tokens;
        unknown += other.unknown;
        truncated += other.truncated;
        duplicates += other.duplicates;
        sides.insert(sides.end(), other.sides.begin(), other.sides.end());
        sources.insert(sources.end(), other.sources.begin(), other.sources.end());
        targets.insert(targets.end(), other.targets.begin(), other.targets.end());
    }
};

/// Length of a side; adds the tokens in it that are <unk>.
using Lengths = std::function<std::int64_t(const std::string& side, std::int64_t& unknown)>;
/// Counts the tokenizer's tokens; without one, words between blanks.
Lengths lengthsBy(std::shared_ptr<const text::Tokenizer> maybeTokenizer);

/// `maxLength` as data.max_length, 0 for none.
CorpusStatistics corpusStatistics(const text::Corpus& corpus, const Lengths& lengthOf,
                                  std::int64_t maxLength);
nlohmann::json statisticsJson(const CorpusStatistics& statistics);
/// One file's numbers; `maybeTrain` is what it is compared with, nullptr for the training split itself.
nlohmann::json fileRow(const text::Corpus& corpus, const CorpusStatistics& statistics,
                       const text::Corpus* maybeTrain, bool inTokens);

}  // namespace kurve::engine
