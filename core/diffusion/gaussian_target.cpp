#include "core/diffusion/gaussian_target.h"

#include <torch/torch.h>

#include <vector>

#include "core/base/check.h"
#include "core/tensor/to_device.h"

namespace kurve::diffusion {

LevelTensors levelTensors(std::span<const sampling::NoiseLevel> levels, const at::Tensor& like) {
    const auto count = static_cast<std::int64_t>(levels.size());
    KURVE_CHECK(count == 1 || count == like.size(0), "{} levels for {} rows", count, like.size(0));
    std::vector<double> both;
    for (const sampling::NoiseLevel& level : levels) both.push_back(level.signal);
    for (const sampling::NoiseLevel& level : levels) both.push_back(level.noise);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()) + 1, 1);
    shape[0] = 2;
    shape[1] = count;
    const at::Tensor all =
        tensor::toDevice(at::tensor(both, at::kDouble).view(shape).to(like.scalar_type()), like.device());
    return {all[0], all[1]};
}

at::Tensor compose(const Decomposition& parts, const LevelTensors& level) {
    return level.signal * parts.x0 + level.noise * parts.epsilon;
}

at::Tensor targetOf(Target target, const Decomposition& parts, const LevelTensors& level) {
    switch (target) {
        case Target::X0:
            return parts.x0;
        case Target::Epsilon:
            return parts.epsilon;
        case Target::V:
            return level.signal * parts.epsilon - level.noise * parts.x0;
        case Target::Velocity:
            break;
    }
    return parts.x0 - parts.epsilon;
}

Decomposition decompose(Target target, const at::Tensor& prediction, const at::Tensor& z,
                        const LevelTensors& level) {
    const auto& [signal, noise] = level;
    switch (target) {
        case Target::X0:
            return {prediction, (z - signal * prediction) / noise};
        case Target::Epsilon:
            return {(z - noise * prediction) / signal, prediction};
        case Target::V: {
            const at::Tensor power = signal * signal + noise * noise;
            return {(signal * z - noise * prediction) / power, (noise * z + signal * prediction) / power};
        }
        case Target::Velocity:
            break;
    }
    const at::Tensor sum = signal + noise;
    return {(z + noise * prediction) / sum, (z - signal * prediction) / sum};
}

at::Tensor reverseStep(const sampling::GaussianStep& step, const Decomposition& estimate,
                       const at::Tensor& maybeNoise) {
    const at::Tensor mean = estimate.x0 * step.x0 + estimate.epsilon * step.epsilon;
    if (step.noise == 0) return mean;
    KURVE_CHECK(maybeNoise.defined(), "a step with noise {} got none", step.noise);
    return mean + maybeNoise * step.noise;
}

at::Tensor guided(const at::Tensor& conditional, const at::Tensor& unconditional, double scale) {
    return at::lerp(unconditional, conditional, scale);
}

at::Tensor rescaleGuidance(const at::Tensor& prediction, const at::Tensor& conditional, double rescale) {
    const auto deviation = [](const at::Tensor& x) { return x.std(-1, /*unbiased=*/true, /*keepdim=*/true); };
    return prediction * (deviation(conditional) / deviation(prediction) * rescale + (1 - rescale));
}

}  // namespace kurve::diffusion
