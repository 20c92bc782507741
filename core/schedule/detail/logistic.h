#pragma once

#include <cmath>

namespace kurve::schedule::detail {

/// 1 / (1 + e^-x), without overflow.
inline double sigmoid(double x) {
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
/// Its inverse.
inline double logit(double p) {
    return std::log(p / (1 - p));
}

}  // namespace kurve::schedule::detail
