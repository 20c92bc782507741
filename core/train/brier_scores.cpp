#include "core/train/brier_scores.h"

#include <fmt/format.h>

#include "core/metrics/brier_scores.h"

namespace kurve::train {

Result<std::map<std::string, metrics::Score>> brierScores(BrierDraws& model, const BrierRequest& request,
                                                          const RunConfig& sampler) {
    KURVE_TRY(const BrierStarts found, model.brierTerms(request, sampler));
    if (found.cancelled || found.starts.empty()) return std::map<std::string, metrics::Score>();
    metrics::BrierScore score;
    for (const BrierStart& start : found.starts) score.add(start.row, start.terms);
    return metrics::brierScores(score.result(), fmt::format("{}|every:{}", found.estimator, found.every));
}

}  // namespace kurve::train
