#include "core/train/trainer.h"

#include <algorithm>

#include "core/base/check.h"

namespace kurve::train {
namespace {

constexpr std::size_t kKeptSteps = 64;

// Replica r's share of a block, in elements; borders at whole cache lines.
at::Tensor chunkOf(const at::Tensor& flat, int replica, int replicas) {
    const std::int64_t lines = (flat.numel() + 15) / 16;
    const std::int64_t first = std::min(flat.numel(), lines * replica / replicas * 16);
    const std::int64_t end = std::min(flat.numel(), lines * (replica + 1) / replicas * 16);
    return flat.narrow(0, first, end - first);
}

void addTo(at::Tensor& sum, const at::Tensor& value) {
    sum = sum.defined() ? sum + value : value;
}

}  // namespace

struct Trainer::Share {
    at::Tensor loss;
    std::map<std::string, at::Tensor> parts;
    std::vector<std::pair<at::Tensor, at::Tensor>> noiseLoss;
};

Trainer::Trainer(std::vector<std::unique_ptr<SequenceModel>> models, RunConfig config, c10::Device device,
                 int threadsEach)
    : models_(std::move(models)),
      config_(std::move(config)),
      device_(device),
      pool_(static_cast<int>(models_.size()), threadsEach) {
    KURVE_CHECK(!models_.empty(), "a trainer without a model");
    parameters_.reserve(models_.size());
    parameters_.emplace_back(models_.front()->module());
    for (std::size_t r = 1; r < models_.size(); ++r)
        parameters_.emplace_back(models_[r]->module(), parameters_.front());
    const at::Tensor& values = parameters_.front().values();
    optimizer_ = std::make_unique<FlatAdam>(values);
    if (config_.real("train.ema_decay") > 0) averaged_ = values.clone();
    failed_ = at::zeros({}, values.options().dtype(at::kFloat));
    failedStep_ = at::zeros({}, values.options().dtype(at::kLong));
}

void Trainer::setSteps(std::int64_t steps) {
    steps_ = steps;
    optimizer_->setSteps(steps);
}

StepReport Trainer::step(const std::vector<text::Batch>& batches, double learningRate, bool measureUpdate) {
    remember(batches);
    const std::vector<BatchPart> parts = splitStep(batches, replicas(), device_);
    std::vector<Share> shares(models_.size());
    pool_.run([&](int r) { computeShare(r, parts, shares[static_cast<std::size_t>(r)]); });

    StepReport report;
    report.step = ++steps_;
    report.learningRate = learningRate;
    for (const auto& part : parts) report.targetTokens += part.batch.targetTokens;
    for (auto& share : shares) {
        if (!share.loss.defined()) continue;  // fewer rows than replicas
        addTo(report.loss, share.loss);
        for (const auto& [name, value] : share.parts) addTo(report.parts[name], value);
        std::move(share.noiseLoss.begin(), share.noiseLoss.end(), std::back_inserter(report.noiseLoss));
    }
    update(report, measureUpdate);
    return report;
}

void Trainer::computeShare(int replica, const std::vector<BatchPart>& parts, Share& share) {
    const auto r = static_cast<std::size_t>(replica);
    SequenceModel& model = *models_[r];
    model.module().train();
    parameters_[r].gradients().zero_();
    for (std::size_t i = r; i < parts.size(); i += models_.size()) {
        const BatchPart& part = parts[i];
        const StepRandom random{static_cast<std::uint64_t>(config_.integer("seed")),
                                static_cast<std::uint64_t>(steps_), part.row};
        LossReport loss = model.loss(part.batch, random);
        const at::Tensor weighted = loss.total * part.weight;
        weighted.backward();
        addTo(share.loss, weighted.detach());
        for (const auto& [name, value] : loss.parts) addTo(share.parts[name], value * part.weight);
        if (loss.logSnr.defined()) share.noiseLoss.emplace_back(loss.logSnr, loss.rowLoss);
    }
}

// Each replica sums one chunk of all gradients into the first block, and squares it for the norm.
void Trainer::addGradients(int replica, std::vector<at::Tensor>& squares) {
    torch::NoGradGuard noGrad;
    at::Tensor sum = chunkOf(parameters_.front().gradients(), replica, replicas());
    for (std::size_t r = 1; r < parameters_.size(); ++r)
        sum.add_(chunkOf(parameters_[r].gradients(), replica, replicas()));
    squares[static_cast<std::size_t>(replica)] = at::dot(sum, sum);
}

void Trainer::update(StepReport& report, bool measureUpdate) {
    torch::NoGradGuard noGrad;
    std::vector<at::Tensor> squares(models_.size());
    pool_.run([&](int r) { addGradients(r, squares); });
    at::Tensor square = squares.front();
    for (std::size_t r = 1; r < squares.size(); ++r) square = square + squares[r];
    report.gradientNorm = square.sqrt();

    const at::Tensor bad =
        at::isfinite(report.gradientNorm).logical_and(at::isfinite(report.loss)).logical_not();
    failedStep_ =
        at::where(bad.logical_and(failed_ == 0), at::full_like(failedStep_, report.step), failedStep_);
    failed_ = at::maximum(failed_, bad.to(at::kFloat));

    const double clip = config_.real("train.clip");
    const at::Tensor scale =
        clip > 0 ? (report.gradientNorm / clip).clamp_min(1.0) : at::ones_like(report.gradientNorm);
    const at::Tensor& values = parameters_.front().values();
    const at::Tensor before = measureUpdate ? values.clone() : at::Tensor();
    optimizer_->update(values, parameters_.front().gradients(), config_, report.learningRate, scale, failed_);
    if (measureUpdate) report.updateRatio = (values - before).norm() / before.norm();
    if (averaged_.defined()) {
        // Early on the average follows faster, so that it does not remember the initial values.
        const double n = static_cast<double>(report.step);
        const double decay = std::min(config_.real("train.ema_decay"), (1 + n) / (10 + n));
        averaged_.lerp_(values, 1 - decay);
    }
}

void Trainer::remember(const std::vector<text::Batch>& batches) {
    KURVE_CHECK(recent_.size() < kKeptSteps, "nonFinite() was not asked for {} steps", kKeptSteps);
    recent_.emplace_back(steps_, batches);
}

std::optional<Trainer::NonFinite> Trainer::nonFinite() {
    const bool failed = failed_.item<float>() != 0;
    if (!failed) {
        recent_.clear();
        return std::nullopt;
    }
    const std::int64_t step = failedStep_.item<std::int64_t>();
    for (const auto& [index, batches] : recent_)
        if (index + 1 == step) return NonFinite{step, offendingTensor(batches, index)};
    return NonFinite{step, "loss"};
}

void Trainer::forgiveNonFinite() {
    setSteps(failedStep_.item<std::int64_t>() - 1);
    failed_.zero_();
    recent_.clear();
}

// The weights have not moved since and every draw is named: the step can be computed again.
std::string Trainer::offendingTensor(const std::vector<text::Batch>& batches, std::int64_t stepIndex) {
    const std::int64_t now = std::exchange(steps_, stepIndex);
    std::vector<Share> shares(models_.size());
    const auto parts = splitStep(batches, replicas(), device_);
    pool_.run([&](int r) { computeShare(r, parts, shares[static_cast<std::size_t>(r)]); });
    steps_ = now;
    for (const auto& share : shares)
        for (const auto& [name, value] : share.parts)
            if (!at::isfinite(value).all().item<bool>()) return name;
    for (const auto& share : shares)
        if (share.loss.defined() && !at::isfinite(share.loss).all().item<bool>()) return "loss";
    for (const auto& parameters : parameters_)
        if (auto name = parameters.firstNonFinite(parameters.gradients())) return "gradient of " + *name;
    return "norm of the gradient";
}

Trainer::Evaluation::Evaluation(Trainer& trainer) : trainer_(trainer) {
    torch::NoGradGuard noGrad;
    trainer_.model().module().eval();
    if (!trainer_.averaged_.defined()) return;
    kept_ = trainer_.parameters().values().clone();
    trainer_.parameters().values().copy_(trainer_.averaged_);
}

Trainer::Evaluation::~Evaluation() {
    torch::NoGradGuard noGrad;
    trainer_.model().module().train();
    if (kept_.defined()) trainer_.parameters().values().copy_(kept_);
}

}  // namespace kurve::train
