#pragma once

#include <vector>

#include "models/lcm/lcm_net.h"

namespace kurve::models::lcm {

/// A causal Llama over sentence vectors between two Linear maps; with them alone it is also TwoTower's
/// contextualizer.
class SentenceBlocks {
public:
    SentenceBlocks() = default;
    /// Registers name_0 … and norm with the owner.
    SentenceBlocks(torch::nn::Module& owner, const std::string& name, const LcmSizes& sizes);
    /// [D, S, H] -> [D, S, H], causal; `first` is the place of x in the document, of an empty cache 0.
    [[nodiscard]] at::Tensor run(at::Tensor x);
    /// One more sentence, x [R, 1, H].
    [[nodiscard]] at::Tensor extend(at::Tensor x, DecodingCache& cache);
    [[nodiscard]] DecodingCache newCache(std::int64_t documents, const at::TensorOptions& options) const;

private:
    [[nodiscard]] BlockContext context(std::int64_t first, std::int64_t count);

    LcmSizes sizes_;
    std::vector<PreNormBlock> blocks_;
    ModulatedNorm norm_{nullptr};
    std::unique_ptr<RotaryEmbedding> rotary_;
};

/// Base-LCM (section 2.3.1): the squared error's best guess of the next vector.
class BaseNetImpl final : public LcmNetImpl {
public:
    explicit BaseNetImpl(const LcmSizes& sizes);
    [[nodiscard]] at::Tensor predict(const at::Tensor& clean, const NoisySentences& noisy) override;
    [[nodiscard]] std::unique_ptr<NextSentence> begin(std::int64_t documents) override;

    Linear input{nullptr}, output{nullptr};
    SentenceBlocks blocks;
};

}  // namespace kurve::models::lcm
