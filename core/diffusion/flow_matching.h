#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "core/sampling/gaussian_step.h"

namespace kurve::diffusion {

/// Flow matching along straight paths (Lipman et al. 2023): z_t = t x0 + (1 - t) epsilon, t from 0 (noise) to
/// 1 (data); its target is Target::Velocity, dz/dt = x0 - epsilon.
[[nodiscard]] sampling::NoiseLevel flowLevel(double t);

/// The network's velocity at state z and time t, of z's shape.
using VelocityField = std::function<at::Tensor(const at::Tensor& z, double t)>;

/// z at t + dt: one evaluation, first order.
[[nodiscard]] at::Tensor eulerStep(const VelocityField& velocity, const at::Tensor& z, double t, double dt);
/// Two evaluations, second order.
[[nodiscard]] at::Tensor midpointStep(const VelocityField& velocity, const at::Tensor& z, double t,
                                      double dt);

}  // namespace kurve::diffusion
