#pragma once

#include "core/diffusion/gaussian_process.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// Training loss and decoding around a DifformerNet (difformer/difformer.py) or a network derived from it.
class DifformerModel : public train::SequenceModel {
public:
    DifformerModel(RunConfig config, DifformerNet net);

    torch::nn::Module& module() override { return *net_; }
    void keepActivations(train::Activations* maybeInto) override { maybeActivations_ = maybeInto; }
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    void dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                        c10::Device device) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;
    at::Tensor tokenEmbeddings() override;
    std::map<std::string, double> healthMetrics() override;

protected:
    [[nodiscard]] const RunConfig& config() const { return config_; }

private:
    struct Draws;
    [[nodiscard]] Draws draw(const train::DeviceBatch& batch, const train::StepRandom& random) const;
    [[nodiscard]] at::Tensor lengthLoss(const at::Tensor& logits, const train::DeviceBatch& batch) const;

    RunConfig config_;
    DifformerNet net_;
    diffusion::GaussianProcess process_;
    train::Activations* maybeActivations_ = nullptr;
};

/// The process of a config; the schedule's values are in range by the fields.
[[nodiscard]] diffusion::GaussianProcess processOf(const RunConfig& config);

}  // namespace kurve::models::difformer
