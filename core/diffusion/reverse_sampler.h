#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/sampling/gaussian_step.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::diffusion {

/// DDPM's ancestral sampling (Ho et al. 2020), DDIM (Song et al. 2021, eta = 0), DPM-Solver++ 2M (Lu et al.
/// 2022, algorithm 2, data prediction).
enum class Solver : std::uint8_t { Ddpm, Ddim, DpmSolver };

struct SolverSettings {
    Solver solver = Solver::Ddpm;
    bool largeVariance = false;    ///< of DDPM: the forward process' beta, not the posterior's variance
    bool lowerOrderFinal = false;  ///< of DPM-Solver++: the step before the last is first order as well
};

/// The row of the table [V, d] that is nearest to each x [..., d], the first of several: [...] i64. One
/// product of matrices, no differences.
[[nodiscard]] at::Tensor nearestRows(const at::Tensor& x, const at::Tensor& table);

/// Runs a chain of reverse steps for a network that predicts x0. The last step has no noise and gives the
/// estimate itself; the variance of the cleanest step with noise is the posterior's (improved_diffusion's
/// clipped one).
class ReverseSampler {
public:
    /// `chain` in the order it runs, noisiest first (GaussianProcess::reverseSteps()).
    ReverseSampler(std::vector<schedule::ReverseStep> chain, const SolverSettings& settings);

    [[nodiscard]] const std::vector<schedule::ReverseStep>& chain() const { return chain_; }
    /// Whether step i takes noise.
    [[nodiscard]] bool isRandom(std::size_t i) const { return steps_[i].noise > 0; }
    /// The state after step i, from state x and the estimate of x0 there; `maybeNoise` ~ N(0, 1) where
    /// isRandom(). Steps run in turn, from 0.
    [[nodiscard]] at::Tensor next(std::size_t i, const at::Tensor& x, const at::Tensor& estimate,
                                  const at::Tensor& maybeNoise);

private:
    [[nodiscard]] double extrapolation(std::size_t i) const;

    std::vector<schedule::ReverseStep> chain_;
    SolverSettings settings_;
    std::vector<sampling::GaussianStep> steps_;
    at::Tensor last_;  ///< the estimate of the step before
};

}  // namespace kurve::diffusion
