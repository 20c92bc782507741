#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/sampling/gaussian_step.h"
#include "core/schedule/noise_schedule.h"
#include "core/schedule/step_spacing.h"

namespace kurve::diffusion {

/// The discrete Gaussian forward process z_t = sqrt(alphaBar_t) z_0 + sqrt(1 - alphaBar_t) F eps, t = 0 … T-1
/// (difformer/gaussian_diffusion.py): which t a row gets and the two factors. Pure host numbers; immutable.
class GaussianProcess {
public:
    /// `schedule` must be discrete. F scales the noise only, not the schedule.
    GaussianProcess(std::shared_ptr<const schedule::NoiseSchedule> schedule, double noiseFactor);

    struct Noising {
        int t = 0;
        double modelTime = 0;  ///< t 1000 / T, what the network sees
        float signal = 0, noise = 0;
        double logSnr = 0;  ///< ln(alphaBar / (1 - alphaBar)), of the schedule (without F)
    };
    /// u in [0, 1) -> t = floor(u T).
    [[nodiscard]] Noising at(double u) const;
    [[nodiscard]] int steps() const { return schedule_->discreteSteps(); }
    /// Reverse steps in the order they run: noisiest first, without the last `skipLast`.
    [[nodiscard]] std::vector<schedule::ReverseStep> reverseSteps(int steps, int skipLast = 0) const;
    /// Another schedule or spacing of the steps, at test time only.
    struct Sampling {
        std::shared_ptr<const schedule::NoiseSchedule> schedule;  ///< discrete; null = the trained one
        schedule::Spacing spacing = schedule::Spacing::Time;
    };
    /// The network gets the model times at which training had the same log-SNR.
    [[nodiscard]] std::vector<schedule::ReverseStep> reverseSteps(int steps, int skipLast,
                                                                  const Sampling& sampling) const;

private:
    std::shared_ptr<const schedule::NoiseSchedule> schedule_;
    double noiseFactor_;
};

/// The level of a Gaussian process in continuous time: alpha and sigma of the schedule at t in [0, 1]. The
/// schedule is not one of masks.
[[nodiscard]] sampling::NoiseLevel levelAt(const schedule::NoiseSchedule& schedule, double t);

}  // namespace kurve::diffusion
