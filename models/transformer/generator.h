#pragma once

#include "models/transformer/transformer_net.h"

namespace kurve::models::transformer {

/// Decoding: beam search, or sampling; candidates best first. A source's texts depend on
/// the seed, its number in the request and the sampler only, except for rounding. Errors: sample.too_long,
/// sample.min_length, branch.candidate.
[[nodiscard]] Result<train::Generation> generateWith(TransformerNetImpl& net,
                                                     const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::Trace* maybeTrace);

/// The work of a search over some of these sources, to the longest text that it may generate.
void dryRun(TransformerNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler);

}  // namespace kurve::models::transformer
