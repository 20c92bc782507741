#pragma once

#include <memory>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/cmlm/look_neighbors.h"
#include "models/common/encoder.h"
#include "models/common/init.h"

namespace kurve::models::cmlm {

struct EncoderOutput {
    at::Tensor states;        ///< [B, S, H]
    at::Tensor mask;          ///< attentionMask of the source
    at::Tensor lengthLogits;  ///< [B, classes]: class = length - CmlmNetImpl::lengthOffset()
};

/// CMLM's network (Ghazvininejad et al. 2019): encoder and decoder without a causal mask over one embedding
/// that is the output projection too, and a length predictor; with Look Neighbors where the fields
/// look_neighbors.* ask for it.
class CmlmNetImpl : public torch::nn::Module {
public:
    CmlmNetImpl(const RunConfig& config, const train::TextShape& shape);

    [[nodiscard]] EncoderOutput encode(const at::Tensor& source, std::span<const std::int32_t> lengths,
                                       const ForwardPass& pass);
    [[nodiscard]] CrossAttentionCache precomputeCrossAttention(const EncoderOutput& encoded);
    /// The input of the output projection, [B, L, H]. `ids` [B, L] with masks; rows come in equal groups per
    /// row of `crossCache`.
    [[nodiscard]] at::Tensor decode(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                    const CrossAttentionCache& crossCache, const ForwardPass& pass);

    /// The input of the last layer, [B, L, H], in evaluation mode.
    [[nodiscard]] at::Tensor penultimateStates(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                               const CrossAttentionCache& crossCache);
    /// The rest of decode() at the flat positions row * L + column (ascending, ordinary tokens) only, [n, H]:
    /// the last layer is computed for them alone.
    [[nodiscard]] at::Tensor finalLayerAtPositions(const at::Tensor& penultimate,
                                                   std::span<const std::int32_t> lengths,
                                                   const CrossAttentionCache& crossCache,
                                                   std::span<const std::int64_t> positions);

    /// Length in tokens, BOS and EOS included, of class 0.
    [[nodiscard]] std::int64_t lengthOffset() const { return token_ ? 1 : 0; }
    [[nodiscard]] std::int64_t lengthClass(std::int64_t tokens) const;
    [[nodiscard]] std::int64_t maxPositions() const { return positions_.maxPositions(); }
    [[nodiscard]] const text::SpecialIds& special() const { return special_; }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }
    /// alpha of every layer, on the device; empty without Look Neighbors' attention.
    [[nodiscard]] std::vector<at::Tensor> alphas() const;
    /// Errors: model.not_finite, for an alpha. Waits for the device.
    [[nodiscard]] Status checkAlphas() const;

    torch::nn::Embedding embedding{nullptr}, sourceEmbedding{nullptr};

private:
    [[nodiscard]] at::Tensor lengthLogits(const at::Tensor& states) const;
    [[nodiscard]] at::Tensor embedded(const at::Tensor& ids);
    [[nodiscard]] DecoderLayerImpl::Masks masksOf(std::span<const std::int32_t> lengths, std::int64_t width,
                                                  const CrossAttentionCache& crossCache) const;

    bool token_;  ///< a [LENGTH] symbol precedes the source
    std::int64_t window_;
    text::SpecialIds special_;
    at::Tensor length_;  ///< [classes, H]; with a token its row 0 is the symbol's input
    TextEncoder encoder_;
    PositionalEmbedding positions_;
    std::vector<CmlmLayer> layers_;
    LookNeighborsTop top_{nullptr};
};
TORCH_MODULE(CmlmNet);

/// The initializer of the parameter of that name (fields init.*); `padding`: SpecialIds::pad.
[[nodiscard]] Initializer initializer(const RunConfig& config, std::int64_t padding, const std::string& name);

}  // namespace kurve::models::cmlm
