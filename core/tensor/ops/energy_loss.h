#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/tensor/random.h"

namespace kurve::tensor {

/// Target samples y_m = mean + exp(logStd) * eps_m of each position, eps from row number * samples + m of
/// the stream, number being the position's: without `numbers` those of normalRows({P * samples, l}, stream).
/// They are drawn where they are used, never stored. The autoencoder that gives mean and logStd is frozen:
/// neither gets a gradient.
struct EnergyTargets {
    at::Tensor mean;    ///< [P, l]
    at::Tensor logStd;  ///< [P, l]; -inf: no noise
    std::int64_t samples = 100;
    RowStream stream;
    at::Tensor numbers = {};  ///< [P] i64; undefined: 0, 1, …
};

/// Per position, [P]: loss = 2 fidelity - diversity, smaller is better. Only `loss` has a gradient; the two
/// terms are there to be looked at.
struct EnergyLoss {
    at::Tensor loss, fidelity, diversity;
};

/// The energy loss of CALM (core/kernels/energy_loss) of N >= 2 model samples x [P, N, l] f32, against M
/// target samples; 0 < alpha <= 2. The gradient by x is computed with the values, in one pass over the pairs,
/// and kept, [P, N, l], if x wants one. f64 tensors on the CPU take the kernel's reference. Deterministic,
/// also over the number of threads.
[[nodiscard]] EnergyLoss energyLoss(const at::Tensor& x, const EnergyTargets& targets, double alpha = 1);
/// The same against given targets y [P, M, l], which get no gradient.
[[nodiscard]] EnergyLoss energyLoss(const at::Tensor& x, const at::Tensor& y, double alpha = 1);

}  // namespace kurve::tensor
