#pragma once

#include <map>
#include <span>
#include <string>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Their names among the metrics; a model's, so not in metricKinds(). A bound is never called a perplexity.
inline constexpr const char *kNelbo = "nelbo", *kPerplexityBound = "ppl_bound",
                            *kBitsPerCharacter = "bits_per_char";

/// An estimate of the NELBO of one text, and what it is divided by.
struct BoundedText {
    double nats = 0, tokens = 0, characters = 0;
};

/// By name: nelbo (nats per token), ppl_bound (its exp), bits_per_char. Sums over texts are divided once; the
/// intervals hold the texts' own differences and the noise of the estimates. nelbo has the part
/// "standard_error": of a ratio of means, linearised. Errors: metric.empty.
Result<std::map<std::string, Score>> likelihoodBounds(std::span<const BoundedText> texts,
                                                      const std::string& estimator);

}  // namespace kurve::metrics
