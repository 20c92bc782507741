#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text/corpus.h"
#include "core/text/tokenizer.h"

namespace kurve::engine {

/// What one file, or all of them, amounts to.
struct Tally {
    text::CorpusReport report;
    std::int64_t tokens = 0, unknown = 0, truncated = 0, duplicates = 0;
    std::vector<std::int64_t> sides, sources, targets;

    void add(const Tally& other) {
        report.lines += other.report.lines;
        report.notices += other.report.notices;
        report.pairs += other.report.pairs;
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

/// How long a side is; adds the pieces in it that are <unk>.
using Lengths = std::function<std::int64_t(const std::string& side, std::int64_t& unknown)>;
/// Counts the tokenizer's pieces; without one, words between blanks.
Lengths lengthsBy(std::shared_ptr<const text::Tokenizer> maybeTokenizer);

/// `maxLength` as data.max_length, 0 for none.
Tally tally(const text::Corpus& corpus, const Lengths& lengthOf, std::int64_t maxLength);
nlohmann::json tallyJson(const Tally& tally);
/// One file's numbers; `maybeTrain` is what it is compared with, nullptr for the training split itself.
nlohmann::json fileRow(const text::Corpus& corpus, const Tally& tally, const text::Corpus* maybeTrain,
                       bool inPieces);

}  // namespace kurve::engine
