#pragma once

#include "core/diffusion/gaussian_process.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// Class of the length predictor: clamp(L - S + 128, 0, 255) (fairseq, offset mode).
[[nodiscard]] std::int64_t lengthClass(std::int64_t target, std::int64_t source);
/// Decoding (difformer/generator.py): length beam, noise beam, reverse steps, selection. A source's result
/// depends on the seed, its number in the request and the sampler only, not on which sources are decoded
/// beside it. Errors: sample.too_long (a source beyond model.max_positions), sample.steps,
/// sample.skip_last_steps, branch.*.
[[nodiscard]] Result<train::Generation> generateWith(DifformerNetImpl& net,
                                                     const diffusion::GaussianProcess& process,
                                                     const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::TraceSink* maybeTrace);

/// One reverse step over the candidates of as many of these sources as `device` decodes together, to its
/// tokens.
void dryRun(DifformerNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
            c10::Device device);

}  // namespace kurve::models::difformer
