#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/base/random_stream.h"
#include "core/sampling/unmasking.h"
#include "models/mdlm/sampler_settings.h"

namespace kurve::models::mdlm {

/// A token drawn for a position, and what its distribution says.
struct DrawnToken {
    std::int32_t token = 0;
    float probability = 0;  ///< of that token
    sampling::Certainty certainty;
};

/// Which random numbers a position's draw uses.
struct DrawAddress {
    std::uint64_t row = 0, element = 0;
};

/// The distribution p [n, V] f64 of positions from their logits [n, V], changed in place: SUBS and bans,
/// temperature, the tail beyond top_p without probability.
[[nodiscard]] at::Tensor tokenDistribution(at::Tensor logits, const SamplerSettings& settings);
/// One token for each row of p. In f64 by the inverse of the cumulative distribution; float32: the argmax of
/// p / (1e-10 - log(U + 1e-10)) with U in float32, as MDLM's code draws it.
[[nodiscard]] std::vector<DrawnToken> drawTokens(const at::Tensor& p, const SamplerSettings& settings,
                                                 const StreamId& stream,
                                                 const std::vector<DrawAddress>& addresses);

}  // namespace kurve::models::mdlm
