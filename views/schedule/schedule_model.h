#pragma once

#include <memory>
#include <vector>

#include "core/schedule/noise_schedule.h"
#include "core/store/run_reader.h"

namespace kurve::views {

/// What the charts draw of one schedule; plain numbers, no window.
struct ScheduleCurves {
    std::string name, title;
    bool masking = false;  ///< noise is the mask probability then
    std::vector<double> s, signal, noise;
    std::vector<double> snrAt, logSnr;       ///< only where the log-SNR is finite
    std::vector<double> densityAt, density;  ///< p(log-SNR) for s uniform on (0, 1), ascending in log-SNR
    std::vector<double> stepAt, stepLogSnr;  ///< where the sampling steps evaluate, ascending in s
    double balance = 0;                      ///< s at which signal and noise are equally strong (log-SNR = 0)
    double largestGap = 0;                   ///< between neighbouring sampling steps, in log-SNR
};
[[nodiscard]] ScheduleCurves curvesOf(const schedule::NoiseSchedule& schedule, int samplingSteps);

/// One histogram of a run: loss against noise level.
struct NoiseLoss {
    std::int64_t step = 0;
    std::vector<double> logSnr, loss;  ///< centres of the bins that hold something, ascending
};
/// The newest histogram at or before `step` (any if step < 0) that can be read; empty without one.
[[nodiscard]] NoiseLoss noiseLossOf(const std::vector<store::HistogramRow>& rows, std::int64_t step = -1);

}  // namespace kurve::views
