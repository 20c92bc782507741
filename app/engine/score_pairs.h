#pragma once

#include "app/engine/score_files.h"

namespace kurve::engine {

/// Perplexity of given pairs under a run's model, and the log-probability of each. Errors: score.needs_run,
/// metric.counts, those of loading the run and of teacherForcedScore().
Status scorePairs(const CommonOptions& common, const ScoreRequest& request, Output& out);

}  // namespace kurve::engine
