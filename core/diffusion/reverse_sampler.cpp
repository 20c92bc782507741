#include "core/diffusion/reverse_sampler.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"

namespace kurve::diffusion {
namespace {

using sampling::NoiseLevel;

sampling::GaussianStep gaussianStep(const schedule::ReverseStep& step, bool last,
                                    const SolverSettings& settings) {
    const NoiseLevel from = NoiseLevel::ofAlphaBar(step.alphaBar),
                     to = NoiseLevel::ofAlphaBar(step.alphaBarPrevious);
    if (last) return {1, 0, 0};
    if (settings.solver != Solver::Ddpm) return sampling::ddimStep(from, to, 0);
    const double large = sampling::reverseVariance(from, to).forward;
    return sampling::ancestralStep(from, to, settings.largeVariance ? large : step.sigma * step.sigma);
}

}  // namespace

at::Tensor nearestRows(const at::Tensor& x, const at::Tensor& table) {
    // |x - e|^2 without |x|^2, which is the same for all rows
    const at::Tensor flat = x.reshape({-1, x.size(-1)}),
                     score = at::addmm(table.square().sum(1), flat, table.t(), 1, -2);
    return score.argmin(1).view(x.sizes().slice(0, static_cast<std::size_t>(x.dim()) - 1));
}

ReverseSampler::ReverseSampler(std::vector<schedule::ReverseStep> chain, const SolverSettings& settings)
    : chain_(std::move(chain)), settings_(settings) {
    for (std::size_t i = 0; i < chain_.size(); ++i)
        steps_.push_back(gaussianStep(chain_[i], i + 1 == chain_.size(), settings));
}

/// The weight of the last difference of estimates.
double ReverseSampler::extrapolation(std::size_t i) const {
    const bool lower = settings_.lowerOrderFinal && i + 2 == chain_.size();
    if (settings_.solver != Solver::DpmSolver || i == 0 || lower) return 0;
    const auto level = [](double alphaBar) { return NoiseLevel::ofAlphaBar(alphaBar); };
    return sampling::multistepWeight(level(chain_[i - 1].alphaBar), level(chain_[i].alphaBar),
                                     level(chain_[i].alphaBarPrevious));
}

at::Tensor ReverseSampler::next(std::size_t i, const at::Tensor& x, const at::Tensor& estimate,
                                const at::Tensor& maybeNoise) {
    KURVE_CHECK(i == 0 || last_.defined(), "step {} before the first", i);
    if (i + 1 == chain_.size()) return estimate;
    const double weight = extrapolation(i);
    const at::Tensor x0 = weight != 0 ? at::lerp(last_, estimate, 1 + weight) : estimate;
    last_ = estimate;
    // x' = a x0 + e eps + s noise with eps = (x - signal x0) / sigma
    const double sigma = std::sqrt(1 - chain_[i].alphaBar), ofState = steps_[i].epsilon / sigma;
    at::Tensor moved = (x0 * (steps_[i].x0 - ofState * std::sqrt(chain_[i].alphaBar))).add_(x, ofState);
    if (!isRandom(i)) return moved;
    KURVE_CHECK(maybeNoise.defined(), "a step with noise {} got none", steps_[i].noise);
    return moved.add_(maybeNoise, steps_[i].noise);
}

}  // namespace kurve::diffusion
