#include "models/cmlm/cmlm_model.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/diffusion/projected_nll.h"
#include "core/text/tokenizer.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/contrastive.h"
#include "models/cmlm/generator.h"
#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

/// What lossUnits() counts, in its order.
enum Unit : std::size_t { kMasked, kReplaced, kRows, kPairs };

template <class T>
double sumOf(const std::vector<T>& values) {
    return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

at::Tensor indices(const std::vector<std::int64_t>& places, c10::Device device) {
    return toDevice(std::span<const std::int64_t>(places), device);
}

/// Flat positions as [B, L] bool.
at::Tensor flags(const at::Tensor& places, const train::DeviceBatch& batch) {
    const at::Tensor none =
        at::zeros({batch.rows * batch.targetLength}, batch.target.options().dtype(at::kBool));
    return none.index_fill_(0, places, true).view({batch.rows, batch.targetLength});
}

at::Tensor filled(const at::Tensor& ids, const at::Tensor& places, std::int64_t id) {
    return ids.reshape({-1}).index_fill(0, places, id).view(ids.sizes());
}

/// Means of the rows' words: [words] -> [B]. Rows without words get 0.
at::Tensor meansByRow(const at::Tensor& values, const at::Tensor& places, std::int64_t width,
                      const at::Tensor& counts) {
    const at::Tensor sums = at::zeros_like(counts);
    return sums.index_add_(0, at::floor_divide(places, width), values) / counts.clamp_min(1);
}

}  // namespace

/// What one loss() works with.
struct CmlmModel::Step {
    const train::DeviceBatch& batch;
    MaskDraw draw;
    at::Tensor maskedAt;  ///< indices on the device
    Encoded encoded;
    Memory memory;
    ForwardPass pass;
    std::vector<double> units;  ///< of the whole step, at least 1
};

CmlmModel::CmlmModel(RunConfig config, CmlmNet net) : config_(std::move(config)), net_(std::move(net)) {}

// Validation always corrects: its losses must compare from the first evaluation to the last.
bool CmlmModel::correcting(const train::StepRandom& random) const {
    const auto start = static_cast<std::uint64_t>(config_.integer("corr.start_update"));
    return corrects(config_) && (!net_->is_training() || random.step >= start);
}

double CmlmModel::contrastiveUnits(const MaskCounts& counts) const {
    std::vector<std::int32_t> positions = counts.ordinary;
    const std::string& which = config_.text("cl.positions");
    if (which == "masked") positions = counts.masked;
    if (which == "nonpad")
        for (auto& n : positions) n += 2;
    return pairUnits(positions, contrastiveOf(config_));
}

std::vector<double> CmlmModel::lossUnits(const train::DeviceBatch& batch,
                                         const train::StepRandom& random) const {
    const MaskCounts counts = countMasks(batch, random, config_, correcting(random));
    return {sumOf(counts.masked), sumOf(counts.replaced), static_cast<double>(batch.rows),
            contrastiveUnits(counts)};
}

train::LossReport CmlmModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    Step step{batch, drawMasks(batch, random, config_, correcting(random)), {}, {}, {}, {}, batch.stepUnits};
    if (step.units.empty()) step.units = lossUnits(batch, random);
    for (const std::size_t unit : {kMasked, kRows, kPairs})
        step.units[unit] = std::max(step.units[unit], 1.0);
    step.pass.dropout = net_->is_training() ? config_.real("model.dropout") : 0;
    step.pass.seed = random.seed;
    step.pass.step = random.step;
    step.pass.firstRow = random.row;
    step.pass.maybeActivations = maybeActivations_;
    step.encoded = net_->encode(batch.source, batch.sourceLengths, step.pass);
    step.memory = net_->remember(step.encoded);
    step.maskedAt = indices(step.draw.maskedAt, net_->device());

    const at::Tensor read = filled(batch.target, step.maskedAt, maskId(config_));
    const Words words = wordsAt(step, read, step.maskedAt, "");
    step.pass.maybeActivations = nullptr;  // the later passes' would take their place
    const at::Tensor token = words.smoothed.sum() / step.units[kMasked],
                     lengths = lengthSum(step) / step.units[kRows];

    train::LossReport report;
    report.total = token;
    report.parts = {{"loss_token", token.detach()},
                    {"loss_length", lengths.detach()},
                    {"nll", words.nll.detach().sum() / step.units[kMasked]}};
    if (correcting(random)) {
        const at::Tensor corrected = correction(step, read);
        report.parts["loss_corr"] = corrected.detach();
        const bool none = step.units[kReplaced] == 0 && config_.text("corr.rule") == "cmlmc";
        report.total = none ? token : 0.5 * token + 0.5 * corrected;
    }
    report.total = report.total + lengths * config_.real("loss.length_weight");
    if (config_.real("cl.weight") > 0) addContrast(step, words.features, report);

    const std::vector<float> counts(step.draw.masked.begin(), step.draw.masked.end());
    report.rowTokens = toDevice(std::span<const float>(counts), net_->device());
    report.rowLoss = meansByRow(words.smoothed.detach(), step.maskedAt, batch.targetLength, report.rowTokens);
    std::vector<float> logSnr;  // of words shown to words masked; finite when all are
    for (std::size_t r = 0; r < counts.size(); ++r)
        logSnr.push_back(
            std::log((static_cast<float>(step.draw.ordinary[r]) - counts[r] + 0.5F) / (counts[r] + 0.5F)));
    report.logSnr = toDevice(std::span<const float>(logSnr), net_->device());
    return report;
}

CmlmModel::Words CmlmModel::wordsAt(const Step& step, const at::Tensor& ids, const at::Tensor& places,
                                    const std::string& scope) {
    ForwardPass pass = step.pass;
    pass.scope = scope;
    Words words;
    words.features = net_->decode(ids, step.batch.targetLengths, step.memory, pass);
    const at::Tensor& table = net_->embedding->weight;
    const at::Tensor right = step.batch.target.reshape({-1}).index_select(0, places);
    const diffusion::TokenNll token =
        diffusion::wordNll(words.features.reshape({-1, table.size(1)}).index_select(0, places), table, right);
    const double smoothing = config_.real("loss.label_smoothing");
    words.nll = token.nll;
    words.smoothed = token.nll * (1 - smoothing) + token.smooth * smoothing;
    return words;
}

/// What the model writes at these places when every word is masked.
at::Tensor CmlmModel::guesses(const Step& step, const at::Tensor& places) {
    const torch::NoGradGuard noGrad;
    ForwardPass pass = step.pass;
    pass.scope = "all/";
    const at::Tensor ordinary = indices(step.draw.ordinaryAt, net_->device());
    const at::Tensor features = net_->decode(filled(step.batch.target, ordinary, maskId(config_)),
                                             step.batch.targetLengths, step.memory, pass);
    const at::Tensor& table = net_->embedding->weight;
    const at::Tensor logits =
        at::mm(features.reshape({-1, table.size(1)}).index_select(0, places), table.t());
    banSpecials(logits, maskId(config_));
    return logits.argmax(1);
}

at::Tensor CmlmModel::correction(const Step& step, const at::Tensor& read) {
    if (step.draw.replacedAt.empty()) return at::zeros({}, read.options().dtype(at::kFloat));
    const at::Tensor places = indices(step.draw.replacedAt, net_->device());
    const at::Tensor wrong =
        read.reshape({-1}).index_copy(0, places, guesses(step, places)).view(read.sizes());
    return wordsAt(step, wrong, places, "corr/").smoothed.sum() / step.units[kReplaced];
}

at::Tensor CmlmModel::lengthSum(const Step& step) const {
    std::vector<std::int64_t> classes;
    for (const std::int32_t length : step.batch.targetLengths) classes.push_back(net_->lengthClass(length));
    return at::cross_entropy_loss(step.encoded.lengthLogits, indices(classes, net_->device()), {},
                                  at::Reduction::Sum);
}

void CmlmModel::addContrast(const Step& step, const at::Tensor& features, train::LossReport& report) const {
    const std::string &which = config_.text("cl.positions"), &sites = config_.text("cl.sites");
    const at::Tensor takesPart = which == "masked" ? flags(step.maskedAt, step.batch)
                                 : which == "ordinary"
                                     ? flags(indices(step.draw.ordinaryAt, net_->device()), step.batch)
                                     : step.batch.targetMask;
    const auto add = [&](const char* part, const at::Tensor& gram) {
        const at::Tensor value = contrastiveSum(gram, takesPart, contrastiveOf(config_)) / step.units[kPairs];
        report.parts[part] = value.detach();
        report.total = report.total + value * config_.real("cl.weight");
    };
    if (sites != "features")
        add("loss_cl_logits",
            gramOfLogits(features, net_->embedding->weight, config_.text("cl.center") == "row"));
    if (sites != "logits") add("loss_cl_features", gramOf(features));
}

Result<train::Generation> CmlmModel::generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                              trace::Trace* maybeTrace) {
    return generateWith(*net_, request, sampler, maybeTrace);
}

void CmlmModel::rehearseDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                                 c10::Device device) {
    rehearse(*net_, longest, sampler, device);
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
