#pragma once

#include "core/train/multi_token_prediction.h"
#include "models/ngram/ngram_net.h"

namespace kurve::models::ngram {

/// Training loss, decoding and scores of the n-gram network.
class NgramModel final : public train::SequenceModel, public train::MultiTokenPrediction {
public:
    NgramModel(RunConfig config, NgramNet net) : config_(std::move(config)), net_(std::move(net)) {}

    torch::nn::Module& module() override { return *net_; }
    void keepActivations(train::Activations* maybeInto) override { maybeActivations_ = maybeInto; }
    /// Mean cross entropy of all tokens 1 to n ahead of all positions that there are; parts: "future_nll_j",
    /// the mean of those j ahead.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Predicted tokens, then those of each position ahead.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    void dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                        c10::Device device) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;
    at::Tensor tokenEmbeddings() override { return net_->outputTable().detach(); }

    train::MultiTokenPrediction* multiTokenPrediction() override { return this; }
    [[nodiscard]] std::int64_t tokensPerState() const override { return net_->tokensPerState(); }
    /// N curves are mixed, as in training.
    Result<FutureLikelihoods> futureNll(const train::LikelihoodRequest& request) override;
    Result<at::Tensor> perturbedLogits(const std::vector<std::int32_t>& context,
                                       const train::Perturbation& perturbation) override;

private:
    RunConfig config_;
    NgramNet net_;
    train::Activations* maybeActivations_ = nullptr;
};

}  // namespace kurve::models::ngram
