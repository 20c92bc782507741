#pragma once

#include <cstdint>

#include "core/config/run_config.h"
#include "core/sampling/length_candidates.h"
#include "core/sampling/masked_sentence.h"
#include "core/train/model_family.h"

namespace kurve::models::cmlm {

/// Settings of one generation, read once.
struct DecodingPlan {
    sampling::MaskPredictPlan passes;
    sampling::LengthLimits limits;
    std::int64_t beam = 1, rowsAtOnce = 128;
    bool likeliest = false, banSpecials = true, stopUnchanged = false;
    bool othersChoose = false;  ///< among the candidates, by their likelihood under another model
    double aboveMargin = 0.6;   ///< cosine from which on the contrastive loss pushes a pair apart
    std::int32_t mask = 0;
};

/// What of the network limits it.
struct NetLimits {
    std::int64_t places = 0;  ///< longest text
    bool onCpu = true;
};
/// Candidates that are decoded together.
[[nodiscard]] std::int64_t rowsAtOnce(const RunConfig& sampler, bool onCpu);
/// Errors: sample.length_beam, sample.too_long, branch.candidate.
[[nodiscard]] Result<DecodingPlan> planOf(const NetLimits& net, const train::GenerateRequest& request,
                                          const RunConfig& sampler);

}  // namespace kurve::models::cmlm
