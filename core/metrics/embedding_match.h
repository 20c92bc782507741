#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Its name among the metrics; it needs a model's table, so it is not in metricKinds().
inline constexpr const char* kEmbeddingF1 = "embedding_f1";
inline constexpr const char* kEmbeddingF1Doc =
    "greedy matching by the run's own embedding table: precision is the mean over the output's tokens of the "
    "highest cosine with a token of the reference, recall the mean over the reference's tokens, F1 their "
    "harmonic mean, 0 if one of them is not positive; mean over sentences. Compare checkpoints of one run: "
    "another run has another table";

/// Vectors of words, row-major, [count, width].
struct WordVectors {
    std::span<const float> values;
    std::size_t width = 0;
};
/// Ids of an output and of its reference, without <s>, </s> and <pad>.
struct MatchedTokens {
    std::span<const std::vector<std::int32_t>> hypotheses, references;
};

/// kEmbeddingF1Doc, 0..1; parts: "precision", "recall" (means over sentences). Two empty sides match (1), one
/// empty side does not (0). Errors: metric.counts, metric.empty.
Result<Score> embeddingF1(const MatchedTokens& tokens, const WordVectors& vectors);

}  // namespace kurve::metrics
