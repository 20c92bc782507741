#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule/noise_schedule.h"
#include "models/diffusia/diffusia_net.h"

namespace kurve::models::diffusia {

/// Factors of the forward process by step, [T] each, on the network's device and in its dtype:
/// x_0 = E + startNoise eps', x_t = signal_t x_0 + noise_t eps, where noise has the factor F.
struct NoiseTables {
    at::Tensor signal, noise, logSnr;
    double startNoise = 0;  ///< sqrt(1 - alphaBar_0)
    double lastSignal = 0;  ///< alphaBar_{T-1}
    [[nodiscard]] std::int64_t steps() const { return signal.size(0); }
};
[[nodiscard]] NoiseTables noiseTables(const schedule::NoiseSchedule& schedule, double noiseFactor,
                                      const at::TensorOptions& options);

/// Gaussian numbers [B, L, d] of a batch, and its steps t [B] i64.
struct Draws {
    at::Tensor startNoise, noise, t;
};
struct Noised {
    at::Tensor embedded, clean, words;  ///< E, x_0 and x_t, [B, L, d]
};
[[nodiscard]] Noised noised(const at::Tensor& embedded, const Draws& draws, const NoiseTables& tables);

/// The positions of [B, L] that count in the loss.
struct Counted {
    std::vector<std::int32_t> lengths;  ///< [B]
    std::int64_t width = 0;             ///< L
    at::Tensor maybeIndices;            ///< realIndices(); undefined: all
};

/// The loss as the published code of DiffuSeq computes it, means over positions and channels; or as
/// DiffuSIA's Eq. 3 has it, sums, T times the squared error (one step stands for the sum over all) and no
/// prior.
enum class LossForm : std::uint8_t { Code, Paper };

/// [B] each.
struct LossParts {
    at::Tensor mse;       ///< (x_0 - x_0-hat)^2, at t = 0 (E - x_0-hat)^2
    at::Tensor rounding;  ///< -log p(word) at x_0, its noise included
    at::Tensor prior;     ///< alphaBar_{T-1} x_0^2; undefined in the paper's form
    at::Tensor total;     ///< their weighted sum
};
/// A batch's targets [B, L] i64, their noise and what the network made of it.
struct Denoised {
    at::Tensor ids;
    const Noised& noised;
    at::Tensor t, estimate;
};
[[nodiscard]] LossParts lossParts(DiffusiaNetImpl& net, const Denoised& batch, const NoiseTables& tables,
                                  const Counted& counted, LossForm form);

/// -log p(word) of the rounding at x [B, L, d], of the counted positions one after another [n].
[[nodiscard]] at::Tensor roundingNll(DiffusiaNetImpl& net, const at::Tensor& x, const at::Tensor& ids,
                                     const Counted& counted);

/// clamp(target - condition + classes / 2, 0, classes - 1), lengths in tokens without padding.
[[nodiscard]] std::int64_t lengthClass(std::int64_t target, std::int64_t condition, std::int64_t classes);

}  // namespace kurve::models::diffusia
