#include "core/diffusion/absorbing_process.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::diffusion {
namespace {

void checkMaskShapes(const at::Tensor& uniform, const at::Tensor& perRow, const at::Tensor& maskable) {
    KURVE_CHECK(
        uniform.dim() == 2 && uniform.sizes() == maskable.sizes() && maskable.scalar_type() == at::kBool,
        "needs [B, L] uniform numbers and bool, got {} and {} dimensions", uniform.dim(), maskable.dim());
    KURVE_CHECK(perRow.dim() == 1 && perRow.size(0) == uniform.size(0), "{} values for {} rows",
                perRow.numel(), uniform.size(0));
}

}  // namespace

AbsorbingProcess::AbsorbingProcess(std::shared_ptr<const schedule::NoiseSchedule> schedule,
                                   std::int64_t steps)
    : schedule_(std::move(schedule)), steps_(steps) {
    KURVE_CHECK(schedule_->maskProbability(1).has_value(), "schedule {} masks nothing", schedule_->name());
    KURVE_CHECK(steps_ >= 0, "{} steps", steps_);
}

AbsorbingProcess::Noising AbsorbingProcess::at(double t) const {
    KURVE_CHECK(t >= 0 && t <= 1, "t = {} is not in [0, 1]", t);
    Noising noising;
    noising.time = t;
    if (steps_ > 0) {
        const auto total = static_cast<double>(steps_);
        const auto step = std::min(static_cast<std::int64_t>(t * total), steps_ - 1);
        noising.time = static_cast<double>(step + 1) / total;
        noising.weight = discreteWeight(step);
    } else {
        noising.weight = *schedule_->weight(t);
    }
    noising.maskProbability = maskProbability(noising.time);
    noising.sigma = schedule_->sigma(noising.time);
    noising.logSnr = schedule_->logSnr(noising.time);
    return noising;
}

// By mask probabilities: near t = 0, where alpha is close to 1, their difference keeps its digits.
double AbsorbingProcess::discreteWeight(std::int64_t step) const {
    const auto total = static_cast<double>(steps_);
    const double now = maskProbability(static_cast<double>(step + 1) / total),
                 before = maskProbability(static_cast<double>(step) / total);
    return total * (now - before) / now;
}

at::Tensor maskDraw(const at::Tensor& uniform, const at::Tensor& probability, const at::Tensor& maskable) {
    checkMaskShapes(uniform, probability, maskable);
    return uniform.lt(probability.to(uniform.scalar_type()).unsqueeze(1)).bitwise_and(maskable);
}

ExactCount exactCount(double u, std::int64_t maskable) {
    KURVE_CHECK(u >= 0 && u < 1 && maskable >= 0, "u = {}, {} maskable tokens", u, maskable);
    if (maskable == 0) return {};
    const auto n = static_cast<double>(maskable);
    const std::int64_t k = std::min(1 + static_cast<std::int64_t>(u * n), maskable);
    return {k, n / static_cast<double>(k)};
}

at::Tensor exactCountMask(const at::Tensor& uniform, const at::Tensor& counts, const at::Tensor& maskable) {
    checkMaskShapes(uniform, counts, maskable);
    const at::Tensor order = uniform.masked_fill(maskable.bitwise_not(), 2).argsort(/*stable=*/true, 1),
                     chosen = at::arange(uniform.size(1), counts.options()).lt(counts.unsqueeze(1));
    return at::zeros_like(maskable).scatter_(1, order, chosen).bitwise_and(maskable);
}

}  // namespace kurve::diffusion
