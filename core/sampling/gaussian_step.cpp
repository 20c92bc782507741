#include "core/sampling/gaussian_step.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::sampling {

NoiseLevel NoiseLevel::ofAlphaBar(double alphaBar) {
    return {std::sqrt(alphaBar), std::sqrt(1 - alphaBar)};
}

double NoiseLevel::logSnr() const {
    return 2 * std::log(signal / noise);
}

ReverseVariance reverseVariance(const NoiseLevel& from, const NoiseLevel& to) {
    KURVE_CHECK(from.noise > 0 && to.signal > 0, "a step from noise {} to signal {}", from.noise, to.signal);
    const double ratio = from.signal / to.signal, kept = ratio * to.noise,
                 forward = std::max(0.0, from.noise * from.noise - kept * kept), part = to.noise / from.noise;
    return {forward, part * part * forward};
}

GaussianStep ancestralStep(const NoiseLevel& from, const NoiseLevel& to, double variance) {
    KURVE_CHECK(from.noise > 0 && to.signal > 0, "a step from noise {} to signal {}", from.noise, to.signal);
    return {to.signal, from.signal / to.signal * to.noise * to.noise / from.noise, std::sqrt(variance)};
}

GaussianStep ddimStep(const NoiseLevel& from, const NoiseLevel& to, double eta) {
    const double variance = eta * eta * reverseVariance(from, to).posterior;
    return {to.signal, std::sqrt(std::max(0.0, to.noise * to.noise - variance)), std::sqrt(variance)};
}

double multistepWeight(const NoiseLevel& before, const NoiseLevel& from, const NoiseLevel& to) {
    return (to.logSnr() - from.logSnr()) / (2 * (from.logSnr() - before.logSnr()));
}

}  // namespace kurve::sampling
