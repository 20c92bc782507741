#pragma once

#include "models/cmlm/cmlm_net.h"
#include "models/cmlm/masking.h"

namespace kurve::models::cmlm {

/// CMLM's losses (Guo et al. 2023) and mask-predict decoding around a CmlmNet.
class CmlmModel : public train::SequenceModel {
public:
    CmlmModel(RunConfig config, CmlmNet net);

    torch::nn::Module& module() override { return *net_; }
    void keepActivations(train::Activations* maybeInto) override { maybeActivations_ = maybeInto; }
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Masked tokens, replaced tokens, rows, pairs of the contrastive loss.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    void dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                        c10::Device device) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;
    at::Tensor tokenEmbeddings() override { return net_->embedding->weight.detach(); }
    std::map<std::string, double> healthMetrics() override;

private:
    struct Step;
    [[nodiscard]] bool correcting(const train::StepRandom& random) const;
    [[nodiscard]] double contrastivePairs(const MaskCounts& counts) const;
    /// Loss of the tokens at the flat `positions` when the decoder reads `ids`.
    struct TokenLosses {
        at::Tensor features;       ///< [B, L, H]
        at::Tensor nll, smoothed;  ///< [positions]
    };
    [[nodiscard]] TokenLosses tokenLossesAt(const Step& step, const at::Tensor& ids,
                                            const at::Tensor& positions, const std::string& scope);
    [[nodiscard]] at::Tensor correction(const Step& step, const at::Tensor& read);
    [[nodiscard]] at::Tensor predictions(const Step& step, const at::Tensor& positions);
    [[nodiscard]] at::Tensor lengthSum(const Step& step) const;
    void addContrast(const Step& step, const at::Tensor& features, train::LossReport& report) const;

    RunConfig config_;
    CmlmNet net_;
    train::Activations* maybeActivations_ = nullptr;
};

}  // namespace kurve::models::cmlm
