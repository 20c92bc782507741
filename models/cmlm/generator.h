#pragma once

#include "models/cmlm/cmlm_net.h"

namespace kurve::models::cmlm {

/// Bans BOS, PAD, EOS, the mask and what is read for it in logits [n, V], in place.
void banSpecials(const at::Tensor& logits, const text::SpecialIds& special, std::int32_t maskId);

/// Mask-predict (Ghazvininejad et al. 2019): lengths, passes, selection. A source's result depends on the
/// sampler only, not on which sources are decoded beside it. Errors: sample.too_long, sample.length_beam,
/// model.not_finite (an alpha that is not finite), branch.*.
[[nodiscard]] Result<train::Generation> generateWith(CmlmNetImpl& net, const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::TraceSink* maybeTrace);

/// The first pass over the candidates of as many of these sources as `device` decodes together.
void dryRun(CmlmNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
            c10::Device device);

}  // namespace kurve::models::cmlm
