#pragma once

#include "core/train/brier_draws.h"
#include "models/calm/calm_net.h"
#include "models/calm/chunk_head.h"
#include "models/calm_autoencoder/autoencoder_model.h"

namespace kurve::models::calm {

/// The networks of a model. The autoencoder is another run's, frozen, and no part of the module.
struct CalmParts {
    CalmNet net{nullptr};
    std::shared_ptr<ChunkHead> head;
    std::unique_ptr<train::SequenceModel> autoencoder;

    [[nodiscard]] calm_autoencoder::AutoencoderNet codec() const;
};

/// Training loss and generation of CALM.
class CalmModel final : public train::SequenceModel, public train::BrierDraws {
public:
    explicit CalmModel(CalmParts parts) : parts_(std::move(parts)) {}

    torch::nn::Module& module() override { return *parts_.net; }
    /// Mean over the texts' chunks of the head's loss; in evaluation mode also, of the energy head, the
    /// loss of a model that knew the chunks, and of one that draws them at random.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Chunks.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override {
        return {trace::EditKind::Force, trace::EditKind::Noise, trace::EditKind::Sampler};
    }
    train::BrierDraws* brierDraws() override { return this; }
    Result<train::BrierStarts> brierTerms(const train::BrierRequest& request,
                                          const RunConfig& sampler) override;
    [[nodiscard]] bool isCheap() const override { return true; }

    double trainingFlops() override;
    [[nodiscard]] calm_autoencoder::AutoencoderNet codec() const { return parts_.codec(); }

private:
    CalmParts parts_;
};

}  // namespace kurve::models::calm
