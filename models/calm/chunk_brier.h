#pragma once

#include "core/train/brier_draws.h"
#include "models/calm/calm_model.h"

namespace kurve::models::calm {

/// Brier terms of CALM by draws of chunks. A start is a chunk's first token; the chunk, or of K < 4 tokens it
/// and as many behind it as make four, hold no </s> and no <pad>. Where the network reads vectors it reads
/// the posterior means, as generation does of a prompt: a chunk's law depends on the tokens before it alone.
/// Errors: sample.too_long, score.brier_every (not a multiple of K).
[[nodiscard]] Result<train::BrierStarts> chunkBrier(CalmParts& parts, const train::BrierRequest& request,
                                                    const RunConfig& sampler);

}  // namespace kurve::models::calm
