#pragma once

#include "core/diffusion/gaussian_process.h"
#include "models/diffusia/diffusia_net.h"
#include "models/diffusia/losses.h"

namespace kurve::models::diffusia {

/// Training loss and decoding around a DiffusiaNet.
class DiffusiaModel final : public train::SequenceModel {
public:
    DiffusiaModel(RunConfig config, DiffusiaNet net);

    torch::nn::Module& module() override { return *net_; }
    void keepActivations(train::Activations* maybeInto) override { maybeActivations_ = maybeInto; }
    /// In training the steps come from the step sampler; else they are uniform. Targets longer than the
    /// network's are a ContractError.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Into the step sampler's histories.
    void observe(const at::Tensor& noiseSteps, const at::Tensor& losses) override;
    [[nodiscard]] Result<train::InitialSources> initialSources(const RunConfig& other) const override;
    /// Rows.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    void dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                        c10::Device device) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;
    at::Tensor tokenEmbeddings() override;
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> levelProbabilities() const override;
    std::map<std::string, double> healthMetrics() override;

private:
    struct Drawn;
    /// The targets as the network takes them: padded to its width where padding is a token.
    struct Target {
        at::Tensor ids;
        Counted counted;
    };
    [[nodiscard]] Target targetOf(const train::DeviceBatch& batch) const;
    [[nodiscard]] Drawn draw(const train::DeviceBatch& batch, std::int64_t width,
                             const train::StepRandom& random) const;
    [[nodiscard]] at::Tensor lengthLosses(const at::Tensor& logits, const train::DeviceBatch& batch) const;
    [[nodiscard]] bool drawsByLoss() const { return net_->stepSampler && net_->is_training(); }

    RunConfig config_;
    DiffusiaNet net_;
    diffusion::GaussianProcess process_;
    NoiseTables tables_;
    train::Activations* maybeActivations_ = nullptr;
};

}  // namespace kurve::models::diffusia
