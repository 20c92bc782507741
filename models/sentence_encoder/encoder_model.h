#pragma once

#include "core/train/corpus_vectors.h"
#include "core/train/model_family.h"
#include "models/sentence_encoder/encoder_net.h"

namespace kurve::models::sentence_encoder {

/// Vectors of sentences, for other models: it has no loss and writes no text.
class EncoderModel final : public train::SequenceModel, public train::SentenceEncoder {
public:
    EncoderModel(RunConfig config, EncoderNet net) : config_(std::move(config)), net_(std::move(net)) {}

    [[nodiscard]] EncoderNet net() const { return net_; }
    torch::nn::Module& module() override { return *net_; }
    /// A ContractError: its family does not train.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Error: model.encoder_only.
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    train::SentenceEncoder* sentenceEncoder() override { return this; }
    at::Tensor encodeSentences(const std::vector<std::vector<std::int32_t>>& sentences, int threads) override;
    [[nodiscard]] std::int64_t longestSentence() const override { return net_->sizes().bert.maxPositions; }
    at::Tensor tokenEmbeddings() override { return net_->bert->words->weight.detach(); }

private:
    RunConfig config_;
    EncoderNet net_;
};

}  // namespace kurve::models::sentence_encoder
