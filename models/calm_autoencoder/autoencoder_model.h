#pragma once

#include "core/tensor/random.h"
#include "core/train/chunk_autoencoder.h"
#include "core/train/model_family.h"
#include "models/calm_autoencoder/autoencoder_net.h"
#include "models/common/text_chunks.h"

namespace kurve::models::calm_autoencoder {

/// Training loss and reconstruction of CALM's autoencoder.
class AutoencoderModel final : public train::SequenceModel, public train::ChunkAutoencoder {
public:
    AutoencoderModel(RunConfig config, AutoencoderNet net)
        : config_(std::move(config)), net_(std::move(net)) {}

    [[nodiscard]] AutoencoderNet net() const { return net_; }
    torch::nn::Module& module() override { return *net_; }
    /// Per chunk: the sum of its tokens' cross entropies and the weighted KL (Shao et al. 2025, eq. 2). In
    /// evaluation mode also what reconstruction reaches.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Chunks, then tokens without the filling.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    /// Reconstructs the sources. Score: mean log-probability of the written tokens.
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    train::ChunkAutoencoder* chunkAutoencoder() override { return this; }
    train::EncodedChunks encodeChunks(const std::vector<std::int32_t>& ids, const RunConfig& sampler,
                                      std::uint64_t seed, std::uint64_t row) override;
    at::Tensor decodeChunks(const at::Tensor& latents) override;
    double trainingFlops() override {
        return 6 * (net_->encoderProducts() + net_->decoderProducts()) /
               static_cast<double>(net_->sizes().chunk);
    }
    at::Tensor tokenEmbeddings() override { return net_->outputTable().detach(); }

private:
    struct Encoded;
    [[nodiscard]] Encoded encode(const train::DeviceBatch& batch, const train::StepRandom& random);
    void addReconstruction(const Encoded& encoded, const train::StepRandom& random,
                           train::LossReport& report);

    RunConfig config_;
    AutoencoderNet net_;
};

}  // namespace kurve::models::calm_autoencoder
