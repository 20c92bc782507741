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
    /// Masked words, replaced words, rows, pairs of the contrastive loss.
    [[nodiscard]] std::vector<double> lossUnits(const train::DeviceBatch& batch,
                                                const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::Trace* maybeTrace) override;
    void rehearseDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                          c10::Device device) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;
    at::Tensor wordVectors() override { return net_->embedding->weight.detach(); }
    std::map<std::string, double> healthMetrics() override;

private:
    struct Step;
    [[nodiscard]] bool correcting(const train::StepRandom& random) const;
    [[nodiscard]] double contrastiveUnits(const MaskCounts& counts) const;
    /// Label-smoothed loss of the words at the flat `places`, summed, when the decoder reads `ids`.
    struct Words {
        at::Tensor features;       ///< [B, L, H]
        at::Tensor nll, smoothed;  ///< [places]
    };
    [[nodiscard]] Words wordsAt(const Step& step, const at::Tensor& ids, const at::Tensor& places,
                                const std::string& scope);
    [[nodiscard]] at::Tensor correction(const Step& step, const at::Tensor& read);
    [[nodiscard]] at::Tensor guesses(const Step& step, const at::Tensor& places);
    [[nodiscard]] at::Tensor lengthSum(const Step& step) const;
    void addContrast(const Step& step, const at::Tensor& features, train::LossReport& report) const;

    RunConfig config_;
    CmlmNet net_;
    train::Activations* maybeActivations_ = nullptr;
};

}  // namespace kurve::models::cmlm
