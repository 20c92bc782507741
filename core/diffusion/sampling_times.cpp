#include "core/diffusion/sampling_times.h"

#include <cmath>
#include <numbers>

namespace kurve::diffusion {

double lowDiscrepancyUniform(const StreamId& stream, std::uint64_t row) {
    // The fraction alone: a large product would lose digits of it.
    const double turns = std::fmod(static_cast<double>(row) * (std::numbers::phi - 1), 1.0);
    const double u = RandomStream(stream).uniform() + turns;
    return u < 1 ? u : u - 1;
}

}  // namespace kurve::diffusion
