#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Scores of documents in sentences by a scorer: by name among the metrics, not in metricKinds().
inline constexpr const char *kMutualInformation = "mi", *kCoherence = "coherence";

/// Whether a score of that name is by a scorer, here or in scorer_metrics.h: comparable only where the scorer
/// is the same.
[[nodiscard]] bool isByScorer(const std::string& score);

/// Log-probabilities of a sentence by a scorer: behind the sentences before it, and as the first of a text.
struct SentenceLikelihood {
    double inContext = 0, alone = 0;  ///< nats, summed over the sentence's tokens
    double tokens = 0;
};
/// (log p(s | before) - log p(s)) / |s|, nats a token, a mean weighted by the tokens: what the sentences
/// before say of a sentence; more is better, below 0 they mislead. Source: LCM, section 2.4.1, whose formula
/// has the other sign, its numbers this one. n counts sentences. Errors: metric.empty.
Result<Score> mutualInformation(std::span<const SentenceLikelihood> sentences);

/// Log-probabilities of a document by a scorer: as it is, and with its sentences in other orders.
struct OrderLikelihood {
    double asIs = 0;
    std::vector<double> permuted;
};
/// Mean over documents of sigmoid((log p - mean log p of other orders) / 3): near 1 where a document is in
/// the order that the scorer expects, 0.5 where the order says nothing. In place of the classifier that LCM,
/// section 2.4.4, scores so, which is taught natural documents against permuted ones. Errors: metric.empty.
Result<Score> coherence(std::span<const OrderLikelihood> documents);

}  // namespace kurve::metrics
