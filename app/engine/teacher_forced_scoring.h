#pragma once

#include <span>

#include "app/engine/run_access.h"
#include "core/metrics/perplexity.h"
#include "core/train/likelihood.h"

namespace kurve::engine {

/// Teacher-forced scores of given pairs by an autoregressive model (train::Likelihood).
struct TeacherForcedScore {
    metrics::Score score;                               ///< perplexity
    std::vector<std::vector<double>> logProbabilities;  ///< by pair and token, EOS last
};
/// Pairs as ids with BOS and EOS. Errors: score.no_likelihood (the run's family gives no exact
/// probabilities), sample.too_long, metric.empty.
Result<TeacherForcedScore> teacherForcedScore(const LoadedModel& loaded,
                                              const train::LikelihoodRequest& pairs);

}  // namespace kurve::engine
