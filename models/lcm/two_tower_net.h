#pragma once

#include <vector>

#include "models/lcm/base_net.h"

namespace kurve::models::lcm {

/// A layer's keys and values, [R or D, heads, n, width].
struct ContextKeys {
    at::Tensor key, value;
};

/// A layer of the denoiser: each sentence alone, then the context, then an MLP, each x + gate f(norm(x) (1 +
/// scale) + shift). Attention to itself alone is two Linear maps.
class DenoiserLayerImpl : public torch::nn::Module {
public:
    explicit DenoiserLayerImpl(const LcmSizes& sizes);

    /// The nine vectors of the time embeddings, shift, scale and gate of each part: [..., 9 H].
    [[nodiscard]] at::Tensor modulations(const at::Tensor& time) { return modulation(at::silu(time)); }
    [[nodiscard]] ContextKeys keysOf(const at::Tensor& context);
    /// x [R, n, H]; `vectors` [R, n, 9 H] or [9 H]. Without keys: the null vector's value alone.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, const at::Tensor& vectors,
                                     const ContextKeys* maybeKeys, const at::Tensor& maybeMask);
    /// Both with the keys and without them, one above the other: [2 R, 1, H]. x is the same, or [R, 1, H] for
    /// both; `alone` is alone(), and one time is all rows'.
    [[nodiscard]] at::Tensor forwardBoth(const at::Tensor& x, const at::Tensor& vectors,
                                         const ContextKeys& keys, const at::Tensor& alone);
    /// What a sentence sees of no context [H]: over one key the softmax is 1, and the null vector's value is
    /// the bias.
    [[nodiscard]] at::Tensor alone();

    ModulatedNorm selfNorm{nullptr}, crossNorm{nullptr}, ffnNorm{nullptr};
    Linear selfValue{nullptr}, selfOut{nullptr};
    Linear crossQuery{nullptr}, crossKeyValue{nullptr}, crossOut{nullptr};
    Mlp ffn{nullptr};
    Linear modulation{nullptr};

private:
    [[nodiscard]] at::Tensor look(const at::Tensor& x, const ContextKeys& keys, const at::Tensor& maybeMask);

    std::int64_t heads_;
};
TORCH_MODULE(DenoiserLayer);

/// Two-Tower diffusion (section 2.3.4): the next sentence looks at a null vector and at all before it.
class TwoTowerNetImpl final : public LcmNetImpl {
public:
    explicit TwoTowerNetImpl(const LcmSizes& sizes);
    [[nodiscard]] at::Tensor predict(const at::Tensor& clean, const NoisySentences& noisy) override;
    [[nodiscard]] std::unique_ptr<NextSentence> begin(std::int64_t documents) override;

    Linear contextInput{nullptr}, denoiserInput{nullptr}, output{nullptr};
    SentenceBlocks context;
    TimeEmbedding time{nullptr};
    std::vector<DenoiserLayer> layers;
    ModulatedNorm norm{nullptr};
};

}  // namespace kurve::models::lcm
