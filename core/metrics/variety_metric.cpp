#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics::detail {
namespace {

/// The mean of sentence BLEU over all ordered pairs of one source's outputs.
double meanPairBleu(const std::vector<const std::string*>& outputs) {
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t j = 0; j < outputs.size(); ++j)
            if (i != j) sum += sentenceBleu(*outputs[i], *outputs[j]);
    return sum / static_cast<double>(outputs.size() * (outputs.size() - 1));
}

Result<Score> selfBleu(const MetricInput& input) {
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        std::vector<const std::string*> outputs{&input.hypotheses[i], &input.references[i]};
        for (const auto& more : input.moreReferences) outputs.push_back(&more[i]);
        statistics.add(std::array{meanPairBleu(outputs), 1.0});
    }
    Score score = scoreOf(statistics, [](auto sums) { return sums[1] > 0 ? sums[0] / sums[1] : 0; });
    score.signature =
        fmt::format("outputs:{}|pairs:ordered|bleu:sentence|tok:13a|smooth:exp|eff:yes|kurve:{}",
                    2 + input.moreReferences.size(), versionText());
    return score;
}

double entropyOf(const std::vector<double>& counts, double total) {
    double sum = 0;
    for (const double count : counts)
        if (count > 0) sum -= count / total * std::log(count / total);
    return sum;
}

/// A resample with its repeated sentences would bias an entropy downwards, so the interval is a jackknife.
Score jackknife(const std::vector<std::map<std::size_t, double>>& rows, std::size_t words) {
    std::vector<double> counts(words);
    double total = 0;
    for (const auto& row : rows)
        for (const auto& [word, count] : row) {
            counts[word] += count;
            total += count;
        }
    Score score;
    score.n = static_cast<int>(rows.size());
    score.value = score.low = score.high = total > 0 ? entropyOf(counts, total) : 0;
    if (rows.size() < 2 || total == 0) return score;
    double sum = 0, squares = 0;
    for (const auto& row : rows) {
        double own = 0;
        for (const auto& [word, count] : row) {
            counts[word] -= count;
            own += count;
        }
        const double without = total > own ? entropyOf(counts, total - own) : 0;
        for (const auto& [word, count] : row) counts[word] += count;
        sum += without;
        squares += without * without;
    }
    const auto n = static_cast<double>(rows.size());
    const double error = std::sqrt(std::max(0.0, (n - 1) / n * (squares - sum * sum / n)));
    score.low = std::max(0.0, score.value - 1.96 * error);
    score.high = score.value + 1.96 * error;
    return score;
}

Result<Score> wordEntropy(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    std::map<std::string, std::size_t, std::less<>> numbers;
    std::vector<std::map<std::size_t, double>> rows;
    for (const std::string& line : input.hypotheses) {
        auto& row = rows.emplace_back();
        for (const std::string& word : tokenizer.split(line))
            row[numbers.emplace(word, numbers.size()).first->second] += 1;
    }
    Score score = jackknife(rows, numbers.size());
    score.signature =
        fmt::format("n:1|unit:nats|tok:{}|ci:jackknife|kurve:{}", tokenizer.name, versionText());
    return score;
}

}  // namespace

MetricKind selfBleuKind() {
    return {"self-bleu",
            "Self-BLEU",
            "",
            "mean sentence BLEU between samples of the same source (give each sample as one file), 0 to 100; "
            "100 = "
            "always the same text",
            false,
            true,
            selfBleu,
            true};
}

MetricKind wordEntropyKind() {
    return {"entropy", "Word entropy", "nats",     "entropy of the distribution of all words of the outputs",
            true,      false,          wordEntropy};
}

}  // namespace kurve::metrics::detail
