#pragma once

#include <vector>

#include "models/lcm/lcm_net.h"

namespace kurve::models::lcm {

/// One-Tower diffusion (section 2.3.3), and Quant-LCM (section 2.3.5): sentences with and without noise in
/// turns, noisy_0 clean_0 noisy_1 …; a noisy one sees the clean ones before it and itself, a clean one those
/// up to itself. An entry is a vector beside the embedding of its step, that of a clean one 0.
class OneTowerNetImpl final : public LcmNetImpl {
public:
    explicit OneTowerNetImpl(const LcmSizes& sizes);
    [[nodiscard]] at::Tensor predict(const at::Tensor& clean, const NoisySentences& noisy) override;
    [[nodiscard]] std::unique_ptr<NextSentence> begin(std::int64_t documents) override;

    /// Inputs [..., H] of vectors [..., w] whose steps add this, [..., H]; positions not yet added.
    [[nodiscard]] at::Tensor entries(const at::Tensor& vectors, const at::Tensor& ofSteps);
    /// What steps add to an entry, [..., H], by their rows [...] i64: the clean one's is 0.
    [[nodiscard]] at::Tensor ofSteps(const at::Tensor& rows);
    /// Of all of them, [steps + 1, H].
    [[nodiscard]] at::Tensor ofAllSteps();
    /// The row of ofAllSteps() of a NoisySentences' step.
    [[nodiscard]] std::int64_t rowOf(std::int64_t step) const {
        return isQuant(sizes().kind) ? step : step + 1;
    }

    Linear input{nullptr}, output{nullptr};  ///< input: of a vector, then of a step's embedding
    TimeEmbedding time{nullptr};
    torch::nn::Embedding steps{nullptr}, positions{nullptr};
    std::vector<PreNormBlock> blocks;
    ModulatedNorm norm{nullptr};

private:
    [[nodiscard]] at::Tensor projectSteps(const at::Tensor& embedded);
};

}  // namespace kurve::models::lcm
