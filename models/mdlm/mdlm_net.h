#pragma once

#include <torch/nn/modules/embedding.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/curve_mixture.h"
#include "models/common/pre_norm_block.h"
#include "models/common/time_embedding.h"
#include "models/common/token_map.h"

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
/// in both directions; with a map, the blocks from map.lift_layer on work on control points (SCLM, sec. 4.2).
/// Not to be used by two threads at once.
class MdlmNetImpl : public torch::nn::Module {
public:
    /// `maybeMap`: of words to control points; one without a curve is none.
    explicit MdlmNetImpl(const MdlmSizes& sizes, std::unique_ptr<TokenMap> maybeMap = nullptr);

    /// The input of the output projection, [B, L, H], after the last norm and, with a map, after Psi. ids
    /// [B, L] i64; `maybeSigma` [B], the total noise -ln(1 - p) at mask probability p, is read with time
    /// conditioning only. `lengths` of right-padded rows; none, the paper's form, takes padding for tokens.
    /// Captures "hidden/<i>" and "attention/<i>", keeps the activations "block_<i>"; with a map captures
    /// those of control points, and "curve" [B, M, H], the control points of the result.
    at::Tensor states(const at::Tensor& ids, const at::Tensor& maybeSigma,
                      std::span<const std::int32_t> lengths, const ForwardPass& pass);
    /// states() in evaluation mode at the positions row * L + column only, [n, H], in their order, up to
    /// rounding: past its keys and values the last block is computed for them alone. `flatPositions` [n] i64
    /// as queryIndex() takes them, or none. With a map and several curves, of the one with the largest
    /// weight.
    at::Tensor statesAt(const at::Tensor& ids, const at::Tensor& maybeSigma,
                        std::span<const std::int32_t> lengths, const at::Tensor& flatPositions);
    /// [..., H] -> [..., V]; the mask's logit is an ordinary one.
    at::Tensor logits(const at::Tensor& states);

    /// Both parts of the output projection: [V, H] and, unless tied, [V]; for fused losses.
    [[nodiscard]] const at::Tensor& outputTable() const;
    [[nodiscard]] at::Tensor maybeOutputBias() const;
    [[nodiscard]] const MdlmSizes& sizes() const { return sizes_; }
    [[nodiscard]] TokenMap* maybeMap() const { return map_.get(); }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }

    torch::nn::Embedding embedding{nullptr};
    TimeEmbedding time{nullptr};  ///< with a condition
    std::vector<PreNormBlock> blocks;
    ModulatedNorm norm{nullptr};
    Linear modulation{nullptr};  ///< shift and scale of `norm`; with a condition
    Linear output{nullptr};      ///< unless tied

private:
    struct Blocks {
        std::size_t first = 0, end = 0;
    };
    [[nodiscard]] at::Tensor embedded(const at::Tensor& ids, const at::Tensor& maybeMask);
    void check(const at::Tensor& ids, const at::Tensor& maybeSigma) const;
    [[nodiscard]] BlockContext context(const at::Tensor& ids, const at::Tensor& maybeSigma,
                                       std::span<const std::int32_t> lengths);
    [[nodiscard]] at::Tensor runBlocks(at::Tensor x, const Blocks& range, const BlockContext& shared,
                                       const ForwardPass& pass);
    [[nodiscard]] at::Tensor curveStates(at::Tensor x, const BlockContext& words,
                                         std::span<const std::int32_t> lengths, const ForwardPass& pass);
    [[nodiscard]] BlockContext tokenContext(const BlockContext& words, const TokenLayout& layout);
    [[nodiscard]] at::Tensor condition(const at::Tensor& maybeSigma);
    [[nodiscard]] Modulation finalModulation(const at::Tensor& maybeCondition);

    MdlmSizes sizes_;
    RotaryEmbedding rotary_;
    std::unique_ptr<TokenMap> map_;
    CurveMixture mixture_;
};
TORCH_MODULE(MdlmNet);

/// MDLM's initial values: embedding uniform on +-1/sqrt(H), output projection and adaLN zero, norms one,
/// every other Linear, the time MLP's too, PyTorch's default. Unless tied the first distribution is uniform.
[[nodiscard]] Initializer mdlmInitializer(const MdlmSizes& sizes, const std::string& name,
                                          const at::Tensor& parameter);

}  // namespace kurve::models::mdlm
