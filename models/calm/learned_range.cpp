#include "models/calm/learned_range.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::models::calm {

LearnedRange::LearnedRange(std::int64_t steps) {
    KURVE_CHECK(steps > 1 && steps <= kDiffusionSteps, "{} steps", steps);
    const auto schedule = schedule::makeSchedule("cosine", {{"steps", std::to_string(kDiffusionSteps)}});
    KURVE_CHECK(schedule.has_value(), "{}", schedule.error().text());
    const auto alphaBar = (*schedule)->alphaBars();
    double before = 1;
    for (std::int64_t i = 0; i < steps; ++i) {
        Step step;
        step.time = static_cast<int>(
            std::lround(static_cast<double>(i * (kDiffusionSteps - 1)) / static_cast<double>(steps - 1)));
        const double now = alphaBar[static_cast<std::size_t>(step.time)], alpha = now / before;
        step.signal = std::sqrt(now);
        step.noise = std::sqrt(1 - now);
        step.beta = 1 - alpha;
        step.x0Weight = step.beta * std::sqrt(before) / (1 - now);
        step.xWeight = (1 - before) * std::sqrt(alpha) / (1 - now);
        step.logBeta = std::log(step.beta);
        step.logPosterior = std::log(step.beta * (1 - before) / (1 - now));
        steps_.push_back(step);
        before = now;
    }
    steps_[0].logPosterior = steps_[1].logPosterior;  // it is zero there; clipped as in the code
}

}  // namespace kurve::models::calm
