#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <utility>
#include <vector>

#include "core/diffusion/gaussian_target.h"

namespace kurve::models::lcm {

/// A step of the reverse process.
struct DenoisingStep {
    std::int64_t index = 0;  ///< of the training steps, 0 … T - 1
    sampling::NoiseLevel from, to;
};
/// round(flip(arange(T, 0, -T / S))) - 1, noisiest first (LCM, section 2.4.1); with `truncated` as the
/// published code computes it, where T / S is cut to a whole number and there are more steps.
[[nodiscard]] std::vector<std::int64_t> denoisingIndices(std::int64_t training, std::int64_t sampling,
                                                         bool truncated);
[[nodiscard]] std::vector<DenoisingStep> denoisingSteps(std::span<const double> alphaBars,
                                                        std::span<const std::int64_t> indices,
                                                        bool truncated);

struct DenoisingSettings {
    std::vector<DenoisingStep> steps;
    diffusion::Target target = diffusion::Target::X0;
    double guidance = 1, rescale = 0;  ///< on epsilon; the rescale of Lin et al. 2024
    double start = 1;                  ///< deviation of the first noise
    double epsilonScaling = 1;         ///< divides the direction (Ning et al. 2024)
    double eta = 0;                    ///< 0: DDIM; 1: ancestral
};

struct DenoisingHooks {
    /// The network's prediction at a state [..., w] and a training step.
    std::function<at::Tensor(const at::Tensor& x, std::int64_t index, bool withContext)> predict;
    /// N(0, 1) of the states' shape for a step; asked for where eta > 0.
    std::function<at::Tensor(std::size_t step)> noise = {};
    /// After each step: the state that the network saw, and its estimate of the vector.
    std::function<void(std::size_t step, const at::Tensor& x, const at::Tensor& estimate)> done = {};
    /// predict() with the context and without it; empty: one after another.
    std::function<std::pair<at::Tensor, at::Tensor>(const at::Tensor& x, std::int64_t index)> predictBoth =
        {};
    /// What a step begins from in place of x; empty: x.
    std::function<at::Tensor(std::size_t step, const at::Tensor& x)> begin = {};
};

/// From noise ~ N(0, 1) [..., w] to vectors: the last step's estimate (LCM, section 2.3.4, inference).
[[nodiscard]] at::Tensor denoise(const at::Tensor& noise, const DenoisingSettings& settings,
                                 const DenoisingHooks& hooks);

}  // namespace kurve::models::lcm
