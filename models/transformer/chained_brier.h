#pragma once

#include "core/train/brier_draws.h"
#include "models/transformer/decoder_only_net.h"

namespace kurve::models::transformer {

/// Brier terms of a decoder-only Transformer: accuracies are exact products, collisions one chain from every
/// start (metrics::chainLink), in which what follows an end is certain. Three network calls per position,
/// with cached keys and values. Errors: sample.too_long.
/// Of the law at a temperature above 0.
[[nodiscard]] Result<train::BrierStarts> chainedBrier(DecoderOnlyNetImpl& net,
                                                      const train::BrierRequest& request, double temperature);

}  // namespace kurve::models::transformer
