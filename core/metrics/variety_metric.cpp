#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/version.h"
#include "core/metrics/detail/bleu.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/ngrams.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics::detail {
namespace {

std::vector<const std::string*> outputsOf(const MetricInput& input, std::size_t source) {
    std::vector<const std::string*> outputs{&input.hypotheses[source], &input.references[source]};
    for (const auto& more : input.moreReferences) outputs.push_back(&more[source]);
    return outputs;
}

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
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i)
        statistics.add(std::array{meanPairBleu(outputsOf(input, i)), 1.0});
    Score score = scoreOf(statistics, [](auto sums) { return sums[1] > 0 ? sums[0] / sums[1] : 0; });
    score.signature =
        fmt::format("outputs:{}|pairs:ordered|bleu:sentence|tok:13a|smooth:exp|eff:yes|kurve:{}",
                    2 + input.moreReferences.size(), versionText());
    return score;
}

/// The mean over i < j of NLTK's BLEU of output i against output j.
double meanForwardBleu(std::span<const BleuSegment> outputs) {
    double sum = 0, pairs = 0;
    for (std::size_t j = 1; j < outputs.size(); ++j)
        for (std::size_t i = 0; i < j; ++i, ++pairs)
            sum += nltkBleu(bleuRow(outputs[i], outputs.subspan(j, 1)));
    return sum / pairs;
}

Result<Score> selfBleuPairs(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    Vocabulary vocabulary;
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        std::vector<BleuSegment> outputs;
        for (const std::string* text : outputsOf(input, i))
            outputs.emplace_back(vocabulary.ids(tokenizer.split(*text)));
        statistics.add(std::array{meanForwardBleu(outputs), 1.0});
    }
    Score score = scoreOf(statistics, [](auto sums) { return sums[0] / sums[1]; });
    score.signature =
        fmt::format("outputs:{}|pairs:forward|bleu:sentence|tok:{}|smooth:method4|nltk:3.6+|kurve:{}",
                    2 + input.moreReferences.size(), tokenizer.name, versionText());
    return score;
}

/// Different 4-grams over all 4-grams of one source's outputs; empty without any.
std::optional<double> pooledDiversity(const std::vector<std::vector<std::uint32_t>>& outputs) {
    NgramCounts pooled;
    double total = 0;
    for (const auto& words : outputs) {
        const NgramCounts counts = countNgrams(words, 4);
        for (const NgramCount& entry : counts) total += entry.count;
        pooled = unite(pooled, counts);
    }
    if (total == 0) return {};
    return static_cast<double>(pooled.size()) / total;
}

Result<Score> div4(const MetricInput& input) {
    KURVE_TRY(const NamedTokenizer tokenizer, tokenizerOf(input, "none"));
    Vocabulary vocabulary;
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        std::vector<std::vector<std::uint32_t>> outputs;
        for (const std::string* text : outputsOf(input, i))
            outputs.push_back(vocabulary.ids(tokenizer.split(*text)));
        if (const auto diversity = pooledDiversity(outputs)) statistics.add(std::array{*diversity, 1.0});
    }
    if (statistics.sentences() == 0)
        return requestError("metric.empty", "no output has four words, so there is no 4-gram");
    Score score = scoreOf(statistics, [](auto sums) { return sums[0] / sums[1]; });
    score.parts["left_out"] = static_cast<double>(input.hypotheses.size() - statistics.sentences());
    score.signature = fmt::format("outputs:{}|n:4|pooled:source|tok:{}|kurve:{}",
                                  2 + input.moreReferences.size(), tokenizer.name, versionText());
    return score;
}

double timesLog(double count) {
    return count > 0 ? count * std::log(count) : 0;
}

/// Of words counted c times each, T = sum of c: ln T - (sum of c ln c) / T.
double entropyOf(double countsTimesLogs, double total) {
    return total > 0 ? std::max(0.0, std::log(total) - countsTimesLogs / total) : 0;
}

/// A resample with its repeated sentences would bias an entropy downwards, so the interval is a jackknife.
/// Without a line the terms of its own words change alone.
Score jackknife(const std::vector<std::map<std::size_t, double>>& rows, std::size_t words) {
    std::vector<double> counts(words);
    double total = 0, terms = 0;
    for (const auto& row : rows)
        for (const auto& [word, count] : row) {
            counts[word] += count;
            total += count;
        }
    for (const double count : counts) terms += timesLog(count);
    Score score;
    score.n = static_cast<int>(rows.size());
    score.value = entropyOf(terms, total);
    score.low = score.high = rows.size() < 2 ? NAN : score.value;
    if (rows.size() < 2 || total == 0) return score;
    setJackknifeInterval(score, rows.size(), [&](std::size_t i) {
        double own = 0, ownTerms = 0;
        for (const auto& [word, count] : rows[i]) {
            own += count;
            ownTerms += timesLog(counts[word]) - timesLog(counts[word] - count);
        }
        return entropyOf(terms - ownTerms, total - own);
    });
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

MetricKind selfBleuPairsKind() {
    return {"self-bleu-pairs",
            "Self-BLEU of pairs",
            "",
            "mean of bleu-nltk4 of sample i against sample j, i < j, of the same source (give each sample as "
            "one file): in this direction only, unlike self-bleu; DiffuSeq's self-BLEU, 0 to 100",
            false,
            true,
            selfBleuPairs,
            true};
}

MetricKind div4Kind() {
    return {"div-4",
            "Div-4",
            "",
            "different 4-grams over all 4-grams of the samples of a source (give each sample as one file), a "
            "mean over the sources that have any; DiffuSeq's div-4, 0 to 1",
            true,
            true,
            div4,
            true};
}

MetricKind wordEntropyKind() {
    return {"entropy", "Word entropy", "nats",     "entropy of the distribution of all words of the outputs",
            true,      false,          wordEntropy};
}

}  // namespace kurve::metrics::detail
