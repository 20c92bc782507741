#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "core/base/text.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/ngrams.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics {
namespace detail {
namespace {

constexpr int kCharacterOrder = 6;
constexpr double kBetaSquared = 4;  // recall counts twice

/// Character n-grams of order 1 to 6 without white space, then word n-grams.
using Segment = std::vector<NgramCounts>;

/// Separates one punctuation mark from an end of a word, the right end first (as chrF++ does).
std::vector<std::string> wordsOf(std::string_view text) {
    constexpr std::string_view kMarks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    std::vector<std::string> words;
    for (const std::string& word : splitUnicode(text)) {
        const bool single = codePoints(word).size() == 1;
        if (!single && kMarks.find(word.back()) != kMarks.npos) {
            words.push_back(word.substr(0, word.size() - 1));
            words.emplace_back(1, word.back());
        } else if (!single && kMarks.find(word.front()) != kMarks.npos) {
            words.emplace_back(1, word.front());
            words.push_back(word.substr(1));
        } else {
            words.push_back(word);
        }
    }
    return words;
}

Segment segmentOf(const std::string& text, int wordOrder, Vocabulary& vocabulary) {
    std::vector<std::uint32_t> characters;
    for (const std::string& word : splitUnicode(text))
        for (const char32_t point : codePoints(word)) characters.push_back(point);
    Segment segment;
    for (int n = 1; n <= kCharacterOrder; ++n) segment.push_back(countNgrams(characters, n));
    const std::vector<std::uint32_t> words =
        wordOrder > 0 ? vocabulary.ids(wordsOf(text)) : std::vector<std::uint32_t>();
    for (int n = 1; n <= wordOrder; ++n) segment.push_back(countNgrams(words, n));
    return segment;
}

double size(const NgramCounts& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0,
                           [](int sum, const NgramCount& c) { return sum + c.count; });
}

/// Per order: n-grams of the hypothesis (0 where the reference has none), of the reference, and matches.
std::vector<double> rowOf(const Segment& hypothesis, const Segment& reference) {
    std::vector<double> row;
    for (std::size_t order = 0; order < hypothesis.size(); ++order) {
        row.push_back(reference[order].empty() ? 0 : size(hypothesis[order]));
        row.push_back(size(reference[order]));
        row.push_back(matches(hypothesis[order], reference[order]));
    }
    return row;
}

/// F-score of precision and recall, both averaged over the orders that exist on both sides.
double fScore(std::span<const double> row) {
    double precision = 0, recall = 0;
    int orders = 0;
    for (std::size_t i = 0; i < row.size(); i += 3) {
        if (row[i] == 0 || row[i + 1] == 0) continue;
        precision += row[i + 2] / row[i];
        recall += row[i + 2] / row[i + 1];
        ++orders;
    }
    if (precision + recall == 0) return 0;
    precision /= orders;
    recall /= orders;
    return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

Result<Score> compute(const MetricInput& input, int wordOrder) {
    Vocabulary vocabulary;
    SentenceStatistics statistics(static_cast<std::size_t>(3 * (kCharacterOrder + wordOrder)));
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        const Segment hypothesis = segmentOf(input.hypotheses[i], wordOrder, vocabulary);
        std::vector<double> best = rowOf(hypothesis, segmentOf(input.references[i], wordOrder, vocabulary));
        for (const auto& more : input.moreReferences) {
            std::vector<double> other = rowOf(hypothesis, segmentOf(more[i], wordOrder, vocabulary));
            if (fScore(other) > fScore(best)) best = std::move(other);
        }
        statistics.add(best);
    }
    Score score = scoreOf(statistics, fScore);
    score.signature = fmt::format("nrefs:{}|case:mixed|eff:yes|nc:{}|nw:{}|space:no|version:2.5.1",
                                  1 + input.moreReferences.size(), kCharacterOrder, wordOrder);
    return score;
}

}  // namespace

MetricKind chrfKind() {
    return {"chrf",
            "chrF2",
            "",
            "F-score of character 1- to 6-grams, recall twice as heavy, 0 to 100",
            true,
            true,
            [](const MetricInput& input) { return compute(input, 0); }};
}

MetricKind chrfPlusPlusKind() {
    return {"chrf++",
            "chrF2++",
            "",
            "chrF2 with word 1- and 2-grams added, 0 to 100",
            true,
            true,
            [](const MetricInput& input) { return compute(input, 2); }};
}

}  // namespace detail

double sentenceChrf(const std::string& hypothesis, const std::string& reference) {
    detail::Vocabulary none;  // chrF2 has no words
    return detail::fScore(
        detail::rowOf(detail::segmentOf(hypothesis, 0, none), detail::segmentOf(reference, 0, none)));
}

}  // namespace kurve::metrics
