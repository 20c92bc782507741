#pragma once

#include "core/train/brier_draws.h"
#include "core/train/likelihood.h"
#include "models/transformer/generator.h"

namespace kurve::models::transformer {

/// Training loss, decoding and teacher-forced scoring around an autoregressive network.
class TransformerModel final : public train::SequenceModel,
                               public train::Likelihood,
                               public train::BrierDraws {
public:
    TransformerModel(RunConfig config, std::shared_ptr<AutoregressiveNet> net)
        : config_(std::move(config)), net_(std::move(net)) {}

    torch::nn::Module& module() override { return *net_; }
    void keepActivations(train::Activations* maybeInto) override { maybeActivations_ = maybeInto; }
    /// Sum over the tokens after BOS / their number.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Tokens after BOS.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    void dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                        c10::Device /*device*/) override {
        dryRun(*net_, longest, sampler);
    }
    [[nodiscard]] std::vector<trace::EditKind> edits() const override {
        return {trace::EditKind::Force, trace::EditKind::Pin, trace::EditKind::Ban};
    }
    train::Likelihood* likelihood() override { return this; }
    /// Null unless it is decoder-only.
    train::BrierDraws* brierDraws() override;
    at::Tensor tokenEmbeddings() override { return net_->outputTable().detach(); }
    Result<train::Likelihoods> score(const train::LikelihoodRequest& request) override;
    Result<train::BrierStarts> brierTerms(const train::BrierRequest& request,
                                          const RunConfig& sampler) override;
    [[nodiscard]] bool isCheap() const override { return false; }  // three calls per token

private:
    RunConfig config_;
    std::shared_ptr<AutoregressiveNet> net_;
    train::Activations* maybeActivations_ = nullptr;
};

}  // namespace kurve::models::transformer
