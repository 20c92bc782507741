#pragma once

#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {

/// Goes on after the first sentences of documents, or from nothing, sentence by sentence; a trace of it has
/// sentences as positions, each with its denoising steps.
/// Edits: a sentence's text from a step on (pin), other noise at a step (noise; not of Base), other settings
/// for the sentences that begin from a step on (sampler).
Result<train::Generation> generateDocuments(LcmParts& parts, const train::GenerateRequest& request,
                                            const RunConfig& sampler, trace::TraceSink* maybeTrace);

}  // namespace kurve::models::lcm
