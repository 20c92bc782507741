#pragma once

#include <string>
#include <vector>

#include "core/schedule/flatten.h"
#include "core/schedule/noise_density.h"
#include "core/schedule/noise_schedule.h"
#include "core/schedule/step_spacing.h"
#include "core/schedule/weight_points.h"

namespace kurve::schedule {

/// The weight that is given by points instead of a formula.
inline constexpr const char* kOwnWeight = "points";

/// What is chosen beside the schedule: how training draws its times and weighs its levels, how sampling goes.
struct ScheduleUse {
    TimeDensity times = {};
    std::string weight = "x0";                               ///< id of lossWeights(), or kOwnWeight
    double weightLimit = 5;                                  ///< of the weights that have one
    WeightPoints weightPoints{{-10, 0.2}, {0, 1}, {10, 1}};  ///< of kOwnWeight
    int steps = 20;
    Spacing spacing = Spacing::Time;
    int tokens = 24;  ///< length of the sentence whose tokens a mask schedule reveals
};

/// What the charts draw of one schedule; plain numbers, no window.
struct ScheduleCurves {
    std::string name, title;
    bool masking = false;  ///< noise is the mask probability then
    std::vector<double> s, signal, noise;
    std::vector<double> snrAt, logSnr;       ///< only where the log-SNR is finite
    NoiseDensity density;                    ///< p(log-SNR) of training
    std::vector<double> weighted;            ///< w p at density.logSnr, scaled to area 1
    std::vector<double> hazardAt, hazard;    ///< mask schedules: -alpha' / (1 - alpha)
    std::vector<double> stepAt, stepLogSnr;  ///< where the sampling steps evaluate, ascending in s
    std::vector<double> gaps;                ///< between neighbouring steps in log-SNR, from the noisy end on
    std::vector<int> revealed;               ///< mask schedules: tokens of each step, from the noisy end on
    double balance = 0;                      ///< s at which signal and noise are equally strong (log-SNR = 0)
    double largestGap = 0;                   ///< between neighbouring sampling steps, in log-SNR
};
[[nodiscard]] ScheduleCurves curvesOf(const NoiseSchedule& schedule, const ScheduleUse& use);

}  // namespace kurve::schedule
