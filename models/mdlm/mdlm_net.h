#pragma once

#include <torch/nn/modules/embedding.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/pre_norm_block.h"
#include "models/common/time_embedding.h"

namespace kurve::models::mdlm {

struct MdlmSizes {
    std::int64_t vocabulary = 0;  ///< with the mask
    std::int64_t hidden = 0, layers = 0, heads = 0, ffn = 0;
    std::int64_t conditioning = 0;  ///< width of the condition; 0: plain pre-norm blocks without adaLN
    bool tied = false;              ///< the output projection is the embedding, without a bias
    bool timeConditioning = false;  ///< needs a condition; without it the condition is that of sigma = 0
    bool smoothInput = false;       ///< mixNeighbours() of the embeddings before block 0
    std::int64_t maxPositions = 0;  ///< longer sequences are a ContractError; 0: no limit
};

/// MDLM's network (Sahoo et al. 2024): the DiT of its models/dit.py, with rotary positions and full attention
/// in both directions. Not to be used by two threads at once.
class MdlmNetImpl : public torch::nn::Module {
public:
    explicit MdlmNetImpl(const MdlmSizes& sizes);

    /// The input of the output projection, [B, L, H], after the last norm. ids [B, L] i64; `maybeSigma` [B],
    /// the total noise -ln(1 - p) at mask probability p, is read with time conditioning only. `maybeMask`:
    /// attentionMask() of right-padded rows; undefined, the paper's form, takes padding for tokens.
    /// Captures "hidden/<i>" and "attention/<i>", keeps the activations "block_<i>".
    at::Tensor states(const at::Tensor& ids, const at::Tensor& maybeSigma, const at::Tensor& maybeMask,
                      const ForwardPass& pass);
    /// states() in evaluation mode at the positions row * L + column only, [n, H], in their order, up to
    /// rounding: past its keys and values the last block is computed for them alone. `flatPositions` [n] i64
    /// as queryIndex() takes them, or none.
    at::Tensor statesAt(const at::Tensor& ids, const at::Tensor& maybeSigma, const at::Tensor& maybeMask,
                        const at::Tensor& flatPositions);
    /// [..., H] -> [..., V]; the mask's logit is an ordinary one.
    at::Tensor logits(const at::Tensor& states);

    /// Both parts of the output projection: [V, H] and, unless tied, [V]; for fused losses.
    [[nodiscard]] const at::Tensor& outputTable() const;
    [[nodiscard]] at::Tensor maybeOutputBias() const;
    [[nodiscard]] const MdlmSizes& sizes() const { return sizes_; }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }

    torch::nn::Embedding embedding{nullptr};
    TimeEmbedding time{nullptr};  ///< with a condition
    std::vector<PreNormBlock> blocks;
    ModulatedNorm norm{nullptr};
    torch::nn::Linear modulation{nullptr};  ///< shift and scale of `norm`; with a condition
    torch::nn::Linear output{nullptr};      ///< unless tied

private:
    [[nodiscard]] at::Tensor embedded(const at::Tensor& ids, const at::Tensor& maybeMask);
    [[nodiscard]] BlockContext context(const at::Tensor& ids, const at::Tensor& maybeSigma,
                                       const at::Tensor& maybeMask);
    [[nodiscard]] at::Tensor condition(const at::Tensor& maybeSigma);
    [[nodiscard]] Modulation finalModulation(const at::Tensor& maybeCondition);

    MdlmSizes sizes_;
    RotaryEmbedding rotary_;
};
TORCH_MODULE(MdlmNet);

/// MDLM's initial values: embedding uniform on +-1/sqrt(H), output projection and adaLN zero, norms one,
/// every other Linear, the time MLP's too, PyTorch's default. Unless tied the first distribution is uniform.
[[nodiscard]] Initializer mdlmInitializer(const MdlmSizes& sizes, const std::string& name,
                                          const at::Tensor& parameter);

}  // namespace kurve::models::mdlm
