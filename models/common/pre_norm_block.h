#pragma once

#include "models/common/ada_ln.h"
#include "models/common/init.h"
#include "models/common/mlp.h"
#include "models/common/rotary_attention.h"

namespace kurve::models {

/// What all blocks of a forward pass share.
struct BlockContext {
    at::Tensor maybeCondition;  ///< [B, C], or [C] where it is the same for all; undefined without adaLN
    at::Tensor maybeMask;       ///< attentionMask() or undefined
    RotaryTable rotary;         ///< undefined: no rotary positions
};

struct PreNormSizes {
    std::int64_t hidden = 0, heads = 0, ffn = 0;
    std::int64_t conditioning = 0;  ///< width of the condition; 0: no adaLN
    AttentionDirection direction = AttentionDirection::Both;
    NormSettings norm = {};
    MlpActivation activation = MlpActivation::GeluTanh;
    bool attentionBias = false, ffnBias = true;
};

/// Pre-norm block: attention, then an MLP, each with adaptive norm if there is a condition. The defaults are
/// MDLM's DiT; Llama (Touvron et al. 2023) has RMSNorm, SwiGlu and no biases.
class PreNormBlockImpl : public torch::nn::Module {
public:
    explicit PreNormBlockImpl(const PreNormSizes& sizes);
    /// x [B, L, H] -> [B, L, H]
    at::Tensor forward(const at::Tensor& x, const BlockContext& context, const ForwardPass& pass,
                       const std::string& layer);
    /// forward() at positions 0, stride, 2 stride … alone, without rotary positions, as
    /// RotaryAttention::forwardEvery(): [B, n, H].
    at::Tensor forwardEvery(const at::Tensor& x, std::int64_t stride, const BlockContext& context);
    /// In evaluation mode, forward() at some positions, [n, H].
    at::Tensor forwardAtPositions(const at::Tensor& x, const BlockContext& context,
                                  const QueryIndex& queries);
    /// In evaluation mode, further positions x [R, n, H], as RotaryAttention::extend(); `rotary` is theirs.
    /// The positions before are in the cache, to which this block appends.
    at::Tensor extend(const at::Tensor& x, const BlockContext& context, const LayerCache& cached);

    ModulatedNorm attentionNorm{nullptr}, ffnNorm{nullptr};
    RotaryAttention attention{nullptr};
    Mlp ffn{nullptr};
    Linear modulation{nullptr};  ///< shift, scale, gate of the attention, then of the MLP

private:
    struct BlockModulation {
        Modulation attention, ffn;
    };
    [[nodiscard]] BlockModulation branches(const at::Tensor& maybeCondition);
};
TORCH_MODULE(PreNormBlock);

/// Initial values of a block's parameters by their names' ends, and of the norms: norms one, adaLN zero,
/// other weights and biases PyTorch's default of a Linear. Empty for other names.
[[nodiscard]] Initializer preNormInitializer(const PreNormSizes& sizes, const std::string& name,
                                             const at::Tensor& parameter);

}  // namespace kurve::models
