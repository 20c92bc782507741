#pragma once

#include "models/transformer/transformer_net.h"

namespace kurve::models::transformer {

/// Decoding: beam search, or draws; candidates best first. A source's texts depend on
/// the seed, its number in the request and the sampler only, but for rounding. Errors: sample.too_long,
/// sample.min_length, branch.candidate.
[[nodiscard]] Result<train::Generation> generateWith(TransformerNetImpl& net,
                                                     const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::Trace* maybeTrace);

/// What a search over some of these sources works on, to the longest text that it may write.
void rehearse(TransformerNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler);

}  // namespace kurve::models::transformer
