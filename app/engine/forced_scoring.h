#pragma once

#include <span>

#include "app/engine/run_access.h"
#include "core/metrics/perplexity.h"
#include "core/train/likelihood.h"

namespace kurve::engine {

/// What a model that writes from left to right says of given pairs (train::Likelihood).
struct ForcedScore {
    metrics::Score score;                               ///< perplexity
    std::vector<std::vector<double>> logProbabilities;  ///< by pair and token, EOS last
};
/// Pairs as ids with BOS and EOS. Errors: score.no_likelihood (the run's family gives no exact
/// probabilities), sample.too_long, metric.empty.
Result<ForcedScore> forcedScore(const LoadedModel& loaded, const train::LikelihoodRequest& pairs);

}  // namespace kurve::engine
