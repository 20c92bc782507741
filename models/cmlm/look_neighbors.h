#pragma once

#include <span>

#include "models/common/layers.h"

namespace kurve::models::cmlm {

/// [B, 1, L, L] f32 to be added to attention scores: a position attends to those at most `window` away, and
/// not to padding; a padded query attends to all real positions, so that no row is all -inf.
[[nodiscard]] at::Tensor neighbourMask(std::span<const std::int32_t> lengths, std::int64_t width,
                                       std::int64_t window, c10::Device device);

/// Decoder layer, with Look Neighbors' second self-attention if `neighbours`: both outputs are mixed by one
/// learned scalar, alpha of the full one (Guo et al. 2023, equations 8 to 10).
class CmlmLayerImpl : public DecoderLayerImpl {
public:
    CmlmLayerImpl(const LayerSizes& sizes, bool neighbours);
    SelfAttention neighbourAttention{nullptr};
    at::Tensor alpha;  ///< scalar; undefined without neighbours

protected:
    at::Tensor selfAttention(const at::Tensor& x, const Masks& masks, const ForwardPass& pass,
                             const std::string& layer) override;
    at::Tensor selfAttentionAtPositions(const at::Tensor& queries, const at::Tensor& x,
                                        const Masks& masks) override;

private:
    [[nodiscard]] at::Tensor mixed(const at::Tensor& full, const at::Tensor& near) const;
};
TORCH_MODULE(CmlmLayer);

/// Adds the two neighbours to each last state (Guo et al. 2023, equation 11).
class LookNeighborsTopImpl : public torch::nn::Module {
public:
    struct Shape {
        std::int64_t width = 0;
        std::int64_t inner = 0;  ///< of the official form; 0 = the paper's single matrix
        bool bySentence = true;  ///< unchanged: each sentence's BOS and EOS; else the columns 0 and L-1
    };
    explicit LookNeighborsTopImpl(const Shape& shape);
    /// states [B, L, d] -> [B, L, d]; neighbours are those of `states`, not of the result.
    at::Tensor forward(const at::Tensor& states, std::span<const std::int32_t> lengths,
                       const ForwardPass& pass);

    /// In evaluation mode, for ordinary tokens [n, d] with these neighbours.
    at::Tensor forwardAtPositions(const at::Tensor& own, const at::Tensor& left, const at::Tensor& right);

    Linear in{nullptr}, out{nullptr};  ///< official: both; paper: `out` alone

private:
    Shape shape_;
};
TORCH_MODULE(LookNeighborsTop);

}  // namespace kurve::models::cmlm
