#pragma once

#include "models/common/curve_mixture.h"
#include "models/common/token_map.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::sclm {

/// The Difformer's network with control points as tokens (SCLM, sec. 4.2), N estimates per pass with
/// map.curves = N, and with map.lift_layer = l only its layers from l on.
class SclmNetImpl final : public difformer::DifformerNetImpl {
public:
    SclmNetImpl(const RunConfig& config, const train::TextShape& shape, c10::Device device);

    [[nodiscard]] std::shared_ptr<const TokenLayout> layout(std::span<const std::int32_t> lengths,
                                                            std::int64_t width) const override;
    [[nodiscard]] Estimate denoise(const Noisy& noisy, const CrossAttentionCache& crossCache,
                                   const TokenLayout& layout, const ForwardPass& pass) override;
    [[nodiscard]] TokenMap& map() const { return *map_; }

    torch::nn::Embedding liftPositions{nullptr};  ///< added to the tokens behind map.lift_layer

protected:
    [[nodiscard]] at::Tensor previousTokens(const at::Tensor& previous,
                                            const TokenLayout& layout) const override;
    [[nodiscard]] Estimate estimateOf(const at::Tensor& states, const TokenLayout& layout,
                                      const ForwardPass& pass) override;

private:
    [[nodiscard]] at::Tensor inputStates(const Noisy& noisy, const CrossAttentionCache& crossCache,
                                         const TokenLayout& layout, const ForwardPass& pass);

    std::unique_ptr<TokenMap> map_;
    bool conditionsOnCurve_;
    CurveMixture mixture_;
};
TORCH_MODULE(SclmNet);

}  // namespace kurve::models::sclm
