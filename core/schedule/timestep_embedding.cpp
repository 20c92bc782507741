#include <cmath>

#include "core/base/check.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

std::vector<double> timestepEmbedding(double modelTime, int dim) {
    KURVE_CHECK(dim >= 2 && dim % 2 == 0, "dim {} is not even", dim);
    const auto half = static_cast<std::size_t>(dim) / 2;
    std::vector<double> embedding(2 * half);
    for (std::size_t i = 0; i < half; ++i) {
        const double angle =
            modelTime * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
        embedding[i] = std::cos(angle);
        embedding[half + i] = std::sin(angle);
    }
    return embedding;
}

}  // namespace kurve::schedule
