#pragma once

#include "models/transformer/autoregressive_net.h"

namespace kurve::models::transformer {

/// Decoding: beam search, or sampling; candidates best first, samples as drawn, with what was known of them.
/// The texts of a source or prefix depend on the seed, its number in the request and the sampler only, except
/// for rounding. Errors: sample.too_long, sample.min_length, prompt.unsupported, branch.candidate.
[[nodiscard]] Result<train::Generation> generateWith(AutoregressiveNet& net,
                                                     const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::TraceSink* maybeTrace);

/// The work of a search over some of these texts, to the longest text that it may generate.
void dryRun(AutoregressiveNet& net, const train::DeviceBatch& longest, const RunConfig& sampler);

}  // namespace kurve::models::transformer
