#include "models/calm_autoencoder/autoencoder_model.h"

#include <torch/torch.h>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "models/calm_autoencoder/autoencoder_fields.h"
#include "models/calm_autoencoder/reconstruction.h"
#include "models/common/padding.h"

namespace kurve::models::calm_autoencoder {
namespace {

enum Denominator : std::size_t { kChunks, kTokens };

constexpr double kActiveVariance = 0.01;

at::Tensor meanOver(const at::Tensor& values, double count) {
    return values.detach().sum() / count;
}

}  // namespace

struct AutoencoderModel::Encoded {
    TextChunks chunks;
    ChunkPlaces places;
    at::Tensor ids;  ///< [n, K] those of `places`
    Posterior posterior;
    std::vector<double> denominators;
};

std::vector<double> AutoencoderModel::lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& /*random*/) const {
    const TextChunks chunks =
        chunksOf(batch.target, batch.targetLengths, net_->sizes().chunk, net_->sizes().special);
    return {static_cast<double>(chunks.total()), static_cast<double>(chunks.totalTokens())};
}

AutoencoderModel::Encoded AutoencoderModel::encode(const train::DeviceBatch& batch,
                                                   const train::StepRandom& random) {
    const AutoencoderSizes& sizes = net_->sizes();
    TextChunks chunks = chunksOf(batch.target, batch.targetLengths, sizes.chunk, sizes.special);
    ChunkPlaces places(chunks);
    at::Tensor ids = places.of(chunks.ids);
    Encoded out{std::move(chunks), std::move(places), std::move(ids), {}, batch.stepDenominators};
    if (out.denominators.empty())
        out.denominators = {static_cast<double>(out.chunks.total()),
                            static_cast<double>(out.chunks.totalTokens())};
    at::Tensor read = out.ids;
    if (const double rate = config_.real("model.drop_tokens"); net_->is_training() && rate > 0)
        read = read.masked_fill(out.places
                                    .draw(tensor::uniformRows, sizes.chunk,
                                          {random.stream("autoencoder.drop_tokens"), random.row})
                                    .lt(rate),
                                sizes.special.mask);
    out.posterior = net_->encode(read);
    return out;
}

train::LossReport AutoencoderModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    const AutoencoderSizes& sizes = net_->sizes();
    const Encoded encoded = encode(batch, random);
    const auto& [mean, logStd] = encoded.posterior;
    at::Tensor z = mean;
    if (sizes.variational)
        z = mean + logStd.exp() * encoded.places.draw(tensor::normalRows, sizes.latent,
                                                      {random.stream("autoencoder.latent"), random.row});
    at::Tensor decoded = z;
    if (const double rate = config_.real("model.drop_latent"); net_->is_training() && rate > 0)
        decoded = z *
                  encoded.places
                      .draw(tensor::uniformRows, sizes.latent,
                            {random.stream("autoencoder.drop_latent"), random.row})
                      .ge(rate)
                      .to(z.scalar_type()) /
                  (1 - rate);
    const at::Tensor nll =
        diffusion::meanNll(net_->decode(decoded).flatten(0, 1), net_->outputTable(), encoded.ids.flatten())
            .nll.view({-1, sizes.chunk})
            .sum(1);
    at::Tensor perChunk = nll;
    train::LossReport report;
    const double chunks = encoded.denominators[kChunks];
    if (sizes.variational) {
        const at::Tensor kl = 0.5 * (mean.square() + (2 * logStd).exp() - 1 - 2 * logStd);
        const at::Tensor clipped = kl.clamp_min(config_.real("loss.kl_clip")).sum(1);
        perChunk = nll + config_.real("loss.kl_weight") * clipped;
        report.parts["kl"] = meanOver(kl, chunks);
        report.parts["kl_clipped"] = meanOver(clipped, chunks);
    }
    report.total = perChunk.sum() / chunks;
    report.parts["loss_token"] = meanOver(nll, chunks * static_cast<double>(sizes.chunk));
    report.rowLoss = rowMeans(perChunk.detach(), encoded.chunks.counts, encoded.chunks.ids.size(1));
    std::vector<float> counts(encoded.chunks.counts.begin(), encoded.chunks.counts.end());
    report.rowTokens = toDevice(std::span<const float>(counts), net_->device());
    if (!net_->is_training()) addReconstruction(encoded, random, report);
    return report;
}

void AutoencoderModel::addReconstruction(const Encoded& encoded, const train::StepRandom& random,
                                         train::LossReport& report) {
    const torch::NoGradGuard noGrad;
    const AutoencoderSizes& sizes = net_->sizes();
    const auto& [mean, logStd] = encoded.posterior;
    const at::Tensor noise = encoded.places.draw(tensor::normalRows, sizes.latent,
                                                 {random.stream("autoencoder.evaluation"), random.row}),
                     real = encoded.ids.ne(sizes.special.pad);
    struct Share {
        at::Tensor tokens, chunks;
    };
    const auto reconstructed = [&](const at::Tensor& z) {
        const at::Tensor right = net_->tokensOf(z).eq(encoded.ids);
        return Share{meanOver(right & real, encoded.denominators[kTokens]),
                     meanOver(right.all(1), encoded.denominators[kChunks])};
    };
    const Share drawn = reconstructed(sizes.variational ? mean + logStd.exp() * noise : mean),
                centre = reconstructed(mean);
    report.parts["token_accuracy"] = drawn.tokens;
    report.parts["chunk_accuracy"] = drawn.chunks;
    report.parts["token_accuracy_mean"] = centre.tokens;
    report.parts["chunk_accuracy_mean"] = centre.chunks;
    for (const int hundredths : kNoises)
        report.parts[noisyAccuracy(hundredths)] = reconstructed(mean + hundredths / 100.0 * noise).tokens;
    report.parts["latent_std"] =
        meanOver(logStd.exp(), encoded.denominators[kChunks] * static_cast<double>(sizes.latent));
    const at::Tensor variance = mean.square().mean(0) - mean.mean(0).square();
    report.parts["active_dimensions"] = variance.gt(kActiveVariance).sum().to(at::kFloat);
}

Result<train::Generation> AutoencoderModel::generate(const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    return reconstruct(*net_, request, sampler, maybeTrace);
}

train::EncodedChunks AutoencoderModel::encodeChunks(const std::vector<std::int32_t>& ids,
                                                    const RunConfig& sampler, std::uint64_t seed,
                                                    std::uint64_t row) {
    return encodeText(*net_, ids, sampler, seed, row);
}

at::Tensor AutoencoderModel::decodeChunks(const at::Tensor& latents) {
    return decodeLatents(*net_, latents);
}

}  // namespace kurve::models::calm_autoencoder
