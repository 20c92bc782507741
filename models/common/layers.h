#pragma once

#include <torch/nn/modules/normalization.h>

#include "models/common/attention.h"
#include "models/common/decoding_cache.h"
#include "models/common/mlp.h"

namespace kurve::models {

/// The defaults are fairseq's; BERT has Gelu and 1e-12.
struct LayerSizes {
    std::int64_t hidden = 0, heads = 0, ffn = 0;
    MlpActivation activation = MlpActivation::Relu;
    double normEpsilon = 1e-5;
};

[[nodiscard]] torch::nn::LayerNorm layerNorm(std::int64_t width, double epsilon = 1e-5);

/// Post-norm Transformer encoder layer: x = LN(x + drop(attention(x))), x = LN(x + drop(FFN(x))).
class EncoderLayerImpl : public torch::nn::Module {
public:
    explicit EncoderLayerImpl(const LayerSizes& sizes);
    at::Tensor forward(const at::Tensor& input, const at::Tensor& mask, const ForwardPass& pass,
                       const std::string& layer);

    SelfAttention attention{nullptr};
    Mlp ffn{nullptr};
    torch::nn::LayerNorm attentionNorm{nullptr}, ffnNorm{nullptr};
};
TORCH_MODULE(EncoderLayer);

/// Post-norm decoder layer, causal only if the mask is: self-attention, cross-attention, FFN.
class DecoderLayerImpl : public torch::nn::Module {
public:
    explicit DecoderLayerImpl(const LayerSizes& sizes);
    struct Masks {
        at::Tensor self, cross;
        at::Tensor neighbours = {};  ///< for a layer with a second self-attention
    };
    at::Tensor forward(const at::Tensor& input, const KeyValue& encoder, const Masks& masks,
                       const ForwardPass& pass, const std::string& layer);

    /// In evaluation mode, forward() at some positions of each row: `queries` [B, A, H] are those
    /// of x, and masks.neighbours has a row for each of them.
    at::Tensor forwardAtPositions(const at::Tensor& queries, const at::Tensor& x, const KeyValue& encoder,
                                  const Masks& masks);

    /// In evaluation mode, for one more position x [B, 1, H] of a causal decoder: the positions before are in
    /// the cache, to which this layer appends.
    at::Tensor extend(at::Tensor x, const KeyValue& encoder, const at::Tensor& encoderMask,
                      LayerCache cached);

    SelfAttention attention{nullptr};
    CrossAttention cross{nullptr};
    Mlp ffn{nullptr};
    torch::nn::LayerNorm attentionNorm{nullptr}, crossNorm{nullptr}, ffnNorm{nullptr};

protected:
    /// For every position, before the residual sum.
    virtual at::Tensor selfAttention(const at::Tensor& x, const Masks& masks, const ForwardPass& pass,
                                     const std::string& layer);
    virtual at::Tensor selfAttentionAtPositions(const at::Tensor& queries, const at::Tensor& x,
                                                const Masks& masks);
};
TORCH_MODULE(DecoderLayer);

/// gamma(t') of every entry, [n, width] f32 on the host's device (schedule::timestepEmbedding).
[[nodiscard]] at::Tensor timestepEmbeddings(std::span<const double> modelTimes, std::int64_t width,
                                            c10::Device device);

}  // namespace kurve::models
