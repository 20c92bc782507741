#include "core/train/trainer.h"

#include <algorithm>
#include <span>

#include "core/base/check.h"
#include "core/tensor/activation_checkpointing.h"
#include "core/tensor/autocast.h"
#include "core/tensor/ops/sum_of_squares.h"
#include "core/train/loss_effects.h"
#include "core/train/parameter_groups.h"
#include "core/train/rank_commands.h"

namespace kurve::train {
namespace {

void addTo(at::Tensor& sum, const at::Tensor& value) {
    sum = sum.defined() ? sum + value : value;
}

}  // namespace

Trainer::Trainer(std::vector<std::unique_ptr<SequenceModel>> models, RunConfig config, c10::Device device,
                 int threadsEach, std::shared_ptr<distributed::ProcessGroup> maybeGroup)
    : models_(std::move(models)),
      config_(std::move(config)),
      device_(device),
      pool_(static_cast<int>(models_.size()), threadsEach),
      maybeGroup_(std::move(maybeGroup)),
      shard_({}) {
    KURVE_CHECK(!models_.empty(), "a trainer without a model");
    parameters_.reserve(models_.size());
    parameters_.emplace_back(models_.front()->module());
    for (std::size_t r = 1; r < models_.size(); ++r)
        parameters_.emplace_back(models_[r]->module(), parameters_.front());
    const at::Tensor& values = parameters_.front().values();
    gradients_ = at::zeros_like(values);
    const int rank = maybeGroup_ ? maybeGroup_->rank() : 0;
    if (maybeGroup_) buckets_ = gradientBuckets(parameters_.front());
    shard_ = shardOf(rank);
    sharded_ = ranks() > 1 && config_.flag("train.shard_optimizer");
    makeChunks();
    // Rank 0 reads whole checkpoints; shareState() leaves it its shard.
    const FlatParts held = sharded_ && rank > 0 ? shard_ : FlatParts({{0, values.numel()}});
    optimizer_ = std::make_unique<FlatAdam>(values, held);
    if (config_.real("train.ema_decay") > 0) averaged_ = held.gather(values);
    failed_ = at::zeros({}, values.options().dtype(at::kFloat));
    failedStep_ = at::zeros({}, values.options().dtype(at::kLong));
    if (!maybeGroup_) return;
    exchange_ = std::make_unique<StepExchange>(*maybeGroup_);
    if (replicas() == 1 && maybeGroup_->reducesInBackground())
        maybeReduction_ =
            std::make_unique<BucketedReduction>(*maybeGroup_, parameters_.front(), gradients_, buckets_,
                                                sharded_ ? ReducedPart::OwnShard : ReducedPart::Whole);
}

Trainer::~Trainer() {
    if (!leads() || maybeGroup_->broken()) return;
    try {
        sendCommand(*maybeGroup_, {.kind = RankCommand::Kind::End});
    } catch (const distributed::RankLost&) {  // they have ended already
    }
}

namespace {

/// The entries of a chunk by their group; neighbours of one group are one part, with the gaps between them.
std::vector<FlatAdam::Group> groupsOf(std::span<const FlatParameters::Entry> entries, std::int64_t end,
                                      const std::vector<ParameterGroup>& wanted) {
    std::vector<FlatAdam::Group> groups(wanted.size() + 1);
    for (std::size_t g = 0; g < wanted.size(); ++g) groups[g] = {wanted[g].learningRate, wanted[g].decay, {}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto own = std::find_if(wanted.begin(), wanted.end(),
                                      [&](const auto& group) { return group.matches(entries[i].name); });
        auto& parts = groups[static_cast<std::size_t>(own - wanted.begin())].parts;
        const std::int64_t first = entries[i].offset,
                           next = i + 1 < entries.size() ? entries[i + 1].offset : end;
        if (!parts.empty() && parts.back().first + parts.back().count == first)
            parts.back().count = next - parts.back().first;
        else
            parts.push_back({first, next - first});
    }
    std::erase_if(groups, [](const auto& group) { return group.parts.empty(); });
    return groups;
}

/// What of the groups lies in parts of the values.
std::vector<FlatAdam::Group> within(std::vector<FlatAdam::Group> groups,
                                    const std::vector<FlatAdam::Part>& parts) {
    for (FlatAdam::Group& group : groups) {
        const std::vector<FlatAdam::Part> whole = std::exchange(group.parts, {});
        for (const FlatAdam::Part& one : whole)
            for (const FlatAdam::Part& part : parts) {
                const std::int64_t first = std::max(one.first, part.first);
                const std::int64_t end = std::min(one.first + one.count, part.first + part.count);
                if (end > first) group.parts.push_back({first, end - first});
            }
    }
    std::erase_if(groups, [](const auto& group) { return group.parts.empty(); });
    return groups;
}

}  // namespace

// Whole parameters, of nearly the same number of elements for each replica.
void Trainer::makeChunks() {
    const auto wanted = parameterGroups(config_);
    KURVE_CHECK(wanted.has_value(), "{}", wanted.error().text());
    const auto& entries = parameters_.front().entries();
    const std::int64_t total = gradients_.numel();
    const auto groups = groupsOf(entries, total, *wanted);
    std::size_t next = 0;
    for (int r = 0; r < replicas(); ++r) {
        Chunk chunk{next, next, {}, {}};
        const std::int64_t end = total * (r + 1) / replicas();
        while (next < entries.size() && (entries[next].offset < end || r + 1 == replicas())) ++next;
        chunk.endEntry = next;
        chunk.part.first = chunk.firstEntry < entries.size() ? entries[chunk.firstEntry].offset : total;
        chunk.part.count = (next < entries.size() ? entries[next].offset : total) - chunk.part.first;
        chunk.groups = within(groups, sharded_ ? distributed::shardsOf(shard_.parts(), r, replicas())
                                               : std::vector{chunk.part});
        chunks_.push_back(std::move(chunk));
    }
}

void Trainer::setSteps(std::int64_t steps) {
    steps_ = steps;
    optimizer_->setSteps(steps);
}

void Trainer::keepActivations(bool on) {
    keepsGradients_ = on;  // what is looked at with them
    activations_.clear();
    models_.front()->keepActivations(on ? &activations_ : nullptr);
}

namespace {

/// A checkpoint has the first model's buffers (a scaler, codebooks), so that these are all replicas'.
void shareBuffers(const std::vector<std::unique_ptr<SequenceModel>>& models) {
    if (models.size() < 2) return;
    const torch::NoGradGuard noGrad;
    const auto first = models.front()->module().named_buffers();
    for (std::size_t r = 1; r < models.size() && !first.is_empty(); ++r)
        for (auto& buffer : models[r]->module().named_buffers()) buffer.value().copy_(first[buffer.key()]);
}

}  // namespace

Trainer::Share Trainer::shareOf(int replica) const {
    const int rank = maybeGroup_ ? maybeGroup_->rank() : 0;
    return {static_cast<std::size_t>(rank * replicas() + replica),
            static_cast<std::size_t>(ranks() * replicas()), reductionDuringBackward()};
}

StepReport Trainer::step(const std::vector<text::Batch>& batches, double learningRate, bool measureUpdate) {
    if (leads()) commandStep(batches, learningRate);
    if (!maybeGroup_ || leads()) storeBatches(batches);
    if (exchange_) exchange_->beginStep();
    shareBuffers(models_);
    const std::vector<BatchPart> parts = partsOf(batches);
    LossEffects effects(model());
    StepReport report;
    Update next;
    try {
        StepSums sums = exchange_ ? computeWithRanks(parts) : computeParts(parts);
        observe(sums);
        report = reportOf(parts, std::move(sums));
        report.learningRate = learningRate;
        next = updateFor(report, measureUpdate);
    } catch (const std::exception&) {  // a step that is not made leaves no trace: its batches come again
        effects.undo();
        throw;
    }
    update(report, next);
    if (exchange_) exchange_->endStep();
    return report;
}

StepReport Trainer::reportOf(const std::vector<BatchPart>& parts, StepSums sums) {
    StepReport report;
    report.step = steps_ + 1;
    for (const auto& part : parts) report.targetTokens += part.batch.targetTokens;
    report.loss = sums.loss;
    report.parts = std::move(sums.parts);
    for (auto& [part, rows] : sums.rows)
        if (rows.logSnr.defined()) report.noiseLoss.emplace_back(rows.logSnr, rows.loss);
    if (exchange_) report.times = exchange_->times();
    report.gradientNorm = exchange_ ? sums.gradientSquare.sqrt() : gradientNorm();
    return report;
}

StepSums Trainer::computeParts(const std::vector<BatchPart>& parts) {
    std::vector<StepSums> results(models_.size());
    pool_.run([&](int r) { computeReplica(r, parts, shareOf(r), results[static_cast<std::size_t>(r)]); });
    StepSums sums;
    for (StepSums& result : results) {
        if (!result.loss.defined()) continue;  // fewer rows than replicas
        addTo(sums.loss, result.loss);
        for (const auto& [name, value] : result.parts) addTo(sums.parts[name], value);
        sums.rows.merge(result.rows);
    }
    if (reductionDuringBackward() == nullptr) pool_.run([&](int r) { gatherGradients(r); });
    return sums;
}

StepRandom Trainer::randomOf(const BatchPart& part) const {
    return {static_cast<std::uint64_t>(config_.integer("seed")), static_cast<std::uint64_t>(steps_),
            part.row};
}

// A family that gives its losses' denominators divides by the whole step's numbers itself.
std::vector<BatchPart> Trainer::partsOf(const std::vector<text::Batch>& batches) const {
    std::vector<BatchPart> parts = splitStep(batches, ranks() * replicas(), device_);
    std::vector<double> sums;
    for (const BatchPart& part : parts) {
        const std::vector<double> units = models_.front()->lossDenominators(part.batch, randomOf(part));
        if (units.empty()) return parts;
        sums.resize(units.size());
        for (std::size_t i = 0; i < units.size(); ++i) sums[i] += units[i];
    }
    for (BatchPart& part : parts) {
        part.weight = 1;
        part.batch.stepDenominators = sums;
    }
    return parts;
}

LossReport trainingLoss(SequenceModel& model, const DeviceBatch& batch, const StepRandom& random,
                        const RunConfig& config) {
    const tensor::ActivationCheckpointing checkpointing(config.flag("train.activation_checkpointing"));
    const tensor::Autocast autocast(batch.target.device(), config.text("train.precision") == "bf16");
    return model.loss(batch, random);
}

void Trainer::computeReplica(int replica, const std::vector<BatchPart>& parts, Share share,
                             StepSums& result) {
    const auto r = static_cast<std::size_t>(replica);
    SequenceModel& model = *models_[r];
    model.module().train();
    for (auto& tensor : parameters_[r].tensors()) tensor.mutable_grad() = at::Tensor();
    for (std::size_t i = share.first; i < parts.size(); i += share.stride) {
        const BatchPart& part = parts[i];
        const StepRandom random = randomOf(part);
        LossReport loss = trainingLoss(model, part.batch, random, config_);
        const at::Tensor weighted = loss.total * part.weight;
        if (share.maybeReduction != nullptr && i + share.stride >= parts.size())
            share.maybeReduction->backward(weighted);
        else
            weighted.backward();
        addTo(result.loss, weighted.detach());
        for (const auto& [name, value] : loss.parts) addTo(result.parts[name], value * part.weight);
        if (loss.logSnr.defined()) result.rows[i] = {loss.logSnr, loss.rowLoss, loss.noiseStep};
    }
}

void Trainer::observe(const StepSums& sums) {
    std::vector<at::Tensor> noiseSteps, losses;
    for (const auto& [part, rows] : sums.rows) {
        if (!rows.noiseStep.defined()) continue;
        noiseSteps.push_back(rows.noiseStep);
        losses.push_back(rows.loss);
    }
    if (!losses.empty()) model().observe(at::cat(noiseSteps), at::cat(losses));
}

// Each replica sums the gradients of one chunk over all replicas, in their order.
void Trainer::gatherGradients(int replica) {
    torch::NoGradGuard noGrad;
    const Chunk& chunk = chunks_[static_cast<std::size_t>(replica)];
    for (std::size_t i = chunk.firstEntry; i < chunk.endEntry; ++i) {
        at::Tensor sum = FlatParameters::view(gradients_, parameters_.front().entries()[i]);
        std::vector<at::Tensor> all;
        for (auto& parameters : parameters_)
            if (parameters.tensors()[i].grad().defined()) all.push_back(parameters.tensors()[i].grad());
        if (all.empty()) sum.zero_();
        if (all.size() == 1) sum.copy_(all.front());
        if (all.size() > 1) at::add_out(sum, all[0], all[1]);
        for (std::size_t r = 2; r < all.size(); ++r) sum.add_(all[r]);
    }
}

at::Tensor Trainer::gradientNorm() {
    std::vector<at::Tensor> squares(models_.size());
    pool_.run([&](int r) {
        const torch::NoGradGuard noGrad;
        const FlatAdam::Part& part = chunks_[static_cast<std::size_t>(r)].part;
        squares[static_cast<std::size_t>(r)] =
            tensor::sumOfSquares(gradients_.narrow(0, part.first, part.count));
    });
    at::Tensor square = squares.front();
    for (std::size_t r = 1; r < squares.size(); ++r) square = square + squares[r];
    return square.sqrt();
}

void Trainer::applyUpdate(int replica, double learningRate, const at::Tensor& scale) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(replica)];
    for (const FlatAdam::Group& group : chunk.groups)
        optimizer_->update(parameters_.front().values(), gradients_, group, config_, learningRate, scale,
                           failed_);
}

Trainer::Update Trainer::updateFor(const StepReport& report, bool measured) const {
    const torch::NoGradGuard noGrad;
    const at::Tensor bad =
        at::isfinite(report.gradientNorm).logical_and(at::isfinite(report.loss)).logical_not();
    Update next;
    next.failedStep =
        at::where(bad.logical_and(failed_ == 0), at::full_like(failedStep_, report.step), failedStep_);
    next.failed = at::maximum(failed_, bad.to(at::kFloat));
    const double clip = config_.real("train.max_grad_norm");
    next.scale = clip > 0 ? (report.gradientNorm / clip).clamp_min(1.0) : at::ones_like(report.gradientNorm);
    if (measured) next.before = parameters_.front().values().clone();
    return next;
}

void Trainer::update(StepReport& report, const Update& next) {
    torch::NoGradGuard noGrad;
    const at::Tensor& values = parameters_.front().values();
    updating_ = true;
    steps_ = report.step;
    failed_ = next.failed;
    failedStep_ = next.failedStep;
    optimizer_->beginStep();
    pool_.run([&](int r) { applyUpdate(r, report.learningRate, next.scale); });
    if (sharded_) allGather(values);
    if (sharded_ && keepsGradients_) allGather(gradients_);  // each has clipped its own
    if (averaged_.defined()) average();
    updating_ = false;
    if (!next.before.defined()) return;
    const at::Tensor norm = next.before.norm();
    report.updateRatio = next.before.sub_(values).norm() / norm;
}

// Early on the average follows faster, so that the initial values do not dominate it.
void Trainer::average() {
    const auto n = static_cast<double>(steps_);
    const double decay = std::min(config_.real("train.ema_decay"), (1 + n) / (10 + n));
    const at::Tensor weight = (1 - failed_) * (1 - decay);  // not at all in a step that is left out
    const FlatParts& held = optimizer_->held();
    for (const FlatAdam::Part& part : held.parts())
        held.within(averaged_, part)
            .lerp_(parameters_.front().values().narrow(0, part.first, part.count), weight);
}

Trainer::Evaluation::Evaluation(Trainer& trainer) : trainer_(trainer) {
    torch::NoGradGuard noGrad;
    trainer_.model().module().eval();
    const at::Tensor averaged = trainer_.wholeAverage();
    if (!averaged.defined()) return;
    trained_ = trainer_.parameters().values().clone();
    trainer_.parameters().values().copy_(averaged);
}

Trainer::Evaluation::~Evaluation() {
    torch::NoGradGuard noGrad;
    trainer_.model().module().train();
    if (trained_.defined()) trainer_.parameters().values().copy_(trained_);
}

}  // namespace kurve::train
