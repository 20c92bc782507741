#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
    bool reranked = false;     ///< another model selects among the candidates
    double aboveMargin = 0.6;  ///< cosine above which the contrastive loss pushes a pair apart
    std::int32_t mask = 0;
};

/// Limits by the network.
struct NetLimits {
    std::int64_t maxPositions = 0;
    bool onCpu = true;
    text::SpecialIds special;
};
/// Candidates decoded together.
[[nodiscard]] std::int64_t rowsAtOnce(const RunConfig& sampler, bool onCpu);
/// Errors: sample.length_beam, sample.too_long, branch.candidate.
[[nodiscard]] Result<DecodingPlan> planOf(const NetLimits& net, const train::GenerateRequest& request,
                                          const RunConfig& sampler);
/// Lengths of the candidates of a source by the scores of its length classes; `lengthOffset`: length of class
/// 0.
[[nodiscard]] std::vector<std::int32_t> candidateLengths(const DecodingPlan& plan, std::int64_t lengthOffset,
                                                         std::span<const float> scores);

}  // namespace kurve::models::cmlm
