#include "models/cmlm/cmlm_model.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "core/tensor/autocast.h"
#include "core/text/tokenizer.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/contrastive.h"
#include "models/cmlm/generator.h"
#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

/// The order of lossDenominators().
enum Denominator : std::size_t { kMasked, kReplaced, kRows, kPairs };

template <class T>
double sumOf(const std::vector<T>& values) {
    return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

at::Tensor indices(const std::vector<std::int64_t>& positions, c10::Device device) {
    return toDevice(std::span<const std::int64_t>(positions), device);
}

/// Flat positions as [B, L] bool.
at::Tensor flags(const at::Tensor& positions, const train::DeviceBatch& batch) {
    const at::Tensor none =
        at::zeros({batch.rows * batch.targetLength}, batch.target.options().dtype(at::kBool));
    return none.index_fill_(0, positions, true).view({batch.rows, batch.targetLength});
}

at::Tensor filled(const at::Tensor& ids, const at::Tensor& positions, std::int64_t id) {
    return ids.reshape({-1}).index_fill(0, positions, id).view(ids.sizes());
}

/// Means of the rows' tokens: [n] -> [B]. Rows without one get 0.
at::Tensor meansByRow(const at::Tensor& values, const at::Tensor& positions, std::int64_t width,
                      const at::Tensor& counts) {
    const at::Tensor sums = at::zeros_like(counts);
    return sums.index_add_(0, at::floor_divide(positions, width), values) / counts.clamp_min(1);
}

}  // namespace

/// The data of one loss().
struct CmlmModel::Step {
    const train::DeviceBatch& batch;
    MaskDraw draw;
    at::Tensor maskedAt;  ///< indices on the device
    EncoderOutput encoded;
    CrossAttentionCache crossCache;
    ForwardPass pass;
    std::vector<double> denominators;  ///< of the whole step, at least 1
};

CmlmModel::CmlmModel(RunConfig config, CmlmNet net) : config_(std::move(config)), net_(std::move(net)) {}

// Validation always corrects: its losses must compare from the first evaluation to the last.
bool CmlmModel::correcting(const train::StepRandom& random) const {
    const auto start = static_cast<std::uint64_t>(config_.integer("self_correction.start_update"));
    return corrects(config_) && (!net_->is_training() || random.step >= start);
}

double CmlmModel::contrastivePairs(const MaskCounts& counts) const {
    std::vector<std::int32_t> positions = counts.ordinary;
    const std::string& which = config_.text("contrastive.positions");
    if (which == "masked") positions = counts.masked;
    if (which == "nonpad")
        for (auto& n : positions) n += 2;
    return pairCount(positions, contrastiveOf(config_));
}

std::vector<double> CmlmModel::lossDenominators(const train::DeviceBatch& batch,
                                                const train::StepRandom& random) const {
    const MaskCounts counts = countMasks(batch, random, config_, correcting(random));
    return {sumOf(counts.masked), sumOf(counts.replaced), static_cast<double>(batch.rows),
            contrastivePairs(counts)};
}

train::LossReport CmlmModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    Step step{
        batch, drawMasks(batch, random, config_, correcting(random)), {}, {}, {}, {}, batch.stepDenominators};
    if (step.denominators.empty()) step.denominators = lossDenominators(batch, random);
    for (const std::size_t one : {kMasked, kRows, kPairs})
        step.denominators[one] = std::max(step.denominators[one], 1.0);
    step.pass.dropout = net_->is_training() ? config_.real("model.dropout") : 0;
    step.pass.seed = random.seed;
    step.pass.step = random.step;
    step.pass.firstRow = random.row;
    step.pass.maybeActivations = maybeActivations_;
    step.encoded = net_->encode(batch.source, batch.sourceLengths, step.pass);
    step.crossCache = net_->precomputeCrossAttention(step.encoded);
    step.maskedAt = indices(step.draw.maskedAt, net_->device());

    const at::Tensor read = filled(batch.target, step.maskedAt, maskId(config_, net_->special()));
    const TokenLosses losses = tokenLossesAt(step, read, step.maskedAt, "");
    step.pass.maybeActivations = nullptr;  // only those of the first pass
    const at::Tensor token = losses.smoothed.sum() / step.denominators[kMasked],
                     lengths = lengthSum(step) / step.denominators[kRows];

    train::LossReport report;
    report.total = token;
    report.parts = {{"loss_token", token.detach()},
                    {"loss_length", lengths.detach()},
                    {"masked_nll", losses.nll.detach().sum() / step.denominators[kMasked]}};
    if (correcting(random)) {
        const at::Tensor corrected = correction(step, read);
        report.parts["loss_corr"] = corrected.detach();
        const bool none =
            step.denominators[kReplaced] == 0 && config_.text("self_correction.rule") == "cmlmc";
        report.total = none ? token : 0.5 * token + 0.5 * corrected;
    }
    // Mask-Predict adds the [LENGTH] symbol's loss to the tokens' before it divides by their number.
    report.total = config_.text("length.kind") == "token"
                       ? report.total + lengths * (step.denominators[kRows] / step.denominators[kMasked])
                       : report.total + lengths * config_.real("loss.length_weight");
    if (config_.real("contrastive.weight") > 0) addContrast(step, losses.features, report);

    const std::vector<float> counts(step.draw.masked.begin(), step.draw.masked.end());
    report.rowTokens = toDevice(std::span<const float>(counts), net_->device());
    report.rowLoss =
        meansByRow(losses.smoothed.detach(), step.maskedAt, batch.targetLength, report.rowTokens);
    std::vector<float> logSnr;  // revealed to masked tokens; finite when all are masked
    for (std::size_t r = 0; r < counts.size(); ++r)
        logSnr.push_back(
            std::log((static_cast<float>(step.draw.ordinary[r]) - counts[r] + 0.5F) / (counts[r] + 0.5F)));
    report.logSnr = toDevice(std::span<const float>(logSnr), net_->device());
    return report;
}

CmlmModel::TokenLosses CmlmModel::tokenLossesAt(const Step& step, const at::Tensor& ids,
                                                const at::Tensor& positions, const std::string& scope) {
    ForwardPass pass = step.pass;
    pass.scope = scope;
    TokenLosses losses;
    losses.features = net_->decode(ids, step.batch.targetLengths, step.crossCache, pass);
    const at::Tensor& table = net_->embedding->weight;
    const at::Tensor targets = step.batch.target.reshape({-1}).index_select(0, positions);
    const diffusion::TokenNll token = diffusion::meanNll(
        losses.features.reshape({-1, table.size(1)}).index_select(0, positions), table, targets);
    const double smoothing = config_.real("loss.label_smoothing");
    losses.nll = token.nll;
    losses.smoothed = token.nll * (1 - smoothing) + token.smooth * smoothing;
    return losses;
}

/// The predictions at these positions when every ordinary token is masked.
at::Tensor CmlmModel::predictions(const Step& step, const at::Tensor& positions) {
    const torch::NoGradGuard noGrad;
    ForwardPass pass = step.pass;
    pass.scope = "all/";
    const at::Tensor ordinary = indices(step.draw.ordinaryAt, net_->device());
    const at::Tensor features =
        net_->decode(filled(step.batch.target, ordinary, maskId(config_, net_->special())),
                     step.batch.targetLengths, step.crossCache, pass);
    const at::Tensor& table = net_->embedding->weight;
    const at::Tensor logits =
        at::mm(features.reshape({-1, table.size(1)}).index_select(0, positions), table.t());
    banSpecials(logits, net_->special(), maskId(config_, net_->special()));
    return logits.argmax(1);
}

at::Tensor CmlmModel::correction(const Step& step, const at::Tensor& read) {
    if (step.draw.replacedAt.empty()) return at::zeros({}, read.options().dtype(at::kFloat));
    const at::Tensor positions = indices(step.draw.replacedAt, net_->device());
    const at::Tensor corrupted =
        read.reshape({-1}).index_copy(0, positions, predictions(step, positions)).view(read.sizes());
    return tokenLossesAt(step, corrupted, positions, "corr/").smoothed.sum() / step.denominators[kReplaced];
}

at::Tensor CmlmModel::lengthSum(const Step& step) const {
    std::vector<std::int64_t> classes;
    for (const std::int32_t length : step.batch.targetLengths) classes.push_back(net_->lengthClass(length));
    return at::cross_entropy_loss(tensor::atLeastFloat(step.encoded.lengthLogits),
                                  indices(classes, net_->device()), {}, at::Reduction::Sum);
}

void CmlmModel::addContrast(const Step& step, const at::Tensor& features, train::LossReport& report) const {
    const std::string &which = config_.text("contrastive.positions"),
                      &sites = config_.text("contrastive.sites");
    const at::Tensor included = which == "masked" ? flags(step.maskedAt, step.batch)
                                : which == "ordinary"
                                    ? flags(indices(step.draw.ordinaryAt, net_->device()), step.batch)
                                    : step.batch.targetMask;
    const auto add = [&](const char* part, const at::Tensor& gram) {
        const at::Tensor value =
            contrastiveSum(gram, included, contrastiveOf(config_)) / step.denominators[kPairs];
        report.parts[part] = value.detach();
        report.total = report.total + value * config_.real("contrastive.weight");
    };
    if (sites != "features")
        add("loss_cl_logits",
            gramOfLogits(features, net_->embedding->weight, config_.text("contrastive.center") == "row"));
    if (sites != "logits") add("loss_cl_features", gramOf(features));
}

Result<train::Generation> CmlmModel::generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                              trace::TraceSink* maybeTrace) {
    return generateWith(*net_, request, sampler, maybeTrace);
}

void CmlmModel::dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                               c10::Device device) {
    dryRun(*net_, longest, sampler, device);
}

std::vector<trace::EditKind> CmlmModel::edits() const {
    using enum trace::EditKind;
    return {Force, Pin, Ban, Noise};
}

std::map<std::string, double> CmlmModel::healthMetrics() {
    const torch::NoGradGuard noGrad;
    std::map<std::string, double> metrics{{"embedding_std", net_->embedding->weight.std().item<double>()}};
    const std::vector<at::Tensor> alphas = net_->alphas();
    for (std::size_t i = 0; i < alphas.size(); ++i)
        metrics["alpha_" + std::to_string(i)] = alphas[i].item<double>();
    return metrics;
}

}  // namespace kurve::models::cmlm
