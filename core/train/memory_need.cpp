#include "core/train/memory_need.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "core/base/free_memory.h"
#include "core/tensor/meta_memory.h"
#include "core/train/decode.h"
#include "core/train/evaluation.h"
#include "core/train/loss_scores.h"
#include "core/train/make_trainer.h"
#include "core/train/step_plan.h"

namespace kurve::train {
namespace {

using text::Batch;

/// Of an epoch.
constexpr std::int64_t kMaxBatches = 4096;
/// Steps that are tried with the largest batch: some draws (self-conditioning, how many words are masked)
/// take more than others.
constexpr std::uint64_t kDraws = 6;

std::int64_t paddedTokens(const Batch& batch) {
    return static_cast<std::int64_t>(batch.rows) * (batch.sourceLength + batch.targetLength);
}

std::int64_t targetTokens(const Batch& batch) {
    return batch.targetTokens();
}

/// Families that fill every target to one width (mdlm, diffusia) need most where the rows are most.
std::int64_t rowCount(const Batch& batch) {
    return batch.rows;
}

std::int64_t attentionCells(const Batch& batch) {
    const std::int64_t s = batch.sourceLength, t = batch.targetLength;
    return batch.rows * (s * s + s * t + t * t);
}

/// The batches of an epoch that are largest by some measure; usually the same one.
std::vector<Batch> largestBatches(const std::shared_ptr<const text::Dataset>& data, const RunConfig& config) {
    text::BatchStream stream({data, &data->train}, config.integer("train.batch_tokens"),
                             static_cast<std::uint64_t>(config.integer("seed")));
    constexpr std::array kSizes{&paddedTokens, &targetTokens, &attentionCells, &rowCount};
    std::array<Batch, kSizes.size()> best;
    for (std::int64_t i = std::min(stream.batchesPerEpoch(), kMaxBatches); i > 0; --i) {
        const Batch batch = stream.next();
        for (std::size_t k = 0; k < kSizes.size(); ++k)
            if (kSizes[k](batch) > kSizes[k](best[k])) best[k] = batch;
    }
    std::vector<Batch> all;
    for (Batch& batch : best)
        if (std::none_of(all.begin(), all.end(), [&](const Batch& b) { return b.index == batch.index; }))
            all.push_back(std::move(batch));
    return all;
}

/// A training on shapes alone, and what it takes.
class DryRun {
public:
    DryRun(tensor::MetaMemory& memory, const RunConfig& config, c10::Device device, Processes processes)
        : memory_(memory),
          processes_(processes),
          config_(config),
          device_(device),
          replicas_(device.is_cpu() ? config.integer("train.cpu_replicas") : 1) {}

    Status begin(const ModelFamily& family, const text::Dataset& data, RunResolver* maybeResolver) {
        const tensor::MadeOnMeta shapesOnly;
        KURVE_TRY(trainer_, makeTrainer(family, config_, {data, c10::kMeta, 1, maybeResolver}));
        return {};
    }
    [[nodiscard]] const Trainer& trainer() const { return *trainer_; }
    [[nodiscard]] std::int64_t replicas() const { return replicas_; }

    /// The most that a step takes till its update. Replicas compute at the same time, each with gradients of
    /// its own; where the gradients of several batches are added, all but the first find them there.
    std::int64_t step(const Batch& batch, std::uint64_t number) {
        clearGradients();
        const std::int64_t before = memory_.live();
        auto parts = splitStep({batch}, static_cast<int>(replicas_) * processes_.all, c10::kMeta);
        const std::int64_t batches = config_.integer("train.accumulate"), ids = memory_.live() - before;
        const auto here = static_cast<std::size_t>(replicas_) * static_cast<std::size_t>(processes_.here);
        if (parts.size() > here) parts.resize(here);
        std::int64_t first = 0, later = 0, gradients = 0;
        for (const BatchPart& part : parts) {
            const std::int64_t without = memory_.live();
            first += pass(part, number);
            gradients += memory_.live() - without;
            if (batches > 1) later += pass(part, number);
            clearGradients();
        }
        return before + ids * batches * processes_.here + bytesOfBuffers() * processes_.here +
               std::max(first, batches > 1 ? gradients + later : 0);
    }

    /// The most that an update takes, with what is logged of it, and an evaluation after it: the gradients of
    /// all replicas are there until the next step.
    std::int64_t updateAndEvaluation(const text::Dataset& data) {
        std::vector<at::Tensor> others;
        for (std::int64_t r = 1; r < replicas_; ++r)
            others.push_back(at::empty_like(trainer_->parameters().values()));
        memory_.resetPeak();
        const std::array<std::int32_t, 1> one{0};
        trainer_->step({text::makeBatch(data.train, one)}, 1e-4, /*measureUpdate=*/true);
        if (data.valid.size() > 0) evaluation(data.valid);
        return memory_.peak();
    }

private:
    /// LossEffects has a copy during a step.
    std::int64_t bytesOfBuffers() {
        std::int64_t bytes = 0;
        for (const at::Tensor& buffer : trainer_->model().module().buffers())
            bytes += static_cast<std::int64_t>(buffer.nbytes());
        return bytes;
    }

    void clearGradients() {
        for (const at::Tensor& parameter : trainer_->model().module().parameters())
            parameter.mutable_grad() = at::Tensor();
    }

    std::int64_t pass(const BatchPart& part, std::uint64_t number) {
        const std::int64_t before = memory_.live();
        memory_.resetPeak();
        SequenceModel& model = trainer_->model();
        model.module().train();
        trainingLoss(model, part.batch, random(number, part.row), config_).total.backward();
        return memory_.peak() - before;
    }

    void evaluation(const text::Split& split) {
        const Trainer::Evaluation guard(*trainer_);
        const torch::NoGradGuard noGrad;
        std::vector<std::int32_t> rows(split.size());
        std::iota(rows.begin(), rows.end(), 0);
        const auto tokens = [&](std::int32_t pair) {
            const auto at = static_cast<std::size_t>(pair);
            return split.sourceLength(at) + split.targetLength(at);
        };
        std::stable_sort(rows.begin(), rows.end(),
                         [&](std::int32_t a, std::int32_t b) { return tokens(a) > tokens(b); });
        const auto longest = [&](std::int64_t count) {
            return toDevice(
                text::makeBatch(split, std::span(rows).first(std::min(rows.size(), std::size_t(count)))),
                c10::kMeta);
        };
        SequenceModel& model = trainer_->model();
        if (const auto pairs = config_.integer("eval.loss_pairs"); pairs > 0)
            (void)model.loss(longest(std::min(pairs, kLossRows)), random(0, 0));
        if (const auto pairs = config_.integer("eval.samples"); pairs > 0)
            model.dryRunDecoding(longest(std::min<std::int64_t>(pairs, DecodeRequest().rowsPerCall)), config_,
                                 device_);
    }

    [[nodiscard]] StepRandom random(std::uint64_t step, std::uint64_t row) const {
        return {static_cast<std::uint64_t>(config_.integer("seed")), step, row};
    }

    tensor::MetaMemory& memory_;
    Processes processes_;
    const RunConfig& config_;
    c10::Device device_;
    std::int64_t replicas_;
    std::unique_ptr<Trainer> trainer_;
};

/// What the largest steps of a run take; its last ones, as some losses begin late.
std::int64_t largestStep(DryRun& dryRun, const std::shared_ptr<const text::Dataset>& data,
                         const RunConfig& config) {
    const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(StepPlan(config).total(0), kDraws));
    std::int64_t most = 0;
    for (const Batch& batch : largestBatches(data, config))
        for (std::uint64_t draw = 1; draw <= kDraws; ++draw)
            most = std::max(most, dryRun.step(batch, last - draw));
    return most;
}

std::string sizeText(std::int64_t bytes) {
    return bytes < 995'000'000 ? fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6)
                               : fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

}  // namespace

Result<MemoryNeed> memoryNeed(const ModelFamily& family, const RunConfig& config,
                              const std::shared_ptr<const text::Dataset>& data, c10::Device device,
                              RunResolver* maybeResolver, Processes processes) try {
    tensor::MetaMemory memory;
    DryRun dryRun(memory, config, device, processes);
    KURVE_CHECKED(dryRun.begin(family, *data, maybeResolver));
    MemoryNeed need;
    const FlatParameters& parameters = dryRun.trainer().parameters();
    const auto trained = static_cast<std::int64_t>(parameters.values().nbytes());
    need.parameters = parameters.trainedCount() + parameters.frozenCount();
    need.gradients = (1 + dryRun.replicas()) * trained;  // each replica's, and their sum
    need.optimizer = (config.real("train.ema_decay") > 0 ? 3 : 2) * trained;
    need.weights = memory.live() - trained - need.optimizer;  // frozen ones and other runs' models with them
    const std::int64_t most = std::max(largestStep(dryRun, data, config), dryRun.updateAndEvaluation(*data));
    need.activations = std::max<std::int64_t>(0, most - need.total());
    need.processes = processes.here;
    for (std::int64_t* each : {&need.weights, &need.gradients, &need.optimizer}) *each *= processes.here;
    // Rank 0 holds the whole once more while it saves or evaluates.
    if (config.flag("train.shard_optimizer") && processes.all > 1)
        need.optimizer = need.optimizer / processes.all + need.optimizer / processes.here;
    return need;
} catch (const c10::Error& error) {  // an operation that does not work on shapes
    return workError("memory.unknown", std::string("the memory of the training cannot be estimated: ") +
                                           error.what_without_backtrace())
        .fix("use --force, and please report it");
}

std::optional<std::int64_t> freeMemory(c10::Device device) {
    if (device.is_cpu()) return freeHostMemory();
    return static_cast<std::int64_t>(
        at::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).first);
}

std::optional<Error> memoryProblem(const MemoryNeed& need, std::optional<std::int64_t> free) {
    if (!free || need.total() <= *free) return std::nullopt;
    return requestError("memory.exceeds_free",
                        fmt::format("the training takes about {} of memory{} ({} weights, {} gradients, {} "
                                    "optimizer, {} activations of a batch), and {} are free",
                                    sizeText(need.total()),
                                    need.processes > 1 ? fmt::format(" in {} processes", need.processes) : "",
                                    sizeText(need.weights), sizeText(need.gradients),
                                    sizeText(need.optimizer), sizeText(need.activations), sizeText(*free)))
        .fix("lower train.batch_tokens or the model's sizes, free memory, or use --force");
}

Status checkMemory(const ModelFamily& family, const RunConfig& config,
                   const std::shared_ptr<const text::Dataset>& data, c10::Device device,
                   RunResolver* maybeResolver, Processes processes) {
    KURVE_TRY(const MemoryNeed need, memoryNeed(family, config, data, device, maybeResolver, processes));
    if (auto problem = memoryProblem(need, freeMemory(device))) return std::move(*problem);
    return {};
}

}  // namespace kurve::train
