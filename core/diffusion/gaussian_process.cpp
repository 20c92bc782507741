#include "core/diffusion/gaussian_process.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::diffusion {

GaussianProcess::GaussianProcess(std::shared_ptr<const schedule::NoiseSchedule> schedule, double noiseFactor)
    : schedule_(std::move(schedule)), noiseFactor_(noiseFactor) {
    KURVE_CHECK(schedule_->discreteSteps() > 0, "schedule {} has no discrete steps", schedule_->name());
}

GaussianProcess::Noising GaussianProcess::at(double u) const {
    const int t = std::clamp(static_cast<int>(u * steps()), 0, steps() - 1);
    const double alphaBar = schedule_->alphaBars()[static_cast<std::size_t>(t)];
    return {t, t * 1000.0 / steps(), static_cast<float>(std::sqrt(alphaBar)),
            static_cast<float>(std::sqrt(1 - alphaBar) * noiseFactor_), std::log(alphaBar / (1 - alphaBar))};
}

std::vector<schedule::ReverseStep> GaussianProcess::reverseSteps(int count, int skipLast) const {
    return reverseSteps(count, skipLast, {});
}

std::vector<schedule::ReverseStep> GaussianProcess::reverseSteps(int count, int skipLast,
                                                                 const Sampling& sampling) const {
    const schedule::NoiseSchedule& used = sampling.schedule ? *sampling.schedule : *schedule_;
    std::vector<int> chosen;
    for (const double s : schedule::spacedPositions(used, count, sampling.spacing))
        chosen.push_back(static_cast<int>(std::lround(s * used.discreteSteps())) - 1);
    std::vector<schedule::ReverseStep> plan = schedule::respace(used, chosen);
    if (sampling.schedule) plan = schedule::asTrained(std::move(plan), *schedule_);
    std::reverse(plan.begin(), plan.end());
    plan.resize(static_cast<std::size_t>(std::max(1, count - skipLast)));
    return plan;
}

sampling::NoiseLevel levelAt(const schedule::NoiseSchedule& schedule, double t) {
    KURVE_CHECK(!schedule.maskProbability(t), "schedule {} is one of masks", schedule.name());
    return {schedule.alpha(t), schedule.sigma(t)};
}

}  // namespace kurve::diffusion
