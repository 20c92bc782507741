#pragma once

#include <torch/nn/modules/normalization.h>

#include <functional>
#include <vector>

#include "core/diffusion/flow_matching.h"
#include "models/calm/chunk_head.h"
#include "models/calm/learned_range.h"
#include "models/common/ada_ln.h"
#include "models/common/linear.h"
#include "models/common/time_embedding.h"

namespace kurve::models::calm {

struct DenoisingHeadSizes {
    std::int64_t hidden = 0, latent = 0, blocks = 0;
    std::int64_t samples = 0;  ///< noised vectors of a chunk in the loss
    bool flow = false;         ///< flow matching, else diffusion
};

/// x + gate MLP(LN(x) (1 + scale) + shift), one block of the denoising network.
class DenoisingBlockImpl : public torch::nn::Module {
public:
    explicit DenoisingBlockImpl(std::int64_t hidden);
    /// x and activated condition [n, H].
    at::Tensor forward(const at::Tensor& x, const at::Tensor& condition);

    torch::nn::LayerNorm norm{nullptr};
    Mlp mlp{nullptr};
    Linear modulation{nullptr};
};
TORCH_MODULE(DenoisingBlock);

/// The heads that CALM is compared with (appendix D.2): an MLP with adaptive norms denoises a vector, given a
/// state. Diffusion: 1,000 steps of the cosine schedule, the noise as target and a learned range of variances
/// (Nichol and Dhariwal 2021). Flow matching: straight paths (Lipman et al. 2023).
class DenoisingHead final : public ChunkHead {
public:
    explicit DenoisingHead(const DenoisingHeadSizes& sizes);
    HeadLoss loss(const at::Tensor& h, const HeadTargets& targets) override;
    [[nodiscard]] std::int64_t lossSamples() const override { return sizes_.samples; }
    at::Tensor sample(const at::Tensor& h, std::int64_t draws, const DrawRandom& random,
                      const HeadSampling& how) override;
    [[nodiscard]] std::int64_t callsPerDraw(const HeadSampling& how) const override {
        return sizes_.flow && how.midpoint ? 2 * how.steps : how.steps;
    }
    [[nodiscard]] Initializer initializer(const HeadStart& how, const std::string& name,
                                          const at::Tensor& parameter) const override;
    /// What the network says of x [n, l] at times [n] in 0 .. 999, given states [n, H]: [n, l] the velocity,
    /// or [n, 2 l] noise and range of variance.
    [[nodiscard]] at::Tensor predict(const at::Tensor& x, const at::Tensor& times, const at::Tensor& h);
    /// From x [n, l], noise by step where diffusion takes it: the vectors.
    [[nodiscard]] at::Tensor denoise(at::Tensor x, const at::Tensor& h, const HeadSampling& how,
                                     const std::function<at::Tensor(std::int64_t step)>& noiseOf);

    /// A reverse step of diffusion at x [n, l], given states [n, H] and noise [n, l].
    [[nodiscard]] at::Tensor stepBack(const at::Tensor& x, const at::Tensor& h,
                                      const LearnedRange::Step& step, const at::Tensor& noise);
    /// Vectors, noise [m, l] and the states [m, H] that they belong to.
    struct Noised {
        at::Tensor z, noise, states;
    };
    /// Per vector; u [m, 1] of [0, 1), times [m] i64.
    [[nodiscard]] HeadLoss flowLoss(const Noised& of, const at::Tensor& u);
    [[nodiscard]] HeadLoss diffusionLoss(const Noised& of, const at::Tensor& times);

private:
    DenoisingHeadSizes sizes_;
    Linear input_{nullptr}, condition_{nullptr}, finalModulation_{nullptr}, output_{nullptr};
    TimeEmbedding time_{nullptr};
    std::vector<DenoisingBlock> blocks_;
};

}  // namespace kurve::models::calm
