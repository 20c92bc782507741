#pragma once

#include <torch/nn/modules/normalization.h>

#include <vector>

#include "core/tensor/ops/energy_loss.h"
#include "models/calm/chunk_head.h"
#include "models/common/linear.h"

namespace kurve::models::calm {

struct EnergyHeadSizes {
    std::int64_t hidden = 0, latent = 0, noise = 0, blocks = 0;
    std::int64_t samples = 0, targets = 0;  ///< N and M of the loss
    double alpha = 1;
};

/// A residual block of the energy head: three Linears of its noise and the condition, gated.
class EnergyBlockImpl : public torch::nn::Module {
public:
    explicit EnergyBlockImpl(std::int64_t hidden);
    /// x [n, N, H], condition [n, H].
    at::Tensor forward(const at::Tensor& x, const at::Tensor& condition);

    torch::nn::LayerNorm norm{nullptr};
    Linear first{nullptr}, second{nullptr}, third{nullptr}, out{nullptr};
};
TORCH_MODULE(EnergyBlock);

/// One-step head (section 3.3, MLPGenerator of the code): uniform noise becomes a vector, given a state.
/// Trained by the energy score (eq. 9 and 10).
class EnergyHead final : public ChunkHead {
public:
    explicit EnergyHead(const EnergyHeadSizes& sizes);
    HeadLoss loss(const at::Tensor& h, const HeadTargets& targets) override;
    [[nodiscard]] std::int64_t lossSamples() const override { return sizes_.samples; }
    at::Tensor sample(const at::Tensor& h, std::int64_t draws, const DrawRandom& random,
                      const HeadSampling& how) override;
    [[nodiscard]] Initializer initializer(const HeadStart& how, const std::string& name,
                                          const at::Tensor& parameter) const override;
    /// noise [n, N, noise] of [-0.5, 0.5): [n, N, l].
    [[nodiscard]] at::Tensor vectors(const at::Tensor& h, const at::Tensor& noise);

    /// The loss of a model that knew the chunk, and of one that drew chunks of the texts at random, [n].
    [[nodiscard]] std::map<std::string, at::Tensor> levels(const HeadTargets& targets) const;

private:
    [[nodiscard]] tensor::EnergyTargets scored(const HeadTargets& targets) const;

    EnergyHeadSizes sizes_;
    Linear noiseIn_{nullptr}, hiddenIn_{nullptr}, finalIn_{nullptr}, finalOut_{nullptr};
    torch::nn::LayerNorm noiseNorm_{nullptr}, hiddenNorm_{nullptr}, finalNorm_{nullptr};
    std::vector<EnergyBlock> blocks_;
};

}  // namespace kurve::models::calm
