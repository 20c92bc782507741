#pragma once

#include "models/difformer/difformer_net.h"
#include "models/sclm/curve_maps.h"

namespace kurve::models::sclm {

/// The Difformer's network with control points as tokens (SCLM, sec. 4.2) and, with map.curves = N > 1, N
/// estimates per pass: N copies of the tokens, each after its own token e_n; a scorer on e_n's last state
/// gives the mixture's weights.
class SclmNetImpl final : public difformer::DifformerNetImpl {
public:
    SclmNetImpl(const RunConfig& config, const train::TextShape& shape, c10::Device device);

    [[nodiscard]] std::shared_ptr<const difformer::TokenLayout> layout(std::span<const std::int32_t> lengths,
                                                                       std::int64_t width) const override;
    [[nodiscard]] difformer::Estimate denoise(const difformer::Noisy& noisy,
                                              const CrossAttentionCache& crossCache,
                                              const difformer::TokenLayout& layout,
                                              const ForwardPass& pass) override;
    [[nodiscard]] double worstInputGain() const { return maps_ ? maps_->worstInputGain() : 1; }
    void setWorstInputGain(double gain) {
        if (maps_) maps_->setWorstInputGain(gain);
    }

    torch::nn::Embedding curveTokens{nullptr};  ///< e_n
    Mlp scorer{nullptr};

protected:
    [[nodiscard]] at::Tensor previousTokens(const at::Tensor& previous,
                                            const difformer::TokenLayout& layout) const override;
    [[nodiscard]] difformer::Estimate estimateOf(const at::Tensor& states,
                                                 const difformer::TokenLayout& layout,
                                                 const ForwardPass& pass) override;

private:
    [[nodiscard]] at::Tensor withCurveTokens(const at::Tensor& tokens, const at::Tensor& time);
    void keepChosenCurve(StateCapture& capture, const at::Tensor& rows) const;

    std::int64_t curves_;
    bool conditionsOnCurve_, atGreville_;
    std::unique_ptr<CurveMaps> maps_;  ///< none for map.kind = identity
};
TORCH_MODULE(SclmNet);

}  // namespace kurve::models::sclm
