#pragma once

#include <torch/nn/modules/embedding.h>

#include "models/common/pre_norm_block.h"
#include "models/transformer/autoregressive_net.h"

namespace kurve::models::transformer {

struct DecoderOnlySizes {
    std::int64_t vocabulary = 0, hidden = 0, layers = 0, heads = 0, ffn = 0;
    std::int64_t maxPositions = 0;  ///< longest text, BOS and EOS included
    bool running = false;           ///< its texts are blocks of running text
    text::SpecialIds special = {};
};

/// Autoregressive language model: MDLM's network (DiT blocks with rotary positions, without adaLN) with
/// causal attention, its output tied to the embedding and without a bias. Works in float32 and float64. Not
/// to be used by two threads at once.
class DecoderOnlyNetImpl : public AutoregressiveNet {
public:
    explicit DecoderOnlyNetImpl(const DecoderOnlySizes& sizes);

    /// States [B, L, H] of right-padded ids [B, L] i64: state i has seen ids up to i. `lengths` only tell
    /// padding apart where activations are kept ("block_<i>"). Captures "hidden/<i>" and "attention/<i>".
    [[nodiscard]] at::Tensor read(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                  const ForwardPass& pass);
    /// The same in evaluation mode for ids [R, n] behind those in the cache.
    [[nodiscard]] at::Tensor extend(const at::Tensor& ids, DecodingCache& cache);
    [[nodiscard]] DecodingCache newCache(std::int64_t rows) const;

    at::Tensor states(const TeacherForced& batch, const ForwardPass& pass) override;
    const at::Tensor& outputTable() const override { return embedding->weight; }
    std::unique_ptr<IncrementalDecoder> begin(const TextGroup& group) override;
    std::int64_t firstToken(std::span<const std::int32_t> known) const override { return known.back(); }
    std::int64_t room(std::size_t known) const override {
        return sizes_.maxPositions - static_cast<std::int64_t>(known) - 1;
    }
    Status check(const train::GenerateRequest& request) const override;
    bool endsAtEos() const override { return !sizes_.running; }
    std::int64_t maxPositions() const override { return sizes_.maxPositions; }

    torch::nn::Embedding embedding{nullptr};
    std::vector<PreNormBlock> blocks;
    ModulatedNorm norm{nullptr};

private:
    [[nodiscard]] BlockContext context(std::int64_t firstPosition, std::int64_t count);

    DecoderOnlySizes sizes_;
    RotaryEmbedding rotary_;
};
TORCH_MODULE(DecoderOnlyNet);

/// Initial values as MDLM's: embedding uniform on +-1/sqrt(H), norms one, every Linear PyTorch's default.
[[nodiscard]] Initializer decoderOnlyInitializer(const DecoderOnlySizes& sizes, const std::string& name,
                                                 const at::Tensor& parameter);

}  // namespace kurve::models::transformer
