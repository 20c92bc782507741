#pragma once

#include <memory>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/cmlm/look_neighbors.h"
#include "models/common/encoder.h"
#include "models/common/init.h"

namespace kurve::models::cmlm {

struct Encoded {
    at::Tensor states;        ///< [B, S, H]
    at::Tensor mask;          ///< attentionMask of the source
    at::Tensor lengthLogits;  ///< [B, classes]: class = length - CmlmNetImpl::lengthOffset()
};

/// CMLM's network (Ghazvininejad et al. 2019): encoder and decoder without a causal mask over one embedding
/// that is the output projection too, and a length predictor; with Look Neighbors where the fields ln.* ask
/// for it.
class CmlmNetImpl : public torch::nn::Module {
public:
    CmlmNetImpl(const RunConfig& config, const train::TextShape& shape);

    [[nodiscard]] Encoded encode(const at::Tensor& source, std::span<const std::int32_t> lengths,
                                 const ForwardPass& pass);
    [[nodiscard]] Memory remember(const Encoded& encoded);
    /// What the output projection reads, [B, L, H]. `ids` [B, L] with masks; rows come in equal groups per
    /// row of `memory`.
    [[nodiscard]] at::Tensor decode(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                    const Memory& memory, const ForwardPass& pass);

    /// What the last layer reads, [B, L, H], in evaluation mode.
    [[nodiscard]] at::Tensor belowLast(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                       const Memory& memory);
    /// The rest of decode() at the flat places row * L + slot (ascending, ordinary words) only, [n, H]: the
    /// last layer works for them alone.
    [[nodiscard]] at::Tensor lastAt(const at::Tensor& below, std::span<const std::int32_t> lengths,
                                    const Memory& memory, std::span<const std::int64_t> places);

    /// Length in tokens, BOS and EOS included, of class 0.
    [[nodiscard]] std::int64_t lengthOffset() const { return token_ ? 1 : 0; }
    [[nodiscard]] std::int64_t lengthClass(std::int64_t tokens) const;
    [[nodiscard]] std::int64_t places() const { return positions_.places(); }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }
    /// alpha of every layer, on the device; empty without Look Neighbors' attention.
    [[nodiscard]] std::vector<at::Tensor> alphas() const;

    torch::nn::Embedding embedding{nullptr}, sourceEmbedding{nullptr};

private:
    [[nodiscard]] at::Tensor lengthLogits(const at::Tensor& states) const;
    [[nodiscard]] at::Tensor embedded(const at::Tensor& ids);
    [[nodiscard]] DecoderLayerImpl::Masks masksOf(std::span<const std::int32_t> lengths, std::int64_t width,
                                                  const Memory& memory) const;

    bool token_;  ///< a [LENGTH] symbol stands before the source
    std::int64_t window_;
    at::Tensor length_;  ///< [classes, H]; with a token its row 0 is the symbol's input
    TextEncoder encoder_;
    Positions positions_;
    std::vector<CmlmLayer> layers_;
    LookTop top_{nullptr};
};
TORCH_MODULE(CmlmNet);

/// How the parameter of that name starts (fields init.*).
[[nodiscard]] InitialLaw initialLaw(const RunConfig& config, const std::string& name);

}  // namespace kurve::models::cmlm
