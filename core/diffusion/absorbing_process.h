#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "core/schedule/noise_schedule.h"

namespace kurve::diffusion {

/// The absorbing (masked) forward process: at time t in [0, 1] each token is the mask token with probability
/// 1 - alpha(t), independently (D3PM, Austin et al. 2021; MDLM, Sahoo et al. 2024). Pure host numbers;
/// immutable, callable from any thread.
///
/// Continuous time: a masked token's -log p has the weight -alpha'(t) / (1 - alpha(t)), averaged over t.
/// T steps: t becomes (floor(t T) + 1) / T, and s = t - 1 / T. Given that z_t is the mask, the posterior
/// reveals the token x with probability r = (alpha_s - alpha_t) / (1 - alpha_t) and else keeps the mask; the
/// model's reverse step has its p over tokens in the place of x. The mask's part cancels, KL = r (-log p(x)),
/// and the sum over the steps is T times their mean: the weight is T r, for T -> infinity the continuous one.
class AbsorbingProcess {
public:
    /// `schedule` must be a mask schedule. steps = T, 0 = continuous time.
    explicit AbsorbingProcess(std::shared_ptr<const schedule::NoiseSchedule> schedule,
                              std::int64_t steps = 0);

    struct Noising {
        double time = 0;             ///< t, with T steps after rounding
        double maskProbability = 0;  ///< 1 - alpha(t)
        double weight = 0;           ///< of a masked token's -log p; may be infinite at t = 0
        double sigma = 0;            ///< total noise -ln alpha(t), what a time-conditioned network sees
        double logSnr = 0;           ///< ln(alpha / (1 - alpha))
    };
    /// t in [0, 1].
    [[nodiscard]] Noising at(double t) const;
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    [[nodiscard]] const schedule::NoiseSchedule& schedule() const { return *schedule_; }

private:
    [[nodiscard]] double maskProbability(double t) const { return *schedule_->maskProbability(t); }
    [[nodiscard]] double discreteWeight(std::int64_t step) const;

    std::shared_ptr<const schedule::NoiseSchedule> schedule_;
    std::int64_t steps_;
};

/// Which tokens are masked: [B, L] bool, true with the row's probability where `maskable` is. uniform [B, L]
/// f32 in [0, 1) (one uniformRows() call), probability [B] float, maskable [B, L] bool (false: anchor,
/// prefix, pad).
[[nodiscard]] at::Tensor maskDraw(const at::Tensor& uniform, const at::Tensor& probability,
                                  const at::Tensor& maskable);

/// How many of a row's n maskable tokens are masked, and the weight n / k of each one's -log p. With k
/// uniform on 1 … n the expectation is the continuous-time bound of every schedule from alpha = 1 to 0: the
/// integral of m^(k-1) (1 - m)^(n-k) over the mask probability m is 1 / (k C(n, k)).
struct ExactCount {
    std::int64_t masked = 0;  ///< k
    double weight = 0;        ///< n / k
};
/// u in [0, 1) -> k = 1 + floor(u n); nothing for n = 0. Even u (sampling_times.h) make even k.
[[nodiscard]] ExactCount exactCount(double u, std::int64_t maskable);
/// [B, L] bool: the counts[r] maskable tokens of row r with the smallest uniform numbers (all, if it has
/// fewer); equal numbers in the order of positions. uniform and maskable as for maskDraw(), counts [B] i64.
[[nodiscard]] at::Tensor exactCountMask(const at::Tensor& uniform, const at::Tensor& counts,
                                        const at::Tensor& maskable);

}  // namespace kurve::diffusion
