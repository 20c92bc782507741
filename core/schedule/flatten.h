#pragma once

#include <span>

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// A run's loss in bins of the log-SNR.
struct LossLevel {
    double from = 0, to = 0;  ///< log-SNR
    double loss = 0;          ///< mean
    double rows = 0;          ///< how many sentences it is the mean of; 0 = empty bin
};

struct FlattenSettings {
    /// Fraction of the result that follows the present density, so that every level is drawn.
    double presentFraction = 0.1;
};

/// The schedule whose p(log-SNR) follows the loss slope |dloss / dlog-SNR|: the loss is then linear in time
/// (time warping, Dieleman et al. 2022; SeqDiffuSeq, Yuan et al. 2022). The run's loss is made monotone in
/// the log-SNR first, weighted by rows. Same lowest and highest log-SNR as `schedule`; levels without data
/// keep a fraction of their present density only. Errors: schedule.flatten, where fewer than 3 bins are
/// filled or the loss does not change with the level.
Result<FreeCurve> flattened(const NoiseSchedule& schedule, std::span<const LossLevel> levels,
                            const FlattenSettings& settings = {});

/// |dloss / dlog-SNR| of the monotone fit between the middles of the filled bins.
struct LossSlope {
    std::vector<double> logSnr, slope;  ///< middles between neighbouring bins, ascending
    std::vector<double> fitted;         ///< the monotone fit at the bins' middles
    std::vector<double> at;             ///< the bins' middles
};
Result<LossSlope> lossSlope(std::span<const LossLevel> levels);

}  // namespace kurve::schedule
