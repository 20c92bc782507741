// What LCM's section 3.1 scores long texts by: repetition in a text, its overlap with its source, its length.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/ngrams.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics::detail {
namespace {

constexpr int kRepeated = 4, kOverlapping = 3;

/// Mean over the texts that have a value.
Score meanOf(const SentenceStatistics& statistics) {
    return scoreOf(statistics, [](auto sums) { return sums[1] > 0 ? sums[0] / sums[1] : 0; });
}

void addShare(SentenceStatistics& statistics, double part, double whole) {
    statistics.add(std::array<double, 2>{whole > 0 ? part / whole : 0, whole > 0 ? 1.0 : 0.0});
}

Result<Score> repetition(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    SentenceStatistics statistics(2);
    for (const std::string& text : input.hypotheses) {
        Vocabulary vocabulary;
        const std::vector<std::uint32_t> words = vocabulary.ids(tokenizer.split(text));
        const auto all = std::max(0.0, static_cast<double>(words.size()) - (kRepeated - 1));
        addShare(statistics, all - static_cast<double>(countNgrams(words, kRepeated).size()), all);
    }
    Score score = meanOf(statistics);
    score.signature = fmt::format("n:{}|tok:{}|kurve:{}", kRepeated, tokenizer.name, versionText());
    return score;
}

Result<Score> overlap(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        Vocabulary vocabulary;
        const auto ngrams = [&](const std::string& text) {
            return countNgrams(vocabulary.ids(tokenizer.split(text)), kOverlapping);
        };
        NgramCounts mine = ngrams(input.hypotheses[i]), theirs = ngrams(input.sources[i]);
        double all = 0, found = 0;
        for (const NgramCount& one : mine) {
            all += one.count;
            const bool there = std::any_of(theirs.begin(), theirs.end(),
                                           [&](const NgramCount& other) { return other.ngram == one.ngram; });
            found += there ? one.count : 0;
        }
        addShare(statistics, found, all);
    }
    Score score = meanOf(statistics);
    score.signature = fmt::format("n:{}|tok:{}|kurve:{}", kOverlapping, tokenizer.name, versionText());
    return score;
}

Result<Score> wordRatio(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i)
        addShare(statistics, static_cast<double>(tokenizer.split(input.hypotheses[i]).size()),
                 static_cast<double>(tokenizer.split(input.sources[i]).size()));
    Score score = meanOf(statistics);
    score.signature = fmt::format("tok:{}|kurve:{}", tokenizer.name, versionText());
    return score;
}

MetricKind ofSources(MetricKind kind) {
    kind.needsSources = true;
    return kind;
}

}  // namespace

MetricKind textRepetitionKind() {
    return {
        "rep-4",
        "Repeated 4-grams",
        "",
        "REP-4: fraction of a text's word 4-grams that it has before, a mean over texts, 0 to 1 (seq-rep-4 "
        "of Welleck et al., 2019)",
        false,
        false,
        repetition};
}

MetricKind sourceOverlapKind() {
    return ofSources(
        {"ovl-3", "Overlap with the source", "",
         "OVL-3: fraction of an output's word 3-grams that its source has, a mean over texts, 0 to 1: "
         "how much is copied",
         false, false, overlap});
}

MetricKind wordRatioKind() {
    return ofSources({"wr", "Word ratio", "",
                      "WR: words of an output over words of its source, a mean over texts", false, false,
                      wordRatio});
}

}  // namespace kurve::metrics::detail
