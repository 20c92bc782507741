#pragma once

#include <functional>
#include <vector>

#include "models/sentence_encoder/encoder_net.h"

namespace kurve::models::sentence_encoder {

/// Of a batch on a CPU: its states stay in the cache of a core.
inline constexpr std::size_t kBatchTokens = 512;

/// An encoder whose weights stay as they are, for many sentences: on a CPU they are packed as oneDNN
/// multiplies by them, once, and the activation is computed with the product. Without gradient; callable from
/// any thread.
class PackedEncoder {
public:
    /// Of a float32 network; keeps it alive. What is changed in it later has no effect on a CPU.
    explicit PackedEncoder(EncoderNet net);
    /// EncoderNet::forward() of sentences of one length, ids [n, L]. A sentence's vector does not depend on
    /// the others.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& ids);
    [[nodiscard]] const EncoderNetImpl& net() const { return *net_; }

private:
    struct Linear {
        at::Tensor weight, bias;
    };
    struct Layer {
        Linear qkv, out, inner, outer;
    };
    [[nodiscard]] static Linear packed(const models::Linear& linear);
    [[nodiscard]] at::Tensor attended(const at::Tensor& x, const Layer& layer, std::int64_t length) const;

    EncoderNet net_;
    std::vector<Layer> layers_;  // empty: as the network computes
};

/// work(0), …, work(count - 1), without gradient; more than one thread only for a CPU's work.
void inThreads(int threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace kurve::models::sentence_encoder
