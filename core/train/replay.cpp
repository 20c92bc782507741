#include "core/train/replay.h"

#include <array>

#include "core/base/check.h"
#include "core/train/make_trainer.h"
#include "core/train/memory_need.h"

namespace kurve::train {
namespace {

// Applies the changes that had been made when `done` steps were done.
Result<RunConfig> configAt(const RunConfig& config, const std::vector<LiveChange>& live, std::int64_t done) {
    std::vector<Override> changes;
    for (const auto& change : live)
        if (change.step <= done) changes.emplace_back(change.key, change.value);
    return config.with(changes);
}

/// Weights, mean and square of the optimizer, on the host.
std::array<at::Tensor, 3> numbersOf(Trainer& trainer) {
    const auto copied = [](const at::Tensor& block) {
        return block.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
    };
    return {copied(trainer.parameters().values()), copied(trainer.optimizer().mean()),
            copied(trainer.optimizer().square())};
}

void compare(const FlatParameters& parameters, const at::Tensor& mine, const at::Tensor& stored,
             const std::string& prefix, ReplayReport& report) {
    for (const auto& entry : parameters.entries()) {
        const auto a = FlatParameters::view(mine, entry), b = FlatParameters::view(stored, entry);
        if (at::equal(a, b)) continue;
        report.same = false;
        if (report.firstDifference.empty()) report.firstDifference = prefix + entry.name;
        if (prefix.empty())
            report.largestDifference = std::max(report.largestDifference, (a - b).abs().max().item<double>());
    }
}

Error weightsOnly(const std::filesystem::path& checkpoint) {
    return requestError("checkpoint.weights_only",
                        "holds weights only: there is no optimizer state to continue from or to compare")
        .in(checkpoint.string())
        .fix("train the whole run again: kurve reproduce RUN");
}

}  // namespace

Result<ReplayReport> replay(const ReplayRequest& request) {
    KURVE_TRY(const TrainingState end, readCheckpoint(request.to));
    if (!end.optimizer) return weightsOnly(request.to);
    TrainingState start;
    if (request.from) {
        KURVE_TRY(start, readCheckpoint(*request.from));
        if (!start.optimizer) return weightsOnly(*request.from);
    }
    KURVE_TRY(const text::Dataset loaded, text::prepareDataset(request.config, request.project, nullptr));
    const auto data = std::make_shared<text::Dataset>(loaded);
    if (!request.force)
        KURVE_CHECKED(
            checkMemory(*request.family, request.config, data, request.device, request.resolver.get()));
    KURVE_TRY(auto trainer,
              makeTrainer(*request.family, request.config,
                          {*data, request.device, std::max(1, end.threads), request.resolver.get()}));
    if (request.from)
        KURVE_CHECKED(loadTrainer(*request.from, start, *trainer));
    else
        KURVE_CHECKED(takeInitialWeights(*trainer, request.config, *data, request.resolver.get()));
    text::BatchStream batches(std::shared_ptr<const text::Split>(data, &data->train),
                              request.config.integer("train.batch_tokens"),
                              static_cast<std::uint64_t>(request.config.integer("seed")));
    KURVE_TRY(const auto position, nextBatch(start, request.config, *data, schemaOnly(*request.family)));
    batches.seek(position);
    while (trainer->steps() < end.step) {
        KURVE_TRY(RunConfig config, configAt(request.config, end.live, trainer->steps()));
        trainer->setConfig(config);
        std::vector<text::Batch> step;
        for (std::int64_t i = 0; i < config.integer("train.accumulate"); ++i) step.push_back(batches.next());
        trainer->step(step, learningRateAt(config, end.plan, trainer->steps()));
        if (const auto failure = trainer->nonFinite())
            return workError("train.non_finite", fmt::format("step {} is not finite", failure->step))
                .at(failure->tensor);
        if (request.cancel.requested()) return workError("cancelled", "the replay was stopped");
        if (request.progress)
            request.progress(static_cast<double>(trainer->steps() - start.step) /
                                 static_cast<double>(std::max<std::int64_t>(1, end.step - start.step)),
                             fmt::format("replaying step {} of {}", trainer->steps(), end.step));
    }
    // Into the same trainer: the device may have no memory for a second one.
    const auto mine = numbersOf(*trainer);
    KURVE_CHECKED(loadTrainer(request.to, end, *trainer));
    const auto stored = numbersOf(*trainer);
    ReplayReport report{start.step, end.step, true, {}, 0};
    constexpr std::array kPrefixes{"", "mean/", "square/"};
    for (std::size_t i = 0; i < mine.size(); ++i)
        compare(trainer->parameters(), mine[i], stored[i], kPrefixes[i], report);
    return report;
}

}  // namespace kurve::train
