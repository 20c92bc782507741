#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "core/sampling/gaussian_step.h"

namespace kurve::diffusion {

/// Levels as tensors that broadcast to states of the rows they belong to.
struct LevelTensors {
    at::Tensor signal, noise;
};
/// One level for each row of `like`, or one for all: [n, 1, …, 1] with like's dimensions, dtype and device.
[[nodiscard]] LevelTensors levelTensors(std::span<const sampling::NoiseLevel> levels, const at::Tensor& like);

/// The two parts of a state z = signal x0 + noise epsilon, true ones or a network's estimates; floats of z's
/// shape and dtype.
struct Decomposition {
    at::Tensor x0, epsilon;
};
[[nodiscard]] at::Tensor compose(const Decomposition& parts, const LevelTensors& level);

/// What a network predicts. V is signal epsilon - noise x0 (Salimans and Ho 2022); Velocity is x0 - epsilon,
/// dz/dt on the straight path of flow matching (flow_matching.h).
enum class Target : std::uint8_t { X0, Epsilon, V, Velocity };

[[nodiscard]] at::Tensor targetOf(Target target, const Decomposition& parts, const LevelTensors& level);

/// The estimates that a prediction at state z stands for; they compose to z. X0 needs noise > 0, Epsilon
/// signal > 0, V and Velocity neither.
[[nodiscard]] Decomposition decompose(Target target, const at::Tensor& prediction, const at::Tensor& z,
                                      const LevelTensors& level);

/// The next state; `maybeNoise` ~ N(0, 1) of its shape, not read where step.noise is 0.
[[nodiscard]] at::Tensor reverseStep(const sampling::GaussianStep& step, const Decomposition& estimate,
                                     const at::Tensor& maybeNoise);

/// Classifier-free guidance (Ho and Salimans 2022): unconditional + scale (conditional - unconditional) of
/// two predictions. Scale 1 gives `conditional` to the bit.
[[nodiscard]] at::Tensor guided(const at::Tensor& conditional, const at::Tensor& unconditional, double scale);
/// Guidance rescale (Lin et al. 2024, section 3.4): prediction (rescale std(conditional) / std(prediction) +
/// 1
/// - rescale), with the unbiased standard deviation over the last dimension, which must not be constant.
[[nodiscard]] at::Tensor rescaleGuidance(const at::Tensor& prediction, const at::Tensor& conditional,
                                         double rescale);

}  // namespace kurve::diffusion
