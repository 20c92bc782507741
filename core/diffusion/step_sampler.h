#pragma once

#include <torch/nn/module.h>

namespace kurve::diffusion {

/// Draws a training step t of 0 … T - 1 in proportion to the root mean square of its last losses (Nichol and
/// Dhariwal 2021, section 3.3; improved_diffusion/resample.py, LossSecondMomentResampler). T / buckets
/// neighbouring steps share a history. Until every history is full, steps are drawn uniformly. The histories
/// are buffers: a checkpoint has them. Nothing here waits for the device.
class StepSamplerImpl : public torch::nn::Module {
public:
    struct Sizes {
        std::int64_t steps = 0, buckets = 0;  ///< buckets divides steps
        std::int64_t history = 10;            ///< losses of a bucket
    };
    explicit StepSamplerImpl(const Sizes& sizes);

    struct Drawn {
        at::Tensor t;       ///< [B] i64
        at::Tensor weight;  ///< [B] f64: 1 / (T p_t), by which an unbiased loss is weighted
    };
    /// u [B] in [0, 1): the first t whose cumulated probability exceeds u.
    [[nodiscard]] Drawn draw(const at::Tensor& u) const;
    [[nodiscard]] at::Tensor probabilities() const;  ///< [T] f64
    /// Losses [B] of steps t [B], in this order; those that are not finite are left out.
    void observe(const at::Tensor& t, const at::Tensor& losses);
    [[nodiscard]] at::Tensor filled() const;  ///< scalar f64: share of the histories' entries that are there

    at::Tensor losses;  ///< [buckets, history] f32, each a ring
    at::Tensor counts;  ///< [buckets, T / buckets] i64: losses seen of each step; the shape tells T

private:
    void observeSome(const at::Tensor& t, const at::Tensor& newLosses);
    [[nodiscard]] std::int64_t width() const { return sizes_.steps / sizes_.buckets; }
    Sizes sizes_;
};
TORCH_MODULE(StepSampler);

}  // namespace kurve::diffusion
