#pragma once

#include "models/transformer/transformer_net.h"

namespace kurve::models::transformer {

/// Decoding (spec cmlm section 3): beam search, or draws; candidates best first. A source's texts depend on
/// the seed, its number in the request and the sampler only, but for rounding. Errors: sample.too_long,
/// sample.min_length, branch.candidate.
[[nodiscard]] Result<train::Generation> generateWith(TransformerNetImpl& net,
                                                     const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::Trace* maybeTrace);

}  // namespace kurve::models::transformer
