#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/check.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {
namespace {

int spacedStep(int index, int steps, int trainingSteps) {
    if (steps == 1) return trainingSteps - 1;
    // Rational, so that ties are exact; nearbyint rounds half to even as NumPy does.
    return static_cast<int>(std::nearbyint(static_cast<double>(index) * (trainingSteps - 1) / (steps - 1)));
}

void fillPosterior(ReverseStep& step) {
    const double noise = 1 - step.alphaBar, noisePrevious = 1 - step.alphaBarPrevious;
    step.beta = 1 - step.alphaBar / step.alphaBarPrevious;
    step.c1 = step.beta * std::sqrt(step.alphaBarPrevious) / noise;
    step.c2 = noisePrevious * std::sqrt(1 - step.beta) / noise;
    step.sigma = std::sqrt(step.beta * noisePrevious / noise);
    step.logSnr = std::log(step.alphaBar / noise);
}

}  // namespace

std::vector<ReverseStep> respace(const NoiseSchedule& schedule, int steps) {
    const int trainingSteps = schedule.discreteSteps();
    KURVE_CHECK(steps >= 1 && steps <= trainingSteps, "{} of {} steps", steps, trainingSteps);
    std::vector<int> chosen;
    for (int s = 0; s < steps; ++s) chosen.push_back(spacedStep(s, steps, trainingSteps));
    return respace(schedule, chosen);
}

std::vector<ReverseStep> respace(const NoiseSchedule& schedule, std::span<const int> steps) {
    const std::span<const double> signal = schedule.alphaBars();
    const int trainingSteps = schedule.discreteSteps();
    std::vector<ReverseStep> chain(steps.size());
    double previous = 1;
    for (std::size_t s = 0; s < chain.size(); ++s) {
        ReverseStep& step = chain[s];
        step.t = steps[s];
        KURVE_CHECK(step.t > (s == 0 ? -1 : steps[s - 1]) && step.t < trainingSteps, "step {} of {}", step.t,
                    trainingSteps);
        step.modelTime = step.t * 1000.0 / trainingSteps;
        step.alphaBar = signal[static_cast<std::size_t>(step.t)];
        step.alphaBarPrevious = previous;
        fillPosterior(step);
        previous = step.alphaBar;
    }
    // The clipped variance of the last step (improved_diffusion/gaussian_diffusion.py).
    if (chain.size() > 1) chain[0].sigma = chain[1].sigma;
    return chain;
}

std::vector<ReverseStep> asTrained(std::vector<ReverseStep> chain, const NoiseSchedule& training) {
    const std::span<const double> signal = training.alphaBars();
    const int steps = training.discreteSteps();
    KURVE_CHECK(steps > 0, "{} has no discrete steps", training.name());
    const auto logSnr = [](double power) { return std::log(power / (1 - power)); };
    for (ReverseStep& step : chain) {
        // The first training step at which no more of the signal is left.
        const auto after = std::lower_bound(signal.begin(), signal.end(), step.alphaBar, std::greater<>());
        const auto i = static_cast<int>(after - signal.begin());
        double index = std::clamp(i, 0, steps - 1);
        if (i > 0 && i < steps) {
            const double high = logSnr(*(after - 1)), low = logSnr(*after);
            if (std::isfinite(low)) index = i - 1 + (high - step.logSnr) / (high - low);
        }
        step.t = static_cast<int>(std::lround(index));
        step.modelTime = index * 1000.0 / steps;
    }
    return chain;
}

std::vector<double> samplingPositions(const NoiseSchedule& schedule, int steps) {
    KURVE_CHECK(steps >= 1, "{} steps", steps);
    std::vector<double> positions;
    if (schedule.discreteSteps() > 0) {
        for (const ReverseStep& step : respace(schedule, steps))
            positions.push_back((step.t + 1.0) / schedule.discreteSteps());
        return positions;
    }
    constexpr double kLast = 1e-5;
    for (int i = steps; i >= 1; --i) positions.push_back(1 - (steps - i) * (1 - kLast) / steps);
    return {positions.rbegin(), positions.rend()};
}

}  // namespace kurve::schedule
