#pragma once

#include <string>

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// With a decimal point or an exponent: C++ and TOML read it as a double.
[[nodiscard]] std::string realText(double value);

/// CSV with t, alpha, sigma and log_snr at equal times; discrete schedules have a line for t = 0 and each
/// training step, others 1001 lines. Infinite numbers are written inf and -inf.
[[nodiscard]] std::string tableText(const NoiseSchedule& schedule);

/// A C++ header: constexpr arrays of alpha_bar and beta of a discrete schedule, of alpha and sigma at 1001
/// times of another; of a drawn one its points as well.
[[nodiscard]] std::string initialiserText(const NoiseSchedule& schedule);
[[nodiscard]] std::string initialiserText(const FreeCurve& curve, const NoiseSchedule& schedule);

}  // namespace kurve::schedule
