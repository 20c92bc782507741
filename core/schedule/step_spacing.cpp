#include "core/schedule/step_spacing.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::schedule {
namespace {

/// The s with logSnr(s) = wanted between two times where it is finite.
double timeOf(const NoiseSchedule& schedule, double wanted, double low, double high) {
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (schedule.logSnr(middle) > wanted ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// The `part` of the way from the noisiest to the cleanest level.
double levelAt(double noisy, double clean, double part, Spacing spacing) {
    if (spacing == Spacing::LogSnr) return noisy + part * (clean - noisy);
    constexpr double kRho = 7;
    const double from = std::exp(-noisy / 2 / kRho), to = std::exp(-clean / 2 / kRho);
    return -2 * kRho * std::log(from + part * (to - from));
}

/// Nearest training steps, each above the one before, the last one T - 1.
std::vector<double> onSteps(const std::vector<double>& positions, int trainingSteps) {
    const int count = static_cast<int>(positions.size());
    std::vector<int> steps;
    for (int i = 0; i < count; ++i) {
        const auto nearest =
            static_cast<int>(std::lround(positions[static_cast<std::size_t>(i)] * trainingSteps)) - 1;
        const int least = steps.empty() ? 0 : steps.back() + 1;
        steps.push_back(std::clamp(nearest, least, trainingSteps - count + i));
    }
    std::vector<double> out;
    for (const int step : steps) out.push_back((step + 1.0) / trainingSteps);
    return out;
}

}  // namespace

std::vector<double> spacedPositions(const NoiseSchedule& schedule, int steps, Spacing spacing) {
    if (spacing == Spacing::Time || steps == 1) return samplingPositions(schedule, steps);
    const int trainingSteps = schedule.discreteSteps();
    KURVE_CHECK(steps >= 1 && (trainingSteps == 0 || steps <= trainingSteps), "{} of {} steps", steps,
                trainingSteps);
    const double first = trainingSteps > 0 ? 1.0 / trainingSteps : 1e-5;
    // The last training step may be an outlier (its beta is capped) or pure noise: spacing from there would
    // squeeze the first steps together. It is walked all the same, as the first of them.
    const double last = trainingSteps > 0 || !std::isfinite(schedule.logSnr(1)) ? 1 - first : 1;
    const double noisy = schedule.logSnr(last), clean = schedule.logSnr(first);
    std::vector<double> positions;
    for (int i = 0; i < steps; ++i) {
        const double part = static_cast<double>(i) / (steps - 1);
        positions.push_back(timeOf(schedule, levelAt(noisy, clean, part, spacing), first, last));
    }
    std::reverse(positions.begin(), positions.end());
    positions.back() = 1;
    return trainingSteps > 0 ? onSteps(positions, trainingSteps) : positions;
}

std::vector<double> gapsOf(const NoiseSchedule& schedule, const std::vector<double>& positions) {
    std::vector<double> gaps;
    for (std::size_t i = 1; i < positions.size(); ++i) {
        const double gap = schedule.logSnr(positions[i - 1]) - schedule.logSnr(positions[i]);
        if (std::isfinite(gap)) gaps.push_back(gap);
    }
    return gaps;
}

std::vector<int> tokensRevealed(const NoiseSchedule& schedule, const std::vector<double>& positions,
                                int tokens) {
    KURVE_CHECK(!positions.empty() && tokens >= 0, "{} positions, {} tokens", positions.size(), tokens);
    const double hidden = schedule.alpha(positions.back()), shown = schedule.alpha(0);
    std::vector<int> revealed;
    long long before = 0;
    for (std::size_t i = positions.size(); i-- > 0;) {
        const double next = i == 0 ? shown : schedule.alpha(positions[i - 1]);
        const auto until = std::llround(tokens * (next - hidden));
        revealed.push_back(static_cast<int>(until - before));
        before = until;
    }
    return revealed;
}

}  // namespace kurve::schedule
