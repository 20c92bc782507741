#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/ngrams.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics::detail {
namespace {

struct Occurrence {
    Ngram ngram{};
    std::size_t sentence = 0;
};

/// Distinct-n with a jackknife interval: without a sentence, the n-grams that no other has are missing.
Score distinctOf(std::vector<Occurrence> all, std::size_t sentences) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ngram < b.ngram; });
    std::vector<double> total(sentences), own(sentences);
    double distinct = 0;
    for (auto first = all.begin(); first != all.end(); ++distinct) {
        const auto last =
            std::find_if(first, all.end(), [&](const auto& o) { return o.ngram != first->ngram; });
        const auto same = [&](const auto& o) { return o.sentence == first->sentence; };
        if (std::all_of(first, last, same)) own[first->sentence] += 1;
        for (; first != last; ++first) total[first->sentence] += 1;
    }
    Score score;
    score.n = static_cast<int>(sentences);
    const auto count = static_cast<double>(all.size());
    score.value = count > 0 ? distinct / count : 0;
    score.low = score.high = sentences < 2 ? NAN : score.value;
    if (sentences < 2 || count == 0) return score;
    setJackknifeInterval(score, sentences, [&](std::size_t i) {
        return count > total[i] ? (distinct - own[i]) / (count - total[i]) : score.value;
    });
    score.high = std::min(1.0, score.high);
    return score;
}

Result<Score> distinct(const MetricInput& input, int order) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    Vocabulary vocabulary;
    std::vector<Occurrence> all;
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i)
        for (const NgramCount& entry :
             countNgrams(vocabulary.ids(tokenizer.split(input.hypotheses[i])), order))
            all.insert(all.end(), static_cast<std::size_t>(entry.count), {entry.ngram, i});
    Score score = distinctOf(std::move(all), input.hypotheses.size());
    score.signature = fmt::format("n:{}|tok:{}|ci:jackknife|kurve:{}", order, tokenizer.name, versionText());
    return score;
}

}  // namespace

MetricKind distinct1Kind() {
    return {"distinct-1",
            "Distinct-1",
            "",
            "different words over all words of the outputs, 0 to 1",
            true,
            false,
            [](const MetricInput& input) { return distinct(input, 1); }};
}

MetricKind distinct2Kind() {
    return {"distinct-2",
            "Distinct-2",
            "",
            "different word pairs over all word pairs of the outputs, 0 to 1",
            true,
            false,
            [](const MetricInput& input) { return distinct(input, 2); }};
}

MetricKind distinct3Kind() {
    return {"distinct-3",
            "Distinct-3",
            "",
            "different word triples over all of the outputs, 0 to 1",
            true,
            false,
            [](const MetricInput& input) { return distinct(input, 3); }};
}

}  // namespace kurve::metrics::detail
