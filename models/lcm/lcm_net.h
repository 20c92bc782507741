#pragma once

#include <memory>
#include <utility>

#include "models/common/decoding_cache.h"
#include "models/common/linear.h"
#include "models/common/pre_norm_block.h"
#include "models/common/time_embedding.h"

// Networks of LCM (LCM team 2024, "Large Concept Models", section 2.3) over normalised sentence vectors
// [documents, sentences, w]. All of them are causal: what pads a document on the right changes nothing else.
namespace kurve::models::lcm {

enum class LcmKind : std::uint8_t {
    Base,      ///< predicts the next vector
    OneTower,  ///< denoises it, one network for context and noise
    TwoTower,  ///< a network for the context, another that denoises and looks at it
    QuantC,    ///< adds centroids of a residual quantizer, by predicting the whole vector
    QuantD,    ///< the same by the centroids' probabilities
};
[[nodiscard]] inline bool isQuant(LcmKind kind) {
    return kind == LcmKind::QuantC || kind == LcmKind::QuantD;
}

struct LcmSizes {
    LcmKind kind = LcmKind::TwoTower;
    std::int64_t width = 0;  ///< of a sentence's vector
    std::int64_t hidden = 0, ffn = 0, heads = 0;
    std::int64_t layers = 0, denoiserLayers = 0;  ///< the second of TwoTower
    std::int64_t timeFeatures = 256;
    std::int64_t steps = 0;         ///< of the noise, T
    std::int64_t maxSentences = 0;  ///< of a document
    std::int64_t books = 0, centroids = 0;
};

/// The sentences to predict, as the network sees them.
struct NoisySentences {
    at::Tensor vectors;       ///< [D, S, w]: with noise, or the sum of the centroids so far
    at::Tensor steps;         ///< [D, S] i64: of the noise 0 … T - 1, or of the centroids 1 … books
    at::Tensor maybeDropped;  ///< [D, S] bool: sees no context; undefined: none
};

/// Predicts the next sentence of R documents, again and again at different steps; what the context costs is
/// kept. In evaluation mode.
class NextSentence {
public:
    virtual ~NextSentence() = default;
    /// Vectors [R, w] of the documents' next sentence.
    virtual void append(const at::Tensor& vectors) = 0;
    /// `noisy` [R, w], of Base not read; the step as in NoisySentences. Without the context: as if all were
    /// dropped.
    [[nodiscard]] virtual at::Tensor predict(const at::Tensor& noisy, std::int64_t step,
                                             bool withContext) = 0;
    /// With the context, and without it; one pass where that is cheaper.
    [[nodiscard]] virtual std::pair<at::Tensor, at::Tensor> predictBoth(const at::Tensor& noisy,
                                                                        std::int64_t step) {
        return {predict(noisy, step, true), predict(noisy, step, false)};
    }
};

class LcmNetImpl : public torch::nn::Module {
public:
    explicit LcmNetImpl(const LcmSizes& sizes) : sizes_(sizes) {}
    /// What is predicted of each sentence from those before it, [D, S, w or centroids]; of Base, which needs
    /// one, [D, S - 1, w].
    [[nodiscard]] virtual at::Tensor predict(const at::Tensor& clean, const NoisySentences& noisy) = 0;
    [[nodiscard]] virtual std::unique_ptr<NextSentence> begin(std::int64_t documents) = 0;
    [[nodiscard]] const LcmSizes& sizes() const { return sizes_; }

private:
    LcmSizes sizes_;
};

[[nodiscard]] std::shared_ptr<LcmNetImpl> makeNet(const LcmSizes& sizes);
/// Weights N(0, 1 / fan in) and N(0, 0.02) of the time embedding, norms one, biases zero; `zeroModulations`
/// as published: a layer of the denoiser is the identity at first.
[[nodiscard]] Initializer lcmInitializer(bool zeroModulations, const std::string& name,
                                         const at::Tensor& parameter);

inline constexpr NormSettings kRmsNorm{NormSettings::Kind::RmsNorm, 1e-5};
/// Llama's block with biases, as fairseq2 builds it.
[[nodiscard]] PreNormSizes llamaBlock(const LcmSizes& sizes);

}  // namespace kurve::models::lcm
