#pragma once

namespace kurve::sampling {

/// A level of a Gaussian process: z = signal x0 + noise eps, eps ~ N(0, 1). Signal falls and noise rises from
/// data (1, 0) to noise.
struct NoiseLevel {
    double signal = 1, noise = 0;
    /// Of a process that preserves variance: signal^2 = alphaBar, noise^2 = 1 - alphaBar.
    [[nodiscard]] static NoiseLevel ofAlphaBar(double alphaBar);
    [[nodiscard]] double logSnr() const;  ///< 2 ln(signal / noise); +-inf at the ends
};

/// One reverse step by the network's estimates of x0 and eps: z' = x0 x0_hat + epsilon eps_hat + noise N(0,
/// 1). A caller may change a factor (LCM divides `epsilon` by its epsilon scaling).
struct GaussianStep {
    double x0 = 1, epsilon = 0, noise = 0;
};

// Steps from a level down to a cleaner one, from.noise > 0 and to.signal > 0; from.signal may be 0. With
// r = from.signal / to.signal the forward process adds the variance from.noise^2 - r^2 to.noise^2 between the
// two: DDPM's beta (Ho et al. 2020), here for any Gaussian process (Kingma et al. 2021, appendix A).

/// The variance that the forward process adds (DDPM's "fixed large"), and the one of the posterior given x0
/// ("fixed small").
struct ReverseVariance {
    double forward = 0, posterior = 0;
};
[[nodiscard]] ReverseVariance reverseVariance(const NoiseLevel& from, const NoiseLevel& to);

/// Ancestral sampling: the posterior's mean, with `variance` of noise. The last step, to.noise = 0, has no
/// noise by convention: pass 0.
[[nodiscard]] GaussianStep ancestralStep(const NoiseLevel& from, const NoiseLevel& to, double variance);

/// DDIM (Song et al. 2021, eq. 12): eta = 0 is deterministic, eta = 1 ancestral sampling with the posterior's
/// variance.
[[nodiscard]] GaussianStep ddimStep(const NoiseLevel& from, const NoiseLevel& to, double eta);

/// DPM-Solver++ 2M (Lu et al. 2022, algorithm 2): ddimStep() with eta 0 from the estimate x0_hat + w (x0_hat
/// - the estimate at `before`) and the eps of that; w = 0 where there was no step before, or from pure noise.
/// to.noise > 0.
[[nodiscard]] double multistepWeight(const NoiseLevel& before, const NoiseLevel& from, const NoiseLevel& to);

}  // namespace kurve::sampling
