#pragma once

#include <torch/nn/modules/embedding.h>

#include <functional>
#include <span>
#include <vector>

#include "core/text/special_ids.h"
#include "models/common/decoding_cache.h"
#include "models/common/linear.h"
#include "models/common/pre_norm_block.h"

namespace kurve::models::sentence_concept {

struct ConceptSizes {
    std::int64_t vocabulary = 0, hidden = 0, ffn = 0, heads = 0;
    std::int64_t encoderLayers = 0, decoderLayers = 0;
    std::int64_t width = 0;      ///< of a sentence's vector (w)
    std::int64_t maxTokens = 0;  ///< of a sentence, </s> included
    bool ownEncoder = true;      ///< false: the vectors come from elsewhere
    bool slots = true;           ///< a matrix for each position into the vector and out of it; else the mean
    text::SpecialIds special = {};
};

/// Sentences without <s>, right-padded.
struct Sentences {
    at::Tensor ids;                         ///< [n, L] i64
    std::span<const std::int32_t> lengths;  ///< [n], </s> included
    at::Tensor maybeHostIds = {};           ///< the same ids in the memory of the host, where they are known
};

/// Vectors of sentences, [n, w] of root mean square 1, without gradient.
using VectorSource = std::function<at::Tensor(const Sentences& sentences)>;

/// An autoencoder of sentences: a Transformer encoder, one vector of root mean square 1, a causal decoder (in
/// place of SONAR, Duquenne et al. 2023: what LCM, section 2.1, builds on). Its buffers are the scaler of
/// LCM's eq. 4 over the vectors seen in training. Works in float32 and float64.
class ConceptNetImpl : public torch::nn::Module {
public:
    /// `maybeVectors` where it has no encoder of its own.
    explicit ConceptNetImpl(const ConceptSizes& sizes, VectorSource maybeVectors = {});

    /// [n, w]
    [[nodiscard]] at::Tensor encode(const Sentences& sentences);
    /// States [n, L, H] of the decoder that reads <s> and all tokens but the last; logits are their products
    /// with outputTable().
    [[nodiscard]] at::Tensor decode(const at::Tensor& vectors, const at::Tensor& ids);
    struct Written {
        std::vector<std::vector<std::int32_t>> ids;  ///< without </s>
        std::vector<double> score;                   ///< mean log-probability of the tokens, </s> counted
    };
    /// The likeliest next token again and again, in evaluation mode.
    [[nodiscard]] Written write(const at::Tensor& vectors);

    /// (x - center) / scale, and back.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& vectors) const {
        return (vectors - center) / scale;
    }
    [[nodiscard]] at::Tensor denormalised(const at::Tensor& values) const { return center + values * scale; }
    /// Median and 0.7413 interquartile range of each dimension (LCM's "gaussian_robust"), as an exponential
    /// average over batches.
    void observe(const at::Tensor& vectors);

    [[nodiscard]] const at::Tensor& outputTable() const { return embedding->weight; }
    [[nodiscard]] const ConceptSizes& sizes() const { return sizes_; }
    [[nodiscard]] c10::Device device() const { return embedding->weight.device(); }

    torch::nn::Embedding embedding{nullptr}, positions{nullptr};
    std::vector<PreNormBlock> encoder, decoder;
    ModulatedNorm encoderNorm{nullptr}, decoderNorm{nullptr};
    Linear toVector{nullptr}, fromVector{nullptr};
    at::Tensor center, scale;  ///< [w]
    at::Tensor seen;           ///< scalar f32: batches that the scaler has seen

private:
    [[nodiscard]] at::Tensor embed(const at::Tensor& ids, std::int64_t first);
    /// What the vectors add at positions first, …: [n, count, H].
    [[nodiscard]] at::Tensor slots(const at::Tensor& vectors, std::int64_t first, std::int64_t count);

    ConceptSizes sizes_;
    VectorSource maybeVectors_;
};
TORCH_MODULE(ConceptNet);

/// Weights N(0, 1 / fan in), norms one, biases zero.
[[nodiscard]] Initializer conceptInitializer(const ConceptSizes& sizes, const std::string& name,
                                             const at::Tensor& parameter);

}  // namespace kurve::models::sentence_concept
