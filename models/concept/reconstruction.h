#pragma once

#include "core/train/model_family.h"
#include "models/concept/codebooks.h"
#include "models/concept/concept_net.h"

namespace kurve::models::sentence_concept {

struct ReconstructionParts {
    ConceptNetImpl& net;
    const Codebooks* maybeCodebooks = nullptr;
};

/// Encodes and decodes the sources of a request, their vectors quantized (sampler.books) and with noise
/// (sampler.noise). A trace of it has one step, of one sentence and its tokens. Errors: sample.too_long,
/// sampler.books.
Result<train::Generation> reconstruct(const ReconstructionParts& parts, const train::GenerateRequest& request,
                                      const RunConfig& sampler, trace::TraceSink* maybeTrace);

}  // namespace kurve::models::sentence_concept
