#include "core/sampling/remasking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/sampling/unmasking.h"

namespace kurve::sampling {
namespace {

double sigmaOf(const Remasking& remasking, double t, double largest) {
    switch (remasking.schedule) {
        case RemaskingSchedule::None:
            return 0;
        case RemaskingSchedule::Cap:
            return std::min(remasking.eta, largest);
        case RemaskingSchedule::Rescale:
        case RemaskingSchedule::Confidence:
            return remasking.eta * largest;
        case RemaskingSchedule::Loop:
            return t > remasking.loop.off && t <= remasking.loop.on ? std::min(remasking.eta, largest) : 0;
    }
    return 0;
}

}  // namespace

double loopMaskProbability(const LoopPhases& phases, double time) {
    KURVE_CHECK(0 <= phases.off && phases.off <= phases.on && phases.on <= 1, "phases {} to {}", phases.on,
                phases.off);
    KURVE_CHECK(0 <= phases.alpha && phases.alpha <= 1, "alpha {}", phases.alpha);
    const double t = std::clamp(time, 0.0, 1.0);
    if (t == 0) return 0;
    if (t > phases.on) return 1 - phases.alpha * (1 - t) / (1 - phases.on);
    return t > phases.off ? 1 - phases.alpha : (1 - phases.alpha) * t / phases.off;
}

double maxRemaskProbability(double pt, double ps) {
    const double masked = std::max(ps, 0.0), unmasked = 1 - pt;
    if (masked == 0) return 0;
    return masked < unmasked ? masked / unmasked : 1;  // at t = 1 nothing is unmasked yet
}

RemaskingTransition remaskingTransition(const Remasking& remasking, const MaskingStep& step) {
    KURVE_CHECK(step.pt >= 0 && step.pt <= 1 && step.ps <= step.pt, "mask probability {} to {}", step.pt,
                step.ps);
    KURVE_CHECK(remasking.eta >= 0 && remasking.eta <= 1, "eta {}", remasking.eta);
    const double ps = std::max(step.ps, 0.0);
    const double remask = sigmaOf(remasking, step.t, maxRemaskProbability(step.pt, ps));
    const double ofMasked = remasking.schedule == RemaskingSchedule::Confidence ? 0 : remask;
    return {.unmask = unmaskProbability(step.pt, ps - ofMasked * (1 - step.pt)), .remask = remask};
}

std::vector<double> confidenceRemasking(double remask, std::span<const float> confidences) {
    std::vector<double> weights;
    weights.reserve(confidences.size());
    for (const float confidence : confidences)
        weights.push_back(std::exp(std::isnan(confidence) ? 0.0 : -static_cast<double>(confidence)));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight *= remask / sum;
    return weights;
}

}  // namespace kurve::sampling
