#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace kurve::models::calm {

/// Steps of a Gaussian diffusion whose variances the network chooses between log beta and the posterior's
/// (Nichol and Dhariwal 2021, section 3.1). Pure host numbers.
class LearnedRange {
public:
    /// All of the cosine schedule's 1,000 steps, or `steps` of them, the i-th at round(i 999 / (steps - 1)).
    explicit LearnedRange(std::int64_t steps);

    struct Step {
        int time = 0;                                ///< of the 1,000
        double signal = 0, noise = 0;                ///< sqrt(alphaBar), sqrt(1 - alphaBar)
        double beta = 0, x0Weight = 0, xWeight = 0;  ///< posterior mean = x0Weight x0 + xWeight x
        double logPosterior = 0, logBeta = 0;        ///< log variances of the two ends
    };
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

private:
    std::vector<Step> steps_;
};

inline constexpr std::int64_t kDiffusionSteps = 1000;

}  // namespace kurve::models::calm
