#pragma once

#include <cstdint>

#include "core/base/random_stream.h"

namespace kurve::diffusion {

/// The number u in [0, 1) that row `row` of a step's batch gets its time from: (v + row / phi) mod 1 with one
/// draw v per stream and the golden ratio phi. Each u is uniform; the rows of a batch fill [0, 1) evenly, as
/// with the low-discrepancy sampler of VDM (Kingma et al. 2021) and MDLM's antithetic times, but without
/// knowing how many rows there are: however a batch is split, a row gets the same.
[[nodiscard]] double lowDiscrepancyUniform(const StreamId& stream, std::uint64_t row);

}  // namespace kurve::diffusion
