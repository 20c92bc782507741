#pragma once

#include <span>

#include "models/common/layers.h"

namespace kurve::models::cmlm {

/// [B, 1, L, L] f32 to be added to attention scores: a position sees those at most `window` away, and no
/// padding; a padded query sees every word, so that no row is all -inf.
[[nodiscard]] at::Tensor neighbourMask(std::span<const std::int32_t> lengths, std::int64_t width,
                                       std::int64_t window, c10::Device device);

/// Decoder layer, with Look Neighbors' second self-attention if `neighbours`: what both find is mixed by one
/// learned scalar, alpha of the wide one (Guo et al. 2023, equations 8 to 10).
class CmlmLayerImpl : public DecoderLayerImpl {
public:
    CmlmLayerImpl(const LayerSizes& sizes, bool neighbours);
    SelfAttention near{nullptr};
    at::Tensor alpha;  ///< scalar; undefined without neighbours

protected:
    at::Tensor look(const at::Tensor& x, const Masks& masks, const ForwardPass& pass,
                    const std::string& layer) override;
    at::Tensor lookAt(const at::Tensor& queries, const at::Tensor& x, const Masks& masks) override;

private:
    [[nodiscard]] at::Tensor mixed(const at::Tensor& wide, const at::Tensor& narrow) const;
};
TORCH_MODULE(CmlmLayer);

/// What the last state takes in of its two neighbours (Guo et al. 2023, equation 11).
class LookTopImpl : public torch::nn::Module {
public:
    struct Shape {
        std::int64_t width = 0;
        std::int64_t inner = 0;  ///< of the official form; 0 = the paper's single matrix
        bool bySentence =
            true;  ///< edges: each sentence's BOS and EOS stay as they are; else the columns 0 and L-1
    };
    explicit LookTopImpl(const Shape& shape);
    /// states [B, L, d] -> [B, L, d]; neighbours are those of `states`, not of the result.
    at::Tensor forward(const at::Tensor& states, std::span<const std::int32_t> lengths,
                       const ForwardPass& pass);

    /// In evaluation mode, what it gives ordinary words [n, d] with these neighbours.
    at::Tensor forwardAt(const at::Tensor& own, const at::Tensor& left, const at::Tensor& right);

    torch::nn::Linear in{nullptr}, out{nullptr};  ///< official: both; paper: `out` alone

private:
    Shape shape_;
};
TORCH_MODULE(LookTop);

}  // namespace kurve::models::cmlm
