#pragma once

#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Its name among the metrics; a model's, so not in metricKinds().
inline constexpr const char* kPerplexity = "ppl";

/// exp of minus the mean log-probability of a token, over all tokens of all sentences; `logProbabilities` by
/// sentence and token, natural. n counts sentences; parts: "tokens", "log_probability" (the sum). Errors:
/// metric.empty.
Result<Score> perplexity(std::span<const std::vector<double>> logProbabilities);

}  // namespace kurve::metrics
