#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "models/common/forward_pass.h"
#include "models/common/linear.h"

namespace kurve::models {

/// softmax(q k^T / sqrt(width)) v for [B, heads, L, width]; `mask` as attentionMask() or undefined.
[[nodiscard]] at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                const at::Tensor& mask);
/// The same where position i of L sees only those up to i; there is no mask, for nothing real sees the
/// padding on its right.
[[nodiscard]] at::Tensor attendCausally(const at::Tensor& query, const at::Tensor& key,
                                        const at::Tensor& value);
/// The weights of attend(), [B, heads, L, S].
[[nodiscard]] at::Tensor attentionWeights(const at::Tensor& query, const at::Tensor& key,
                                          const at::Tensor& mask);

/// Keys and values of one layer, [B, heads, S, width]; computed once for every pass over the same encoder
/// output.
struct KeyValue {
    at::Tensor key, value;
};

/// Multi-head self-attention; one projection gives queries, keys and values.
class SelfAttentionImpl : public torch::nn::Module {
public:
    SelfAttentionImpl(std::int64_t hidden, std::int64_t heads);
    /// x [B, L, H] -> [B, L, H]. `layer` is "decoder.2" or the like; its number names the captured weights
    /// ("attention/2").
    at::Tensor forward(const at::Tensor& x, const at::Tensor& mask, const ForwardPass& pass,
                       const std::string& layer);

    struct Projected {
        at::Tensor query, key, value;  ///< [B, heads, L, width]
    };
    [[nodiscard]] Projected project(const at::Tensor& x);
    /// forward() at some positions of each row: `queries` [B, A, H] are those of x -> [B, A, H].
    /// The mask may have a row for each query.
    at::Tensor forwardAtPositions(const at::Tensor& queries, const at::Tensor& x, const at::Tensor& mask);
    /// The output projection of attend()'s result, as [B, L, H].
    [[nodiscard]] at::Tensor projectOut(const at::Tensor& heads);

    Linear qkv{nullptr}, out{nullptr};

private:
    std::int64_t heads_;
};
TORCH_MODULE(SelfAttention);

/// Multi-head attention from a sequence to the encoder output. Rows of x come in groups of equal size per row
/// of that output, so that the candidates of one source share its keys and values without copies.
class CrossAttentionImpl : public torch::nn::Module {
public:
    CrossAttentionImpl(std::int64_t hidden, std::int64_t heads);
    KeyValue project(const at::Tensor& encoderStates);  ///< [B, S, H]
    /// x [B * group, L, H] -> the same shape.
    at::Tensor forward(const at::Tensor& x, const KeyValue& encoder, const at::Tensor& mask);
    /// Its weights, [B * group, heads, L, S].
    [[nodiscard]] at::Tensor weights(const at::Tensor& x, const KeyValue& encoder, const at::Tensor& mask);

    Linear query{nullptr}, keyValue{nullptr}, out{nullptr};

private:
    /// Of all rows that share an encoder output, one behind another: [B, heads, group * L, width].
    [[nodiscard]] at::Tensor queries(const at::Tensor& x, const KeyValue& encoder);

    std::int64_t heads_;
};
TORCH_MODULE(CrossAttention);

}  // namespace kurve::models
