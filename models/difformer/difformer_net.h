#pragma once

#include <torch/nn/modules/container/modulelist.h>

#include <memory>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/common/encoder.h"
#include "models/common/noisy_words.h"
#include "models/common/token_layout.h"

namespace kurve::models::difformer {

struct EncoderOutput {
    at::Tensor states;        ///< [B, S, H]
    at::Tensor lengthLogits;  ///< [B, 256]: target minus source length, + 128
};

/// The Difformer's network (difformer/modules.py): shared embedding, Transformer encoder, decoder with
/// self-conditioning, length predictor. The paper's sizes are the fields model.*. Other families
/// override TokenLayout and denoise().
class DifformerNetImpl : public torch::nn::Module {
public:
    /// `tokenRows`: positions of the decoder's table.
    DifformerNetImpl(const RunConfig& config, const train::TextShape& shape, std::int64_t tokenRows);

    [[nodiscard]] EncoderOutput encode(const at::Tensor& source, std::span<const std::int32_t> lengths,
                                       const ForwardPass& pass);
    [[nodiscard]] CrossAttentionCache precomputeCrossAttention(const EncoderOutput& encoded,
                                                               std::span<const std::int32_t> lengths);
    [[nodiscard]] at::Tensor embedTarget(const at::Tensor& ids);  ///< E[ids], not scaled
    [[nodiscard]] at::Tensor timeEmbedding(std::span<const double> modelTimes);
    /// Rows of `noisy` come in equal groups per row of `crossCache`.
    [[nodiscard]] virtual Estimate denoise(const Noisy& noisy, const CrossAttentionCache& crossCache,
                                           const TokenLayout& layout, const ForwardPass& pass);
    [[nodiscard]] virtual std::shared_ptr<const TokenLayout> layout(std::span<const std::int32_t> lengths,
                                                                    std::int64_t width) const;

    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }
    [[nodiscard]] const text::SpecialIds& special() const { return special_; }
    [[nodiscard]] double scale() const { return scale_; }  ///< z_0 = scale E
    /// z_0 of ids, with the optional normalisation of the latent.
    [[nodiscard]] at::Tensor latentOf(const at::Tensor& embedded);

    torch::nn::Embedding embedding{nullptr}, sourceEmbedding{nullptr};
    struct Encoder {
        Linear projectIn{nullptr};
        torch::nn::Embedding positions{nullptr};
        std::vector<EncoderLayer> layers;
    } encoder;
    struct Decoder {
        Linear projectIn{nullptr}, projectOut{nullptr};
        Mlp selfCondition{nullptr}, time{nullptr};  ///< the first only with self-conditioning
        torch::nn::Embedding positions{nullptr};
        torch::nn::LayerNorm norm{nullptr};
        std::vector<DecoderLayer> layers;
    } decoder;
    Linear length{nullptr};
    torch::nn::LayerNorm latentNorm{nullptr};

protected:
    /// Self-conditioned tokens plus time and position embeddings, before the first LayerNorm [B, M, H].
    [[nodiscard]] at::Tensor inputTokens(const Noisy& noisy, const TokenLayout& layout,
                                         const ForwardPass& pass);
    /// Estimate::selfConditioning as tokens [B, M, d].
    [[nodiscard]] virtual at::Tensor previousTokens(const at::Tensor& previous,
                                                    const TokenLayout& layout) const;
    /// Words (and tokens, for captured states) from the last layer's states.
    [[nodiscard]] virtual Estimate estimateOf(const at::Tensor& states, const TokenLayout& layout,
                                              const ForwardPass& pass);
    /// LayerNorm and dropout of inputTokens().
    [[nodiscard]] at::Tensor firstStates(const at::Tensor& tokens, const ForwardPass& pass);
    struct LayerRange {
        std::size_t first = 0, end = 0;
    };
    [[nodiscard]] at::Tensor runLayers(at::Tensor x, const LayerRange& range,
                                       const CrossAttentionCache& crossCache, const at::Tensor& mask,
                                       const ForwardPass& pass);

private:
    void buildEncoder(const RunConfig& config);
    void buildDecoder(const RunConfig& config, std::int64_t tokenRows);
    double scale_;
    text::SpecialIds special_;
};
TORCH_MODULE(DifformerNet);

}  // namespace kurve::models::difformer
