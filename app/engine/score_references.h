#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/engine/document_metrics.h"
#include "app/engine/eval_pairs.h"

namespace kurve::engine {

/// The likelihood of the split's texts by `ids`, or its bound. Errors: score.no_bound, score.no_future.
Status addLikelihoods(const CommonOptions& common, const LoadedModel& loaded, const EvalRequest& request,
                      const std::vector<std::string>& ids, const AddScore& add);
/// Scores by draws of what goes on in the same texts; empty if stopped. Errors: score.*, metric.empty.
Result<std::map<std::string, metrics::Score>> briersOf(const CommonOptions& common, const LoadedModel& loaded,
                                                       const EvalRequest& request, const EvalPairs& pairs,
                                                       ControlLink& link);

}  // namespace kurve::engine
