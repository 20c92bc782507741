#include <fmt/format.h>

#include <array>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics::detail {
namespace {

/// Repeated tokens, tokens, pairs of neighbours.
template <class Tokens>
std::array<double, 3> countRepeats(const Tokens& tokens) {
    double repeated = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) repeated += tokens[i] == tokens[i - 1] ? 1 : 0;
    const auto all = static_cast<double>(tokens.size());
    return {repeated, all, tokens.empty() ? 0 : all - 1};
}

double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

Score repeatScore(const SentenceStatistics& statistics, const std::string& tokens) {
    Score score = scoreOf(statistics, [](auto sums) { return percent(sums[0], sums[1]); });
    const std::vector<double> sums = statistics.sums();
    score.parts["percent_of_gaps"] = percent(sums[0], sums[2]);
    score.signature = fmt::format("of:tokens|tok:{}|kurve:{}", tokens, versionText());
    return score;
}

Result<Score> wordRepetition(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    SentenceStatistics statistics(3);
    for (const std::string& line : input.hypotheses) statistics.add(countRepeats(tokenizer.split(line)));
    return repeatScore(statistics, tokenizer.name);
}

Result<Score> tokenRepetition(const MetricInput& input) {
    SentenceStatistics statistics(3);
    for (const auto& tokens : input.hypothesisTokens) statistics.add(countRepeats(tokens));
    return repeatScore(statistics, "generated");
}

}  // namespace

MetricKind wordRepetitionKind() {
    return {"reps_word",
            "Repeated words",
            "%",
            "fraction of all words that equal their left neighbour; part percent_of_gaps: of the pairs of "
            "neighbours instead",
            false,
            false,
            wordRepetition};
}

MetricKind tokenRepetitionKind() {
    return {"reps_bpe",
            "Repeated tokens",
            "%",
            "fraction of all generated tokens that equal their left neighbour; part percent_of_gaps: of the "
            "pairs "
            "of neighbours instead",
            false,
            false,
            tokenRepetition,
            false,
            true};
}

}  // namespace kurve::metrics::detail
