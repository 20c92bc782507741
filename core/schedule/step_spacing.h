#pragma once

#include <string>
#include <vector>

#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// The spacing of the sampling steps between noise and data.
enum class Spacing : unsigned char {
    Time,    ///< samplingPositions(): even in time, what the samplers of Kurve do
    LogSnr,  ///< even in log-SNR (DPM-Solver, Lu et al. 2022)
    Rho7,    ///< sigma^(1/7) even, sigma = noise / signal (Karras et al. 2022)
};

/// Where N sampling steps evaluate the network, strictly ascending in s, the last at s = 1. Of a discrete
/// schedule they are times of training steps, so N <= T. The levels reach from the first to the last finite
/// log-SNR.
[[nodiscard]] std::vector<double> spacedPositions(const NoiseSchedule& schedule, int steps, Spacing spacing);

/// Falls of the log-SNR between neighbouring positions where both are finite.
[[nodiscard]] std::vector<double> gapsOf(const NoiseSchedule& schedule, const std::vector<double>& positions);

/// Mask schedules: how many of `tokens` each step reveals when it goes from its position to the next cleaner
/// one (the last: to s = 0), from the noisiest step on. Whole numbers that follow tokens (alpha_next -
/// alpha_here) and sum to what is masked at the last position.
[[nodiscard]] std::vector<int> tokensRevealed(const NoiseSchedule& schedule,
                                              const std::vector<double>& positions, int tokens);

}  // namespace kurve::schedule
