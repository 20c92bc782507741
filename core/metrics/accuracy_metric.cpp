#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics::detail {
namespace {

using Words = std::vector<std::string>;

/// Both metrics: hits and trials per pair of token lists; the score is the ratio of their sums.
using CountPair = std::array<double, 2> (*)(const Words& hypothesis, const Words& reference);

Result<Score> ratio(const MetricInput& input, CountPair count) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        const Words hypothesis = tokenizer.split(input.hypotheses[i]);
        std::array<double, 2> best = count(hypothesis, tokenizer.split(input.references[i]));
        for (const auto& more : input.moreReferences) {
            const std::array<double, 2> other = count(hypothesis, tokenizer.split(more[i]));
            if (other[0] * best[1] > best[0] * other[1]) best = other;
        }
        statistics.add(best);
    }
    Score score = scoreOf(statistics, [](auto sums) { return sums[1] > 0 ? sums[0] / sums[1] : 0; });
    score.signature = fmt::format("nrefs:{}|tok:{}|kurve:{}", 1 + input.moreReferences.size(), tokenizer.name,
                                  versionText());
    return score;
}

std::array<double, 2> equalPositions(const Words& hypothesis, const Words& reference) {
    double equal = 0;
    for (std::size_t i = 0; i < std::min(hypothesis.size(), reference.size()); ++i)
        equal += hypothesis[i] == reference[i] ? 1 : 0;
    return {equal, static_cast<double>(std::max(hypothesis.size(), reference.size()))};
}

std::array<double, 2> equalLines(const Words& hypothesis, const Words& reference) {
    return {hypothesis == reference ? 1.0 : 0.0, 1};
}

}  // namespace

MetricKind tokenAccuracyKind() {
    return {
        "token-accuracy",
        "Token accuracy",
        "",
        "fraction of positions where output and reference have the same token, over the longer of the two, "
        "0 to 1",
        true,
        true,
        [](const MetricInput& input) { return ratio(input, equalPositions); }};
}

MetricKind exactMatchKind() {
    return {"exact-match",
            "Exact match",
            "",
            "fraction of outputs equal to their reference, token by token, 0 to 1",
            true,
            true,
            [](const MetricInput& input) { return ratio(input, equalLines); }};
}

}  // namespace kurve::metrics::detail
