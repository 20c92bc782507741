#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "models/common/decoding_cache.h"
#include "models/common/forward_pass.h"
#include "models/common/linear.h"
#include "models/common/query_index.h"
#include "models/common/rotary.h"

namespace kurve::models {

/// What a position attends to: all, or itself and those before it.
enum class AttentionDirection : std::uint8_t { Both, Causal };

/// Multi-head self-attention with rotary positions, or none where the table is undefined; its projections may
/// have biases.
class RotaryAttentionImpl : public torch::nn::Module {
public:
    RotaryAttentionImpl(std::int64_t hidden, std::int64_t heads,
                        AttentionDirection direction = AttentionDirection::Both, bool bias = false);
    /// x [B, L, H] -> [B, L, H]; `mask` as attentionMask() or undefined, and undefined if causal. `layer` is
    /// "block.2" or the like; its number names the captured weights ("attention/2").
    at::Tensor forward(const at::Tensor& x, const RotaryTable& table, const at::Tensor& mask,
                       const ForwardPass& pass, const std::string& layer);
    /// forward() at some positions only, [n, H]; x is the whole batch.
    at::Tensor forwardAtPositions(const at::Tensor& x, const QueryIndex& queries, const RotaryTable& table,
                                  const at::Tensor& mask);

    /// forward() at positions 0, stride, 2 stride … alone, without rotary positions; `mask` has their rows.
    at::Tensor forwardEvery(const at::Tensor& x, std::int64_t stride, const at::Tensor& mask);

    /// In evaluation mode, further positions x [R, n, H], whose table this is: each sees itself and all those
    /// before it, in the cache too. Several only where the attention is causal.
    at::Tensor extend(const at::Tensor& x, const RotaryTable& table, const LayerCache& cached);

    Linear qkv{nullptr}, out{nullptr};

private:
    struct Projected {
        at::Tensor query, key, value;  ///< [B, heads, L, width]; query and key are rotated
    };
    [[nodiscard]] Projected project(const at::Tensor& x, const RotaryTable& table);
    /// Of query, key and value, in this order, `count` from `first` on: [..., count H].
    [[nodiscard]] at::Tensor projectPart(const at::Tensor& x, std::int64_t first, std::int64_t count);
    [[nodiscard]] at::Tensor projectOut(const at::Tensor& heads);

    std::int64_t heads_;
    AttentionDirection direction_;
};
TORCH_MODULE(RotaryAttention);

}  // namespace kurve::models
