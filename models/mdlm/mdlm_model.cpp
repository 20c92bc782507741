#include "models/mdlm/mdlm_model.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/diffusion/masked_objective.h"
#include "core/diffusion/sampling_times.h"
#include "core/tensor/autocast.h"
#include "core/tensor/to_device.h"
#include "models/common/decoding.h"
#include "models/common/encoder.h"
#include "models/common/map_fields.h"
#include "models/common/padding.h"
#include "models/mdlm/generator.h"
#include "models/mdlm/mdlm_fields.h"

namespace kurve::models::mdlm {
namespace {

/// The order of lossDenominators().
enum Denominator : std::size_t { kCounted, kMasked, kRows };

constexpr const char *kTimes = "mdlm.time", *kMasks = "mdlm.mask";

template <class T>
at::Tensor hostTensor(const std::vector<T>& values) {
    return at::tensor(values);
}

}  // namespace

/// What a forward pass reads.
struct MdlmModel::Masked {
    at::Tensor mask;                    ///< [B, W] bool on the host
    diffusion::MaskedTokens tokens;     ///< masked ones that count
    std::vector<float> weights, sigma;  ///< [B]
    std::vector<float> logSnr;          ///< [B]
};

MdlmModel::MdlmModel(RunConfig config, Parts parts)
    : config_(std::move(config)),
      parts_(std::move(parts)),
      process_(parts_.schedule, config_.integer("diffusion.steps")) {}

MdlmModel::Masked MdlmModel::masked(const train::DeviceBatch& batch, const Canvas& canvas,
                                    const train::StepRandom& random) const {
    const double low = config_.real("diffusion.t_min"), high = config_.real("diffusion.t_max");
    Masked out;
    std::vector<float> probability;
    for (std::int64_t r = 0; r < batch.rows; ++r) {
        const double u = diffusion::lowDiscrepancyUniform(random.stream(kTimes),
                                                          random.row + static_cast<std::uint64_t>(r));
        const auto noising = process_.at(low + (high - low) * u);
        probability.push_back(static_cast<float>(noising.maskProbability));
        out.weights.push_back(static_cast<float>(noising.weight));
        out.sigma.push_back(static_cast<float>(noising.sigma));
        out.logSnr.push_back(static_cast<float>(noising.logSnr));
    }
    // On the host, where the masks' numbers are needed; the values are those of every device.
    const at::Tensor uniform =
        tensor::uniformRows(canvas.maskable.sizes(), {random.stream(kMasks), random.row}, at::kCPU);
    out.mask = diffusion::maskDraw(uniform, hostTensor(probability), canvas.maskable);
    out.tokens = diffusion::maskedTokens(out.mask, canvas.counted);
    return out;
}

std::vector<double> MdlmModel::lossDenominators(const train::DeviceBatch& batch,
                                                const train::StepRandom& random) const {
    const Canvas canvas = canvasOf(batch, parts_.rules);
    const Masked drawn = masked(batch, canvas, random);
    return {canvas.counted.sum().item<double>(), static_cast<double>(drawn.tokens.positions.size(0)),
            static_cast<double>(batch.rows)};
}

at::Tensor MdlmModel::nllOf(const Canvas& canvas, const Masked& masked, const ForwardPass& pass) {
    MdlmNet& net = parts_.net;
    const c10::Device device = net->device();
    const at::Tensor read =
        canvas.ids.masked_fill(tensor::toDevice(masked.mask, device), parts_.rules.special.mask);
    const at::Tensor positions = tensor::toDevice(masked.tokens.positions, device);
    const at::Tensor sigma = toDevice(std::span<const float>(masked.sigma), device);
    const at::Tensor states = net->states(read, sigma, canvas.lengths, pass);
    const at::Tensor bias = net->maybeOutputBias();
    return diffusion::maskedNll(states.reshape({-1, states.size(2)}).index_select(0, positions),
                                net->outputTable(), bias.defined() ? std::optional(bias) : std::nullopt,
                                canvas.ids.reshape({-1}).index_select(0, positions),
                                parts_.rules.special.mask);
}

at::Tensor meanSource(MdlmNetImpl& net, const at::Tensor& sources, std::span<const std::int32_t> lengths) {
    return sources.size(1) == 0 ? at::Tensor() : meanState(net.embedding(sources), lengths);
}

at::Tensor MdlmModel::lengthNll(const train::DeviceBatch& batch) {
    std::vector<std::int64_t> classes;
    for (std::size_t r = 0; r < batch.targetLengths.size(); ++r)
        classes.push_back(parts_.length->classOf(batch.targetLengths[r],
                                                 batch.sourceLength > 0 ? batch.sourceLengths[r] : 0));
    const at::Tensor logits =
        parts_.length->logits(meanSource(*parts_.net, batch.source, batch.sourceLengths), batch.rows);
    return at::cross_entropy_loss(tensor::atLeastFloat(logits),
                                  toDevice(std::span<const std::int64_t>(classes), parts_.net->device()), {},
                                  at::Reduction::None);
}

train::LossReport MdlmModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    const Canvas canvas = canvasOf(batch, parts_.rules);
    const Masked drawn = masked(batch, canvas, random);
    const at::Tensor counted = canvas.counted.sum(1).to(at::kFloat);
    std::vector<double> denominators = batch.stepDenominators;
    if (denominators.empty())
        denominators = {counted.sum().item<double>(), static_cast<double>(drawn.tokens.positions.size(0)),
                        static_cast<double>(batch.rows)};
    for (double& one : denominators) one = std::max(one, 1.0);
    ForwardPass pass;
    pass.dropout = parts_.net->is_training() ? config_.real("model.dropout") : 0;
    pass.seed = random.seed;
    pass.step = random.step;
    pass.firstRow = random.row;
    pass.maybeActivations = maybeActivations_;

    const c10::Device device = parts_.net->device();
    const at::Tensor nll = nllOf(canvas, drawn, pass);
    const at::Tensor byRow = diffusion::weightedNll(nll, tensor::toDevice(drawn.tokens.rows, device),
                                                    toDevice(std::span<const float>(drawn.weights), device));
    train::LossReport report;
    report.total = byRow.sum() / denominators[kCounted];
    report.parts = {{"loss_token", report.total.detach()},
                    {"masked_nll", nll.detach().sum() / denominators[kMasked]}};
    if (parts_.length) {
        const at::Tensor lengths = lengthNll(batch).sum() / denominators[kRows];
        report.parts["loss_length"] = lengths.detach();
        report.total = report.total + lengths * config_.real("loss.length_weight");
    }
    report.rowTokens = tensor::toDevice(counted, device);
    report.rowLoss = byRow.detach() / report.rowTokens.clamp_min(1);
    report.logSnr = toDevice(std::span<const float>(drawn.logSnr), device);
    return report;
}

/// One masking of one text.
struct MdlmModel::Draw {
    std::size_t number = 0, text = 0;
    double u = 0;  ///< in [0, 1): its noise level
};

void MdlmModel::addBounds(const train::BoundRequest& request, const std::vector<Draw>& draws,
                          train::LikelihoodBounds& out) {
    const c10::Device device = parts_.net->device();
    std::vector<std::size_t> texts;
    for (const Draw& draw : draws) texts.push_back(draw.text);
    const Padding padding{parts_.rules.special.pad};
    PaddedRows source = padRows(request.sources, texts, device, padding),
               target = padRows(request.targets, texts, device, padding);
    train::DeviceBatch batch;
    batch.rows = static_cast<std::int64_t>(draws.size());
    batch.source = source.ids;
    batch.target = target.ids;
    batch.sourceLength = source.ids.size(1);
    batch.targetLength = target.ids.size(1);
    batch.sourceLengths = std::move(source.lengths);
    batch.targetLengths = std::move(target.lengths);
    const Canvas canvas = canvasOf(batch, parts_.rules);

    const bool exact = config_.text("diffusion.bound") == "exact-count";
    const at::Tensor uniform = tensor::uniformRows(
        canvas.maskable.sizes(), {StreamId(request.seed, "mdlm.bound", draws.front().number), 0}, at::kCPU);
    Masked drawn;
    std::vector<std::int64_t> counts;
    std::vector<float> probability;
    const at::Tensor maskable = canvas.maskable.sum(1);
    for (std::size_t r = 0; r < draws.size(); ++r) {
        const std::int64_t n = maskable[static_cast<std::int64_t>(r)].item<std::int64_t>();
        const auto count = diffusion::exactCount(draws[r].u, n);
        const auto noising = process_.at(1e-3 + (1 - 1e-3) * draws[r].u);
        const double ratio = n > 0 ? static_cast<double>(count.masked) / static_cast<double>(n) : 0;
        counts.push_back(count.masked);
        probability.push_back(static_cast<float>(noising.maskProbability));
        drawn.weights.push_back(static_cast<float>(exact ? count.weight : noising.weight));
        // Where all is masked the schedule's greatest noise, which training has seen.
        drawn.sigma.push_back(static_cast<float>(
            exact ? std::min(-std::log1p(-std::min(ratio, 1 - 1e-12)), process_.at(1).sigma)
                  : noising.sigma));
    }
    drawn.mask = exact ? diffusion::exactCountMask(uniform, hostTensor(counts), canvas.maskable)
                       : diffusion::maskDraw(uniform, hostTensor(probability), canvas.maskable);
    drawn.tokens = diffusion::maskedTokens(drawn.mask, canvas.counted);
    const at::Tensor nll = nllOf(canvas, drawn, {}).to(at::kCPU, at::kDouble);
    at::Tensor rows =
        diffusion::weightedNll(nll, drawn.tokens.rows, hostTensor(drawn.weights).to(at::kDouble));
    if (parts_.length) rows = rows + lengthNll(batch).to(at::kCPU, at::kDouble);
    const at::Tensor counted = canvas.counted.sum(1);
    for (std::size_t r = 0; r < draws.size(); ++r) {
        const auto row = static_cast<std::int64_t>(r);
        out.nats[draws[r].text] += rows[row].item<double>() / request.draws;
        out.tokens[draws[r].text] = counted[row].item<std::int64_t>() + (parts_.length ? 1 : 0);
    }
}

Result<train::LikelihoodBounds> MdlmModel::bound(const train::BoundRequest& request) {
    const torch::NoGradGuard noGrad;
    const Evaluating evaluating(*parts_.net);
    constexpr std::size_t kRowsPerCall = 32;
    std::vector<std::size_t> order(request.targets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto width = [&](std::size_t text) {
        return request.targets[text].size() + request.sources[text].size();
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return width(a) < width(b); });
    train::LikelihoodBounds out;
    out.nats.assign(order.size(), 0);
    out.tokens.assign(order.size(), 0);
    out.estimator = fmt::format("{} draws:{}", config_.text("diffusion.bound"), request.draws);
    // A text's noise levels are stratified, and their offset over the texts.
    std::vector<Draw> draws;
    const StreamId stream(request.seed, "mdlm.bound.level", 0);
    for (const std::size_t text : order)
        for (int d = 0; d < request.draws; ++d) {
            const double v = diffusion::lowDiscrepancyUniform(stream, text);
            draws.push_back({draws.size(), text, (v + d) / request.draws});
        }
    for (std::size_t first = 0; first < draws.size(); first += kRowsPerCall) {
        if ((out.cancelled = request.cancel.requested())) return out;
        const auto begin = draws.begin() + static_cast<std::ptrdiff_t>(first);
        addBounds(request,
                  {begin, begin + static_cast<std::ptrdiff_t>(std::min(kRowsPerCall, draws.size() - first))},
                  out);
    }
    return out;
}

Result<train::Generation> MdlmModel::generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                              trace::TraceSink* maybeTrace) {
    return generateWith({*parts_.net, parts_.length ? parts_.length.get() : nullptr, parts_.rules, process_},
                        request, sampler, maybeTrace);
}

void MdlmModel::dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                               c10::Device device) {
    dryRun(*parts_.net, canvasOf(longest, parts_.rules), sampler, device);
}

std::vector<trace::EditKind> MdlmModel::edits() const {
    using enum trace::EditKind;
    return {Force, Pin, Ban, Noise};
}

std::map<std::string, double> MdlmModel::healthMetrics() {
    const torch::NoGradGuard noGrad;
    std::map<std::string, double> metrics = history();
    metrics["embedding_std"] = parts_.net->embedding->weight.std().item<double>();
    return metrics;
}

std::map<std::string, double> MdlmModel::history() const {
    const TokenMap* map = parts_.net->maybeMap();
    return map == nullptr ? std::map<std::string, double>()
                          : std::map<std::string, double>{{kInputGain, map->worstInputGain()}};
}

void MdlmModel::setHistory(const std::map<std::string, double>& history) {
    const auto gain = history.find(kInputGain);
    if (TokenMap* map = parts_.net->maybeMap())
        map->setWorstInputGain(gain == history.end() ? 0 : gain->second);
}

}  // namespace kurve::models::mdlm
