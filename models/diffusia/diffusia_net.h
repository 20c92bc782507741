#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/diffusion/step_sampler.h"
#include "core/text/special_ids.h"
#include "models/common/encoder.h"
#include "models/common/noisy_words.h"
#include "models/common/time_embedding.h"
#include "models/common/token_layout.h"
#include "models/diffusia/layer_order.h"

namespace kurve::models::diffusia {

/// What the input of the projection is made of, x_t and the estimate x0-bar before: x_t alone; their sum
/// (A-type); a linear map of both (C-type); or both, which the projection itself takes in (SeqDiffuSeq's).
enum class SelfConditioning : std::uint8_t { None, Sum, Concatenation, Fused };

struct NetSizes {
    NetworkKind kind = NetworkKind::Diffusia;
    std::int64_t sourceVocabulary = 0, targetVocabulary = 0, hidden = 0, latent = 0, heads = 0, ffn = 0,
                 encoderLayers = 0, decoderLayers = 0;
    std::int64_t conditionLength = 0, targetLength = 0;  ///< positions of the two
    std::int64_t timeFeatures = 128;                     ///< of the published code
    std::int64_t lengthClasses = 0;                      ///< 0: no head; never of DiffuSeq
    SelfConditioning selfConditioning = SelfConditioning::Concatenation;
    bool sharedEmbeddings = false;  ///< the condition's are a linear map of the target's
    text::SpecialIds special = {};
};

/// W2 tanh(W1 x + b1) + b2 (Diffusion-LM's code); columns that x lacks are zeros.
class ProjectionImpl : public torch::nn::Module {
public:
    explicit ProjectionImpl(const MlpImpl::Widths& widths);
    at::Tensor forward(const at::Tensor& x);

    Linear in{nullptr}, out{nullptr};
};
TORCH_MODULE(Projection);

/// What is known of a batch's conditions before any noise.
struct Condition {
    at::Tensor first;                ///< c^0 [B, S, H]; of DiffuSeq the embeddings [B, S, d]
    at::Tensor mask;                 ///< attentionMask of the conditions
    std::vector<at::Tensor> states;  ///< of DiffuED c^0 … c^Le
    CrossAttentionCache cache;       ///< of DiffuED the decoder's keys and values of c^Le
    std::vector<LayerRead> reads;    ///< of DiffuED those of its encoder
    at::Tensor lengthLogits;  ///< [B, classes]: target minus condition, + classes / 2; undefined: no head
};

/// The networks of DiffuSIA (Tan et al. 2023, section 3) and their baseline DiffuSeq: BERT layers (post-norm,
/// exact GELU) over a condition c and a noised target x_t, the estimate of x_0 by a projection of the last x.
/// Nothing is shared between layers.
class DiffusiaNetImpl : public torch::nn::Module {
public:
    explicit DiffusiaNetImpl(const NetSizes& sizes);

    /// Its histories are buffers of the network.
    void addStepSampler(const diffusion::StepSamplerImpl::Sizes& sizes);
    /// ids [B, S] i64, right-padded.
    [[nodiscard]] Condition encode(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                   const ForwardPass& pass);
    /// Every row of it `times` times, for as many candidates; DiffuED's candidates share theirs.
    [[nodiscard]] Condition repeated(const Condition& condition, std::int64_t times) const;
    /// x_0-hat of noisy.words [B, L, d]; layout.mask() hides positions of the target. Captures "hidden/<j>",
    /// "attention/<j>" and "cross_attention/<j>" of the target's layers, states "condition/<m>" of the source
    /// and, where it reads the target, "condition_cross_attention/<m>"; DiffuSeq's rows add up to 1 over both
    /// sides. Always "layer_reads" [n, 4], the LayerReads in the order in which they happened.
    [[nodiscard]] Estimate denoise(const Noisy& noisy, const Condition& condition, const TokenLayout& layout,
                                   const ForwardPass& pass);
    [[nodiscard]] at::Tensor embedTarget(const at::Tensor& ids);
    /// modelTimes [n] in the weights' dtype -> [n, H].
    [[nodiscard]] at::Tensor timeEmbedding(const at::Tensor& modelTimes);
    /// x E^T + b.
    [[nodiscard]] at::Tensor logits(const at::Tensor& x) const;

    [[nodiscard]] c10::Device device() const { return targetEmbedding->weight.device(); }
    [[nodiscard]] const NetSizes& sizes() const { return sizes_; }

    torch::nn::Embedding targetEmbedding{nullptr}, targetPositions{nullptr};
    at::Tensor roundingBias;
    diffusion::StepSampler stepSampler{nullptr};  ///< only with diffusion.step_sampler = loss-aware

private:
    void buildCondition();
    void buildTarget();
    void buildLayers();
    /// x^0.
    [[nodiscard]] at::Tensor input(const Noisy& noisy, const at::Tensor& positions, const ForwardPass& pass);
    [[nodiscard]] at::Tensor runTower(const Noisy& noisy, const Condition& condition,
                                      const TokenLayout& layout, const ForwardPass& pass);
    [[nodiscard]] at::Tensor runLayers(const Noisy& noisy, const Condition& condition,
                                       const TokenLayout& layout, const ForwardPass& pass);

    NetSizes sizes_;
    std::vector<LayerCall> order_;
    torch::nn::Embedding conditionEmbedding_{nullptr}, conditionPositions_{nullptr};
    Linear conditionProjection_{nullptr}, mix_{nullptr}, lengthHead_{nullptr};
    torch::nn::LayerNorm conditionNorm_{nullptr}, targetNorm_{nullptr};
    Projection inputProjection_{nullptr}, outputProjection_{nullptr};
    TimeEmbedding timeProjection_{nullptr};
    std::vector<EncoderLayer> encoder_;   ///< DiffuED's and DiffuSeq's
    std::vector<DecoderLayer> crossing_;  ///< the others' encoder
    std::vector<DecoderLayer> decoder_;
};
TORCH_MODULE(DiffusiaNet);

}  // namespace kurve::models::diffusia
