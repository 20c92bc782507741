#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/scalar_spec.h"

namespace kurve::metrics {

/// A score with its 95 % bootstrap interval and what is needed to reproduce it elsewhere.
struct Score {
    double value = 0;
    /// Percentile bootstrap, 1,000 resamples, stream "metrics.bootstrap" of seed 12345; distinct-n, which a
    /// resample with its repeated sentences would bias, has a jackknife interval. NaN: there is none, as of
    /// one sentence.
    double low = 0, high = 0;
    int n = 0;  ///< sentences
    std::string
        signature;  ///< "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.x" in sacreBLEU's form
    std::map<std::string, double> parts;  ///< e.g. "precision1", "bp", "ratio"

    [[nodiscard]] bool hasInterval() const { return std::isfinite(low) && std::isfinite(high); }
};

struct MetricInput {
    std::span<const std::string> hypotheses;
    std::span<const std::string>
        references;  ///< may be empty for metrics that need none (distinct-n, repetition)
    std::map<std::string, std::string> options = {};  ///< "tokenize" = 13a | char | none | compound
    std::span<const std::vector<std::string>> moreReferences =
        {};  ///< further translations of the same lines
    /// The tokens that each hypothesis was generated as, without <s>, </s> and <pad>: for metrics that count
    /// tokens. Empty where only texts are known.
    std::span<const std::vector<std::int32_t>> hypothesisTokens = {};
    std::span<const std::string> sources = {};  ///< what they answer, line by line
};

/// Any metric on texts. id, unit ("%", "", "nats") and direction serve axis labels, best-run columns and the
/// CLI.
struct MetricKind {
    std::string id, title, unit, doc;
    bool higherIsBetter = true;
    bool needsReferences = true;
    Result<Score> (*compute)(const MetricInput& input) = nullptr;
    bool comparesDraws = false;  ///< the "references" are further outputs for the same sources
    bool needsTokens = false;    ///< counts MetricInput::hypothesisTokens
    bool needsSources = false;   ///< compares with MetricInput::sources
};
/// bleu bleu-compound chrf chrf++ sentence-bleu bleu-nltk4 distinct-1 distinct-2 distinct-3 reps_bpe
/// reps_word token-accuracy exact-match rouge-l self-bleu self-bleu-pairs div-4 entropy rep-4 ovl-3 wr. BLEU,
/// chrF and ROUGE are 0..100, and except for bleu-compound and bleu-nltk4 (of which self-bleu-pairs is made)
/// equal sacreBLEU's; entropy is in nats, reps_* in percent, the others are fractions 0..1.
[[nodiscard]] std::span<const MetricKind> metricKinds();
/// Errors: metric.unknown (nearest suggested), metric.counts (hypotheses and references differ in number),
/// metric.empty (also: no text has what is counted), metric.bad_option, metric.needs_tokens,
/// metric.no_sources. Deterministic; safe from any thread.
Result<Score> score(const std::string& id, const MetricInput& input);

/// What every training logs and that is no text metric: loss, lr, grad_norm, …; what only a family logs is in
/// its Schema::scalars.
[[nodiscard]] std::span<const ScalarSpec> commonScalars();

/// Of a text metric or a scalar, by its description; true for an unknown id.
[[nodiscard]] bool higherIsBetter(const std::string& id);

/// Sentence BLEU as sacreBLEU's sentence_bleu (13a, exp smoothing, effective order), 0..100.
[[nodiscard]] double sentenceBleu(const std::string& hypothesis, const std::string& reference);

/// chrF2 of one sentence as sacreBLEU's sentence_chrf, 0..100.
[[nodiscard]] double sentenceChrf(const std::string& hypothesis, const std::string& reference);

/// Minimum Bayes risk by sentence BLEU on token ids or words: for each i, the mean over j != i of BLEU(hyp j,
/// ref i); returns the scores; the best is the first maximum (difformer/generator.py, bleu-mbr). n-grams of
/// each candidate are hashed once.
[[nodiscard]] std::vector<double> mbrScores(std::span<const std::vector<std::int32_t>> candidates);
/// The same on the words of texts (13a).
[[nodiscard]] std::vector<double> mbrScores(std::span<const std::string> candidates);

}  // namespace kurve::metrics
