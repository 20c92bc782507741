#pragma once

#include "core/train/model_family.h"
#include "models/concept/codebooks.h"
#include "models/concept/concept_net.h"
#include "models/sentence_encoder/frozen_vectors.h"

namespace kurve::models::sentence_concept {

/// Training loss and reconstruction of sentences.
class ConceptModel final : public train::SequenceModel, public train::SentenceEncoder {
public:
    ConceptModel(RunConfig config, ConceptNet net,
                 std::shared_ptr<sentence_encoder::FrozenVectors> maybeVectors = nullptr,
                 std::shared_ptr<const Codebooks> maybeCodebooks = nullptr)
        : config_(std::move(config)),
          net_(std::move(net)),
          maybeVectors_(std::move(maybeVectors)),
          maybeCodebooks_(std::move(maybeCodebooks)) {}

    [[nodiscard]] ConceptNet net() const { return net_; }
    torch::nn::Module& module() override { return *net_; }
    /// Errors: concept.codebooks (the vectors are not those that the codebooks are of, or would not stay so).
    [[nodiscard]] Status checkTraining(const text::Split& train,
                                       std::vector<std::string>& warnings) const override;
    /// Mean cross entropy of the sentences' tokens from their vectors, in training quantized and noisy ones.
    /// In evaluation mode also how many are reconstructed.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Tokens, then sentences.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    /// Reconstructs the sources (sampler.noise, sampler.books). Score: mean log-probability of the written
    /// tokens.
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    train::SentenceEncoder* sentenceEncoder() override { return this; }
    at::Tensor encodeSentences(const std::vector<std::vector<std::int32_t>>& sentences, int threads) override;
    [[nodiscard]] std::int64_t longestSentence() const override { return net_->sizes().maxTokens + 1; }
    train::CorpusVectors* corpusVectors() override { return maybeVectors_.get(); }
    at::Tensor tokenEmbeddings() override { return net_->outputTable().detach(); }

private:
    /// What the decoder reads of vectors [n, w] in training.
    [[nodiscard]] at::Tensor trainingInput(const at::Tensor& vectors, const at::Tensor& noise,
                                           const train::StepRandom& random) const;
    void addReconstruction(const train::DeviceBatch& batch, const at::Tensor& vectors,
                           const at::Tensor& noise, train::LossReport& report);

    RunConfig config_;
    ConceptNet net_;
    std::shared_ptr<sentence_encoder::FrozenVectors> maybeVectors_;  // of model.encoder
    std::shared_ptr<const Codebooks> maybeCodebooks_;
};

/// The sentences of a batch's targets; `lengths` keeps theirs alive.
[[nodiscard]] Sentences sentencesOf(const train::DeviceBatch& batch, std::vector<std::int32_t>& lengths);

}  // namespace kurve::models::sentence_concept
