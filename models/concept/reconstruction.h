#pragma once

#include "core/train/model_family.h"
#include "models/concept/concept_net.h"

namespace kurve::models::sentence_concept {

/// Encodes and decodes the sources of a request, with noise on their vectors (sampler.noise). A trace of it
/// has one step, of one sentence and its tokens.
Result<train::Generation> reconstruct(ConceptNetImpl& net, const train::GenerateRequest& request,
                                      const RunConfig& sampler, trace::TraceSink* maybeTrace);

}  // namespace kurve::models::sentence_concept
