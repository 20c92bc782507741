#include "models/calm/calm_model.h"

#include <torch/torch.h>

#include "core/tensor/autocast.h"
#include "models/calm/chunk_brier.h"
#include "models/calm/energy_head.h"
#include "models/calm/generator.h"
#include "models/common/padding.h"

namespace kurve::models::calm {
namespace {

/// Vectors of chunks [B, C, K], drawn from their distributions: [B, C, l].
at::Tensor drawnLatents(calm_autoencoder::AutoencoderNetImpl& codec, const at::Tensor& ids,
                        const tensor::RowStream& stream) {
    const auto posterior = codec.encode(ids.flatten(0, 1));
    std::vector<std::int64_t> shape = ids.sizes().vec();
    shape.back() = codec.sizes().latent;
    return posterior.mean.view(shape) +
           posterior.logStd.exp().view(shape) * tensor::normalRows(shape, stream, ids.device());
}

}  // namespace

calm_autoencoder::AutoencoderNet CalmParts::codec() const {
    return dynamic_cast<calm_autoencoder::AutoencoderModel&>(*autoencoder).net();
}

std::vector<double> CalmModel::lossDenominators(const train::DeviceBatch& batch,
                                                const train::StepRandom& /*random*/) const {
    const CalmSizes& sizes = parts_.net->sizes();
    return {
        static_cast<double>(chunksOf(batch.target, batch.targetLengths, sizes.chunk, sizes.special).total())};
}

train::LossReport CalmModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    const CalmSizes& sizes = parts_.net->sizes();
    auto codec = parts_.codec();
    const TextChunks chunks = chunksOf(batch.target, batch.targetLengths, sizes.chunk, sizes.special);
    const ChunkPlaces places(chunks);
    HeadTargets targets{{}, &places, random};
    at::Tensor latents;
    const at::Tensor read = readChunks(chunks.ids, sizes.special);
    {
        const torch::NoGradGuard frozen;
        const tensor::Autocast off(batch.target.device(), false);
        targets.posterior = codec->encode(places.of(chunks.ids));
        if (sizes.readsLatents())
            latents = drawnLatents(*codec, read, {random.stream("calm.input"), random.row});
    }
    const at::Tensor h = places.of(parts_.net->states(parts_.net->inputs(read, latents), {}));
    const HeadLoss found = parts_.head->loss(h, targets);

    const double count =
        batch.stepDenominators.empty() ? static_cast<double>(chunks.total()) : batch.stepDenominators.front();
    train::LossReport report;
    report.total = found.loss.sum() / count;
    for (const auto& [name, part] : found.parts) report.parts[name] = part.sum() / count;
    report.rowLoss = rowMeans(found.loss.detach(), chunks.counts, chunks.ids.size(1));
    const std::vector<float> rows(chunks.counts.begin(), chunks.counts.end());
    report.rowTokens = toDevice(std::span<const float>(rows), parts_.net->device());
    if (const auto* energy = dynamic_cast<const EnergyHead*>(parts_.head.get());
        energy != nullptr && !parts_.net->is_training()) {
        const torch::NoGradGuard noGrad;
        for (const auto& [name, value] : energy->levels(targets)) report.parts[name] = value.mean();
    }
    return report;
}

Result<train::BrierStarts> CalmModel::brierTerms(const train::BrierRequest& request,
                                                 const RunConfig& sampler) {
    return chunkBrier(parts_, request, sampler);
}

// A chunk passes the backbone once, the head N times, and the frozen encoder twice: as target and, where
// vectors are read, as input. Looking up an embedding costs nothing.
double CalmModel::trainingFlops() {
    constexpr double kTrained = 6, kFrozen = 2;
    double backbone = 0, head = 0;
    for (const auto& item : parts_.net->named_parameters())
        if (item.key() != "embedding.weight")
            (item.key().starts_with("head.") ? head : backbone) += static_cast<double>(item.value().numel());
    const CalmSizes& sizes = parts_.net->sizes();
    const double reads = sizes.readsLatents() ? 2 : 1;
    return (kTrained * (backbone + static_cast<double>(parts_.head->lossSamples()) * head) +
            kFrozen * reads * parts_.codec()->encoderProducts()) /
           static_cast<double>(sizes.chunk);
}

Result<train::Generation> CalmModel::generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                              trace::TraceSink* maybeTrace) {
    return generateWith(parts_, request, sampler, maybeTrace);
}

}  // namespace kurve::models::calm
