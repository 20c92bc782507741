#pragma once

#include <torch/nn/modules/embedding.h>

#include <vector>

#include "models/common/layers.h"

namespace kurve::models {

struct BertSizes {
    std::int64_t vocabulary = 0, maxPositions = 0;
    std::int64_t tokenTypes = 2;  ///< 0: no table of them
    std::int64_t layers = 0;
    LayerSizes layer;  ///< BERT's have Gelu and normEpsilon 1e-12
};

/// BERT's encoder (Devlin et al. 2019): the sum of word, position and token type embeddings, LayerNorm,
/// dropout, post-norm layers. Activations are kept as runEncoder() does.
class BertEncoderImpl : public torch::nn::Module {
public:
    explicit BertEncoderImpl(const BertSizes& sizes);
    /// ids [B, S] i64, right-padded -> [B, S, H]; `maybeTypes` the same shape, undefined: all of type 0;
    /// mask = attentionMask(lengths, S).
    at::Tensor forward(const at::Tensor& ids, const at::Tensor& maybeTypes, const at::Tensor& mask,
                       const ForwardPass& pass);
    /// The input of the first layer, [B, S, H]. Longer rows than maxPositions are a ContractError.
    at::Tensor embed(const at::Tensor& ids, const at::Tensor& maybeTypes, const ForwardPass& pass);

    torch::nn::Embedding words{nullptr}, positions{nullptr}, tokenTypes{nullptr};
    torch::nn::LayerNorm embeddingNorm{nullptr};
    std::vector<EncoderLayer> layers;
};
TORCH_MODULE(BertEncoder);

}  // namespace kurve::models
