#pragma once

#include <map>
#include <string>

#include "core/metrics/metric.h"
#include "core/train/brier_draws.h"

namespace kurve::train {

/// metrics::brierScores() of the request's texts; empty if no text has a start, or if cancelled. Errors:
/// those of the model.
Result<std::map<std::string, metrics::Score>> brierScores(BrierDraws& model, const BrierRequest& request,
                                                          const RunConfig& sampler);

}  // namespace kurve::train
