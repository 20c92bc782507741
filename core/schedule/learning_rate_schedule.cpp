#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/check.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

double LearningRateSchedule::at(std::int64_t step) const {
    KURVE_CHECK(step >= 0, "step {}", step);
    if (step < warmup)
        return initial + (peak - initial) * static_cast<double>(step) / static_cast<double>(warmup);
    if (kind == "constant") return peak;
    if (kind == "inverse-sqrt") {
        const auto base = static_cast<double>(std::max<std::int64_t>(warmup, 1));
        return peak * std::sqrt(base / std::max(base, static_cast<double>(step)));
    }
    const double length = static_cast<double>(std::max<std::int64_t>(total - warmup, 1));
    const double progress = std::min(1.0, static_cast<double>(step - warmup) / length);
    if (kind == "linear") return peak + (final - peak) * progress;
    KURVE_CHECK(kind == "cosine", "unknown schedule {}", kind);
    return final + (peak - final) * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

}  // namespace kurve::schedule
