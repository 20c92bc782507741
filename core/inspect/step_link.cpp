#include "core/inspect/step_link.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::inspect {
namespace {

/// Distance of two steps' noise levels: log-SNR where both are finite, else model time (an end of the
/// schedule, or a model without Gaussian noise).
double noiseDistance(const trace::Trace& a, int i, const trace::Trace& b, int j) {
    const auto at = [](const std::vector<double>& values, int k) {
        return static_cast<std::size_t>(k) < values.size() ? values[static_cast<std::size_t>(k)]
                                                           : std::numeric_limits<double>::quiet_NaN();
    };
    const double x = at(a.logSnr, i), y = at(b.logSnr, j);
    if (std::isfinite(x) && std::isfinite(y)) return std::abs(x - y);
    const double time = std::abs(at(a.t, i) - at(b.t, j));
    constexpr double kBehindAllFinite = 1e6;
    return std::isnan(time) || (std::isfinite(x) != std::isfinite(y)) ? kBehindAllFinite + std::abs(i - j)
                                                                      : time;
}

}  // namespace

int partnerStep(const trace::Trace& a, int step, const trace::Trace& b, LinkBy by) {
    const int last = b.steps - 1;
    switch (by) {
        case LinkBy::Step:
            break;
        case LinkBy::Fraction:
            return a.steps < 2
                       ? last
                       : static_cast<int>(std::lround(static_cast<double>(step) * last / (a.steps - 1)));
        case LinkBy::Noise: {
            int best = 0;
            for (int j = 1; j <= last; ++j)
                if (noiseDistance(a, step, b, j) < noiseDistance(a, step, b, best)) best = j;
            return best;
        }
    }
    return std::min(step, last);
}

}  // namespace kurve::inspect
