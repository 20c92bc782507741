#include "models/lcm/denoising.h"

#include <ATen/ATen.h>

#include <cmath>

namespace kurve::models::lcm {
namespace {

constexpr double kClip = 100;  // of states, as published

diffusion::Decomposition estimate(const DenoisingSettings& settings, const at::Tensor& prediction,
                                  const at::Tensor& x, const sampling::NoiseLevel& from) {
    // Pure noise says nothing of the vector: its mean, of normalised ones 0.
    if (settings.target == diffusion::Target::Epsilon && from.signal == 0) return {at::zeros_like(x), x};
    return diffusion::decompose(settings.target, prediction, x,
                                diffusion::levelTensors(std::span(&from, 1), x));
}

}  // namespace

std::vector<std::int64_t> denoisingIndices(std::int64_t training, std::int64_t sampling, bool truncated) {
    std::vector<std::int64_t> indices;
    if (truncated) {
        for (std::int64_t i = training - 1; i >= 0; i -= training / sampling) indices.push_back(i);
        return indices;
    }
    const double all = static_cast<double>(training), stride = all / static_cast<double>(sampling);
    for (std::int64_t k = 0; k < sampling; ++k)  // halves to even numbers
        indices.push_back(std::llrint(std::nearbyint(all - static_cast<double>(k) * stride)) - 1);
    return indices;
}

std::vector<DenoisingStep> denoisingSteps(std::span<const double> alphaBars,
                                          std::span<const std::int64_t> indices, bool truncated) {
    const auto level = [&](std::int64_t index) {
        return sampling::NoiseLevel::ofAlphaBar(index < 0 ? 1 : alphaBars[static_cast<std::size_t>(index)]);
    };
    const std::int64_t stride = indices.size() > 1 ? indices[0] - indices[1] : indices[0] + 1;
    std::vector<DenoisingStep> steps;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t next = truncated                ? indices[i] - stride
                                  : i + 1 < indices.size() ? indices[i + 1]
                                                           : -1;
        steps.push_back({indices[i], level(indices[i]), level(next)});
    }
    return steps;
}

at::Tensor denoise(const at::Tensor& noise, const DenoisingSettings& settings, const DenoisingHooks& hooks) {
    at::Tensor x = (settings.start * noise).clamp(-kClip, kClip), last;
    for (std::size_t i = 0; i < settings.steps.size(); ++i) {
        const auto& [index, from, to] = settings.steps[i];
        if (hooks.begin) x = hooks.begin(i, x);
        // Without a signal there is no estimate that a guided noise could stand for.
        const bool guides = settings.guidance != 1 && from.signal > 0;
        std::pair<at::Tensor, at::Tensor> predicted;
        if (guides && hooks.predictBoth)
            predicted = hooks.predictBoth(x, index);
        else
            predicted.first = hooks.predict(x, index, true);
        diffusion::Decomposition parts = estimate(settings, predicted.first, x, from);
        if (guides) {
            if (!hooks.predictBoth) predicted.second = hooks.predict(x, index, false);
            const at::Tensor without = estimate(settings, predicted.second, x, from).epsilon;
            const at::Tensor both = diffusion::guided(parts.epsilon, without, settings.guidance);
            parts = diffusion::decompose(
                diffusion::Target::Epsilon,
                settings.rescale > 0 ? diffusion::rescaleGuidance(both, parts.epsilon, settings.rescale)
                                     : both,
                x, diffusion::levelTensors(std::span(&from, 1), x));
        }
        if (hooks.done) hooks.done(i, x, parts.x0);
        last = parts.x0;
        sampling::GaussianStep step = sampling::ddimStep(from, to, settings.eta);
        step.epsilon /= settings.epsilonScaling;
        x = diffusion::reverseStep(step, parts, step.noise > 0 ? hooks.noise(i) : at::Tensor())
                .clamp(-kClip, kClip);
    }
    return last;
}

}  // namespace kurve::models::lcm
