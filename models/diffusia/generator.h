#pragma once

#include "core/diffusion/gaussian_process.h"
#include "models/diffusia/diffusia_net.h"

namespace kurve::models::diffusia {

/// Decoding: length beam, noise beam, reverse steps, selection. Where padding is a token, a text ends with
/// its first EOS. DiffuED encodes a source once; the others read it anew at every step. A source's result
/// depends on the seed, its number in the request and the sampler only, not on which sources are decoded
/// beside it. Errors: sample.no_input (a source without tokens), sample.too_long (a source beyond
/// model.max_positions), sample.steps, sampler.length_beam, branch.*.
[[nodiscard]] Result<train::Generation> generateWith(DiffusiaNetImpl& net,
                                                     const diffusion::GaussianProcess& process,
                                                     const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::TraceSink* maybeTrace);

/// One reverse step over the candidates of as many of these sources as `device` decodes together, to its
/// tokens.
void dryRun(DiffusiaNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
            c10::Device device);

}  // namespace kurve::models::diffusia
