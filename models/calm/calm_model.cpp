#include "models/calm/calm_model.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "models/calm/calm_fields.h"
#include "models/calm/energy_head.h"
#include "models/calm/generator.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"

namespace kurve::models::calm {
namespace {

constexpr std::int64_t kMostBrier = 4;
constexpr double kPercent = 100;

/// The chunks that the network reads: one of <s> before the text's, without the last.
at::Tensor readChunks(const at::Tensor& ids, const text::SpecialIds& special) {
    const at::Tensor first = at::full({ids.size(0), 1, ids.size(2)}, special.bos, ids.options());
    return at::cat({first, ids.narrow(1, 0, ids.size(1) - 1)}, 1);
}

/// Vectors of chunks [B, C, K], drawn from their distributions: [B, C, l].
at::Tensor drawnLatents(calm_autoencoder::AutoencoderNetImpl& codec, const at::Tensor& ids,
                        const tensor::RowStream& stream) {
    const auto posterior = codec.encode(ids.flatten(0, 1));
    std::vector<std::int64_t> shape = ids.sizes().vec();
    shape.back() = codec.sizes().latent;
    return posterior.mean.view(shape) +
           posterior.logStd.exp().view(shape) * tensor::normalRows(shape, stream, ids.device());
}

/// 2 P(y) - sum P^2 of the first n tokens, estimated from all draws (Shao et al. 2025, eq. 12 to 15, with all
/// pairs): drawn [n, N, K], truth [n, K] -> [n, min(K, 4)].
at::Tensor brierOf(const at::Tensor& drawn, const at::Tensor& truth) {
    const std::int64_t samples = drawn.size(1), most = std::min(kMostBrier, truth.size(1));
    const at::Tensor first = drawn.narrow(2, 0, most);
    const at::Tensor right = first.eq(truth.narrow(1, 0, most).unsqueeze(1)).to(at::kFloat).cumprod(2),
                     equal = first.unsqueeze(1).eq(first.unsqueeze(2)).to(at::kFloat).cumprod(3);
    const double pairs = static_cast<double>(samples * (samples - 1));
    return 2 * right.mean(1) - (equal.sum({1, 2}) - static_cast<double>(samples)) / pairs;
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
    if (!parts_.net->is_training()) addScores(h, chunks, targets, report);
    return report;
}

void CalmModel::addScores(const at::Tensor& h, const TextChunks& chunks, const HeadTargets& targets,
                          train::LossReport& report) {
    const torch::NoGradGuard noGrad;
    const CalmSizes& sizes = parts_.net->sizes();
    if (const auto* energy = dynamic_cast<const EnergyHead*>(parts_.head.get()))
        for (const auto& [name, value] : energy->levels(targets)) report.parts[name] = value.mean();
    if (h.is_meta()) return;  // how many chunks count is not known there
    // Chunks that hold </s> or <pad> are left out: what follows </s> is certain.
    const at::Tensor truth = targets.places->of(chunks.ids);
    const at::Tensor scored =
        truth.ne(sizes.special.pad).logical_and(truth.ne(sizes.special.eos)).all(1).nonzero().squeeze(1);
    if (scored.size(0) == 0) return;
    const at::Tensor numbers =
        targets.places->numbers(targets.random.row).index_select(0, scored).to(at::kCPU);
    DrawRandom random{targets.random.seed, targets.random.step, 0, {}};
    for (std::int64_t i = 0; i < numbers.size(0); ++i)
        random.rows.push_back(static_cast<std::uint64_t>(numbers.const_data_ptr<std::int64_t>()[i]));
    const at::Tensor z = parts_.head->sample(h.index_select(0, scored), config_.integer("head.samples"),
                                             random, headSampling(config_));
    const at::Tensor brier =
        brierOf(parts_.codec()->tokensOf(z), truth.index_select(0, scored)).mean(0) * kPercent;
    for (std::int64_t n = 0; n < brier.size(0); ++n) report.parts[fmt::format("brier_{}", n + 1)] = brier[n];
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
    return (kTrained * (backbone + static_cast<double>(config_.integer("head.samples")) * head) +
            kFrozen * reads * parts_.codec()->encoderProducts()) /
           static_cast<double>(sizes.chunk);
}

Result<train::Generation> CalmModel::generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                              trace::TraceSink* maybeTrace) {
    return generateWith(parts_, request, sampler, maybeTrace);
}

}  // namespace kurve::models::calm
