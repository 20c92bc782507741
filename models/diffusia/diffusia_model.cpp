#include "models/diffusia/diffusia_model.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "core/tensor/autocast.h"
#include "models/common/padding.h"
#include "models/diffusia/diffusia_fields.h"
#include "models/diffusia/generator.h"
#include "models/diffusia/initial_sources.h"

namespace kurve::models::diffusia {

/// The random part of a step; a row depends on its number, and its time on the step sampler's histories.
struct DiffusiaModel::Drawn {
    Draws noise;
    at::Tensor weight;  ///< [B] of the rows' losses; undefined: 1
    at::Tensor time;    ///< [B] what the network sees of t
    bool selfConditioned = false;
};

DiffusiaModel::DiffusiaModel(RunConfig config, DiffusiaNet net)
    : config_(std::move(config)),
      net_(std::move(net)),
      process_(scheduleOf(config_), config_.real("diffusion.noise_factor")),
      tables_(noiseTables(*scheduleOf(config_), config_.real("diffusion.noise_factor"),
                          net_->targetEmbedding->weight.options())) {}

DiffusiaModel::Target DiffusiaModel::targetOf(const train::DeviceBatch& batch) const {
    const NetSizes& sizes = net_->sizes();
    KURVE_CHECK(batch.targetLength <= sizes.targetLength, "a target of {} tokens, the network takes {}",
                batch.targetLength, sizes.targetLength);
    if (!paddingIsToken(config_)) {
        Counted counted{batch.targetLengths, batch.targetLength, {}};
        if (!isFull(counted.lengths, counted.width))
            counted.maybeIndices = realIndices(counted.lengths, counted.width, net_->device());
        return {batch.target, std::move(counted)};
    }
    const auto width = static_cast<std::int32_t>(sizes.targetLength);
    return {at::constant_pad_nd(batch.target, {0, width - batch.targetLength}, sizes.special.pad),
            {std::vector<std::int32_t>(batch.targetLengths.size(), width), width, {}}};
}

DiffusiaModel::Drawn DiffusiaModel::draw(const train::DeviceBatch& batch, std::int64_t width,
                                         const train::StepRandom& random) const {
    const c10::Device device = net_->device();
    const auto rows = [&](const char* purpose, at::IntArrayRef shape, auto fill) {
        return fill(shape, tensor::RowStream{random.stream(purpose), random.row}, device);
    };
    const auto steps = static_cast<double>(tables_.steps());
    const std::vector<std::int64_t> shape{batch.rows, width, net_->sizes().latent};
    const at::Tensor u = rows("diffusion.time", {batch.rows, 1}, tensor::uniformRows).flatten();
    Drawn drawn;
    drawn.noise = {rows("diffusion.start_noise", shape, tensor::normalRows),
                   rows("diffusion.noise", shape, tensor::normalRows),
                   (u.to(at::kDouble) * steps).floor().clamp_max(steps - 1).to(at::kLong)};
    if (drawsByLoss()) {
        const auto chosen = net_->stepSampler->draw(u);
        drawn.noise.t = chosen.t;
        drawn.weight = chosen.weight.to(u.scalar_type());
    }
    drawn.time = (drawn.noise.t.to(at::kDouble) * (1000 / steps)).to(u.scalar_type());
    drawn.selfConditioned = net_->sizes().selfConditioning != SelfConditioning::None &&
                            tensor::uniformAt(random.stream("diffusion.self_conditioning"), 0) <
                                config_.real("diffusion.self_conditioning");
    return drawn;
}

train::LossReport DiffusiaModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    ForwardPass pass;
    pass.dropout = net_->is_training() ? config_.real("model.dropout") : 0;
    pass.seed = random.seed;
    pass.step = random.step;
    pass.firstRow = random.row;
    pass.maybeActivations = maybeActivations_;

    const Target target = targetOf(batch);
    const std::int64_t width = target.counted.width;
    const TokenLayout layout(std::span<const std::int32_t>(target.counted.lengths), width, net_->device());
    const Condition condition = net_->encode(batch.source, batch.sourceLengths, pass);
    const Drawn drawn = draw(batch, width, random);
    const Noised noised = diffusia::noised(net_->embedTarget(target.ids), drawn.noise, tables_);
    Noisy noisy{noised.words, {}, net_->timeEmbedding(drawn.time)};
    if (drawn.selfConditioned) {
        const torch::NoGradGuard noGrad;
        pass.scope = "first/";
        noisy.previous = net_->denoise(noisy, condition, layout, pass).words;
        pass.scope.clear();
    }
    const at::Tensor estimate = tensor::atLeastFloat(net_->denoise(noisy, condition, layout, pass).words);
    const LossParts parts = lossParts(*net_, {target.ids, noised, drawn.noise.t, estimate}, tables_,
                                      target.counted, lossFormOf(config_));

    const double rows =
        batch.stepDenominators.empty() ? static_cast<double>(batch.rows) : batch.stepDenominators.front();
    const auto mean = [&](const at::Tensor& perRow) { return perRow.sum() / rows; };
    train::LossReport report;
    report.total = mean(drawn.weight.defined() ? parts.total * drawn.weight : parts.total);
    report.parts = {{"loss_diff", mean(parts.mse.detach())},
                    {"loss_rounding", mean(parts.rounding.detach())}};
    if (parts.prior.defined()) report.parts["loss_prior"] = mean(parts.prior.detach());
    if (condition.lengthLogits.defined()) {
        const at::Tensor lengths = mean(lengthLosses(condition.lengthLogits, batch));
        report.total = report.total + lengths * config_.real("loss.length_weight");
        report.parts["loss_length"] = lengths.detach();
    }
    const torch::NoGradGuard noGrad;
    const at::Tensor table = net_->targetEmbedding->weight.detach();
    report.parts["relative_error"] =
        report.parts["loss_diff"] / (table.square().mean() - table.mean().square());
    Counted real{batch.targetLengths, width, {}};
    if (!isFull(real.lengths, width)) real.maybeIndices = realIndices(real.lengths, width, net_->device());
    report.parts["rounding_nll"] =
        mean(rowMeans(roundingNll(*net_, estimate.detach(), target.ids, real), batch.targetLengths, width));
    report.rowLoss = parts.total.detach();
    report.rowTokens = at::ones_like(report.rowLoss);
    report.logSnr = tables_.logSnr.index_select(0, drawn.noise.t);
    if (drawsByLoss()) report.noiseStep = drawn.noise.t;
    return report;
}

void DiffusiaModel::observe(const at::Tensor& noiseSteps, const at::Tensor& losses) {
    net_->stepSampler->observe(noiseSteps, losses);
}

Result<train::InitialSources> DiffusiaModel::initialSources(const RunConfig& other) const {
    return diffusia::initialSources(*net_, config_, other);
}

std::vector<double> DiffusiaModel::lossDenominators(const train::DeviceBatch& batch,
                                                    const train::StepRandom& /*random*/) const {
    return {static_cast<double>(batch.rows)};
}

at::Tensor DiffusiaModel::lengthLosses(const at::Tensor& logits, const train::DeviceBatch& batch) const {
    std::vector<std::int64_t> classes;
    for (std::size_t r = 0; r < batch.targetLengths.size(); ++r)
        classes.push_back(lengthClass(batch.targetLengths[r], batch.sourceLengths[r], logits.size(1)));
    return at::cross_entropy_loss(tensor::atLeastFloat(logits),
                                  toDevice(std::span<const std::int64_t>(classes), logits.device()), {},
                                  at::Reduction::None);
}

Result<train::Generation> DiffusiaModel::generate(const train::GenerateRequest& request,
                                                  const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    return generateWith(*net_, process_, request, sampler, maybeTrace);
}

void DiffusiaModel::dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                                   c10::Device device) {
    dryRun(*net_, longest, sampler, device);
}

std::vector<trace::EditKind> DiffusiaModel::edits() const {
    using enum trace::EditKind;
    return {Force, Pin, Ban, Noise, Latent};
}

at::Tensor DiffusiaModel::tokenEmbeddings() {
    return net_->targetEmbedding->weight.detach();
}

std::pair<at::Tensor, at::Tensor> DiffusiaModel::levelProbabilities() const {
    if (!net_->stepSampler) return {};
    return {tables_.logSnr, net_->stepSampler->probabilities()};
}

std::map<std::string, double> DiffusiaModel::healthMetrics() {
    const torch::NoGradGuard noGrad;
    std::map<std::string, double> all{{"embedding_std", net_->targetEmbedding->weight.std().item<double>()}};
    if (!net_->stepSampler) return all;
    const at::Tensor p = net_->stepSampler->probabilities();
    all["step_entropy"] = -at::xlogy(p, p).sum().item<double>();
    all["step_warmup"] = 100 * net_->stepSampler->filled().item<double>();
    return all;
}

}  // namespace kurve::models::diffusia
