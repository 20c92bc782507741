#include "models/difformer/difformer_model.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/diffusion/fused_linear_cross_entropy.h"
#include "core/tensor/autocast.h"
#include "models/common/padding.h"
#include "models/difformer/generator.h"

namespace kurve::models::difformer {
namespace {

/// The real positions of [B, L, c] as rows [n, c].
at::Tensor packed(const at::Tensor& words, const at::Tensor& maybeIndices) {
    const at::Tensor flat = words.reshape({-1, words.size(-1)});
    return maybeIndices.defined() ? flat.index_select(0, maybeIndices) : flat;
}

/// Two factors per row as [2, B, 1, 1].
at::Tensor perRow(const std::vector<float>& signal, const std::vector<float>& noise, c10::Device device) {
    std::vector<float> both(signal);
    both.insert(both.end(), noise.begin(), noise.end());
    return toDevice(std::span<const float>(both), device)
        .view({2, static_cast<std::int64_t>(signal.size()), 1, 1});
}

}  // namespace

diffusion::GaussianProcess processOf(const RunConfig& config) {
    std::map<std::string, std::string> values{{"steps", std::to_string(config.integer("diffusion.steps"))}};
    const double factor = config.real("diffusion.noise_factor");
    const bool inSchedule = config.flag("diffusion.vp_rf");
    if (inSchedule) values.insert({{"vp_rf", "true"}, {"noise_factor", fieldValueText(factor)}});
    auto made = schedule::makeSchedule(config.text("diffusion.schedule"), values);
    KURVE_CHECK(made.has_value(), "schedule {}: {}", config.text("diffusion.schedule"), made.error().text());
    return {std::move(*made), inSchedule ? 1.0 : factor};
}

/// The random part of a step; a row depends on its number only.
struct DifformerModel::Draws {
    at::Tensor signalAndNoise;  ///< [2, B, 1, 1]
    at::Tensor epsilon;         ///< [B, L, d]
    std::vector<double> modelTimes;
    std::vector<float> logSnr;
    bool selfConditioned = false;
};

DifformerModel::DifformerModel(RunConfig config, DifformerNet net)
    : config_(std::move(config)), net_(std::move(net)), process_(processOf(config_)) {}

DifformerModel::Draws DifformerModel::draw(const train::DeviceBatch& batch,
                                           const train::StepRandom& random) const {
    Draws draws;
    std::vector<float> signal, noise;
    for (std::int64_t r = 0; r < batch.rows; ++r) {
        const auto row = random.row + static_cast<std::uint64_t>(r);
        const auto noising = process_.at(tensor::uniformAt(random.stream("diffusion.time"), row));
        draws.modelTimes.push_back(noising.modelTime);
        signal.push_back(noising.signal);
        noise.push_back(noising.noise);
        draws.logSnr.push_back(static_cast<float>(noising.logSnr));
    }
    const c10::Device device = net_->device();
    draws.signalAndNoise = perRow(signal, noise, device);
    draws.epsilon = tensor::normalRows({batch.rows, batch.targetLength, config_.integer("model.latent")},
                                       {random.stream("diffusion.noise"), random.row}, device);
    draws.selfConditioned = tensor::uniformAt(random.stream("diffusion.self_conditioning"), 0) <
                            config_.real("diffusion.self_conditioning");
    return draws;
}

train::LossReport DifformerModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    ForwardPass pass;
    pass.dropout = net_->is_training() ? config_.real("model.dropout") : 0;
    pass.seed = random.seed;
    pass.step = random.step;
    pass.firstRow = random.row;
    pass.maybeActivations = maybeActivations_;

    const EncoderOutput encoded = net_->encode(batch.source, batch.sourceLengths, pass);
    const CrossAttentionCache crossCache = net_->precomputeCrossAttention(encoded, batch.sourceLengths);
    const auto layout = net_->layout(batch.targetLengths, batch.targetLength);
    const Draws draws = draw(batch, random);
    const at::Tensor embedded = net_->embedTarget(batch.target), clean = net_->latentOf(embedded);

    Noisy noisy;
    noisy.words = at::addcmul(clean * draws.signalAndNoise[0], draws.epsilon, draws.signalAndNoise[1]);
    noisy.time = net_->timeEmbedding(draws.modelTimes);
    if (draws.selfConditioned) {
        const torch::NoGradGuard noGrad;
        pass.scope = "first/";
        noisy.previous = net_->denoise(noisy, crossCache, *layout, pass).selfConditioning;
        pass.scope.clear();
    }
    const at::Tensor estimate = tensor::atLeastFloat(net_->denoise(noisy, crossCache, *layout, pass).words);

    // Only real positions reach the loss: the vocabulary-sized part of the work skips padding.
    const at::Tensor real = isFull(batch.targetLengths, batch.targetLength)
                                ? at::Tensor()
                                : realIndices(batch.targetLengths, batch.targetLength, net_->device());
    const at::Tensor estimates = packed(estimate, real);
    const at::Tensor diff = at::mse_loss(estimates, packed(clean, real), at::Reduction::None).mean(1);
    const diffusion::TokenNll token =
        diffusion::fusedLinearCrossEntropy(estimates, net_->embedding->weight, packed(embedded, real));
    const double smoothing = config_.real("loss.label_smoothing");
    const at::Tensor anchor = token.nll * (1 - smoothing) + token.smooth * smoothing;
    const at::Tensor perToken = diff + anchor, lengths = lengthLoss(encoded.lengthLogits, batch);

    train::LossReport report;
    report.total = perToken.mean() + lengths * config_.real("loss.length_weight");
    report.parts = {{"loss_diff", diff.detach().mean()},
                    {"loss_anchor", anchor.detach().mean()},
                    {"loss_length", lengths.detach()},
                    {"rounding_nll", token.nll.detach().mean()}};
    report.rowLoss = rowMeans(perToken.detach(), batch.targetLengths, batch.targetLength);
    report.logSnr = toDevice(std::span<const float>(draws.logSnr), net_->device());
    return report;
}

at::Tensor DifformerModel::lengthLoss(const at::Tensor& logits, const train::DeviceBatch& batch) const {
    std::vector<std::int64_t> classes;
    for (std::size_t r = 0; r < batch.targetLengths.size(); ++r)
        classes.push_back(lengthClass(batch.targetLengths[r], batch.sourceLengths[r]));
    return at::cross_entropy_loss(tensor::atLeastFloat(logits),
                                  toDevice(std::span<const std::int64_t>(classes), logits.device()));
}

Result<train::Generation> DifformerModel::generate(const train::GenerateRequest& request,
                                                   const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    return generateWith(*net_, process_, request, sampler, maybeTrace);
}

void DifformerModel::dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                                    c10::Device device) {
    dryRun(*net_, longest, sampler, device);
}

std::vector<trace::EditKind> DifformerModel::edits() const {
    using enum trace::EditKind;
    return {Force, Pin, Ban, Noise, Latent};
}

at::Tensor DifformerModel::tokenEmbeddings() {
    return net_->embedding->weight.detach();
}

std::map<std::string, double> DifformerModel::healthMetrics() {
    const torch::NoGradGuard noGrad;
    return {{"embedding_std", net_->embedding->weight.std().item<double>()}};
}

}  // namespace kurve::models::difformer
