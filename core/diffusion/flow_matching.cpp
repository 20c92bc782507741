#include "core/diffusion/flow_matching.h"

#include <torch/torch.h>

namespace kurve::diffusion {

sampling::NoiseLevel flowLevel(double t) {
    return {t, 1 - t};
}

at::Tensor eulerStep(const VelocityField& velocity, const at::Tensor& z, double t, double dt) {
    return z + velocity(z, t) * dt;
}

at::Tensor midpointStep(const VelocityField& velocity, const at::Tensor& z, double t, double dt) {
    return z + velocity(eulerStep(velocity, z, t, dt / 2), t + dt / 2) * dt;
}

}  // namespace kurve::diffusion
