#include "core/train/dry_run.h"

#include <sys/resource.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/free_memory.h"
#include "core/train/corpus_vectors.h"
#include "core/train/evaluation.h"
#include "core/train/make_trainer.h"
#include "core/train/step_plan.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;

constexpr int kProbePairs = 8;

double peakMegabytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1e3;
}

double availableMegabytes() {
    return static_cast<double>(freeHostMemory().value_or(0)) / 1e6;
}

Status measureSteps(const DryRunRequest& request, Trainer& trainer, text::BatchStream& batches,
                    DryRunReport& report) {
    const StepPlan plan(request.config);
    std::vector<double> seconds;
    std::int64_t tokens = 0;
    for (int i = 0; i <= request.steps; ++i) {
        if (request.cancel.requested()) return workError("cancelled", "the dry run was stopped");
        const double before = steadySeconds();
        std::vector<text::Batch> step;
        for (std::int64_t k = 0; k < request.config.integer("train.accumulate"); ++k)
            step.push_back(batches.next());
        const auto done = trainer.step(step, learningRateAt(request.config, plan, trainer.steps()));
        if (const auto failure = trainer.nonFinite())  // also waits for a GPU
            return workError("train.non_finite", fmt::format("step {} was not finite", failure->step))
                .at(failure->tensor)
                .fix("lower train.lr");
        const double took = steadySeconds() - before;
        if (i == 0) {
            report.firstStepSeconds = took;
        } else {
            seconds.push_back(took);
            tokens += done.targetTokens;
        }
    }
    double sum = 0;
    for (const double one : seconds) sum += one;
    std::sort(seconds.begin(), seconds.end());
    report.steps = static_cast<int>(seconds.size());
    report.stepMedian = seconds[seconds.size() / 2];
    report.stepMin = seconds.front();
    report.stepMax = seconds.back();
    report.tokensPerSecond = static_cast<double>(tokens) / std::max(sum, 1e-9);
    return {};
}

/// A few pairs are scored and decoded; a whole evaluation takes as much longer as it has more of them.
Result<double> evaluationSeconds(const DryRunRequest& request, const text::Dataset& data, Trainer& trainer) {
    const auto pairs = std::min<std::int64_t>(kProbePairs, request.config.integer("eval.samples"));
    const std::vector<Override> few{{"eval.samples", std::to_string(pairs)}, {"eval.prompt_count", "0"}};
    KURVE_TRY(const RunConfig config, request.config.with(few));
    const Trainer::Evaluation guard(trainer);
    const Evaluator probe(data, config, request.device, {}, request.resolver.get());
    double begin = steadySeconds();
    (void)probe.validationLoss(trainer.model(), [] {});
    const double scoring = steadySeconds() - begin;
    if (pairs == 0) return scoring;
    begin = steadySeconds();
    KURVE_TRY(const auto seen, probe.evaluate(trainer.model(), {}, [] {}));
    (void)seen;
    const double decoding = std::max(0.0, steadySeconds() - begin - scoring) / static_cast<double>(pairs);
    const auto all = request.config.integer("eval.samples") + request.config.integer("eval.prompt_count");
    return scoring + decoding * static_cast<double>(all);
}

/// eval.every_seconds counts the time between evaluations, not the evaluations themselves.
void estimateTime(const DryRunRequest& request, DryRunReport& report) {
    const RunConfig& config = request.config;
    const auto everySteps = static_cast<double>(config.integer("eval.every_steps"));
    const double everySeconds = config.real("eval.every_seconds"), step = std::max(report.stepMedian, 1e-9);
    report.totalSteps = request.maxSteps > 0 ? request.maxSteps : config.integer("train.steps");
    double limit = request.maxSteps > 0 ? 0 : config.real("train.seconds");
    if (request.maxSeconds > 0) limit = limit > 0 ? std::min(limit, request.maxSeconds) : request.maxSeconds;
    if (limit > 0) {
        const double perStep =
            (everySteps > 0 ? 1 / everySteps : 0) + (everySeconds > 0 ? step / everySeconds : 0);
        const auto fitting = static_cast<std::int64_t>(std::max(0.0, limit - report.evaluationSeconds) /
                                                       (step + perStep * report.evaluationSeconds));
        report.totalSteps = report.totalSteps > 0 ? std::min(report.totalSteps, fitting) : fitting;
    }
    const auto total = static_cast<double>(report.totalSteps), training = total * report.stepMedian;
    const auto within = [](double all, double every) {
        return every > 0 ? static_cast<std::int64_t>(all / every) : 0;
    };
    report.evaluations = within(total, everySteps) + within(training, everySeconds) + 1;
    report.totalSeconds = training + static_cast<double>(report.evaluations) * report.evaluationSeconds;
    if (limit > 0) report.totalSeconds = std::min(report.totalSeconds, limit);
}

void estimateDisk(const DryRunRequest& request, DryRunReport& report) {
    const RunConfig& config = request.config;
    const double floats = config.real("train.ema_decay") > 0 ? 4 : 3;  // weights, two moments, the average
    report.checkpointMegabytes = floats * 4 * static_cast<double>(report.parameters) / 1e6;
    // One more while the next is written.
    const auto count = config.integer("checkpoint.keep_last") + config.integer("checkpoint.keep_best") + 1;
    report.retainedMegabytes = report.checkpointMegabytes * static_cast<double>(count);
    std::error_code failed;
    const auto space = fs::space(request.project, failed);
    if (!failed) report.freeMegabytes = static_cast<double>(space.available) / 1e6;
}

void warn(const DryRunRequest& request, DryRunReport& report) {
    const auto add = [&](std::string text) { report.warnings.push_back(std::move(text)); };
    if (report.freeMegabytes > 0 && report.retainedMegabytes > report.freeMegabytes)
        add(
            fmt::format("the checkpoints take up to {:.0f} MB and {:.0f} MB are free; lower "
                        "checkpoint.keep_last or free disk space",
                        report.retainedMegabytes, report.freeMegabytes));
    if (report.availableMegabytes > 0 && report.peakMegabytes > 0.8 * report.availableMegabytes)
        add(
            fmt::format("it takes {:.0f} MB of the {:.0f} MB of memory that are free; lower "
                        "train.batch_tokens",
                        report.peakMegabytes, report.availableMegabytes));
    const double evaluating = static_cast<double>(report.evaluations) * report.evaluationSeconds;
    if (evaluating > 0.5 * report.totalSeconds && report.totalSeconds > 0)
        add(fmt::format(
            "evaluations take about {:.0f} % of the time; raise {} or lower eval.samples",
            100 * std::min(1.0, evaluating / report.totalSeconds),
            request.config.real("eval.every_seconds") > 0 ? "eval.every_seconds" : "eval.every_steps"));
    const auto warmup = request.config.integer("train.warmup_steps");
    if (warmup > 0 && report.totalSteps > 0 && warmup >= report.totalSteps)
        add(
            fmt::format("the warm-up of {} is not over when the run ends after {}; lower "
                        "train.warmup_steps",
                        counted(warmup, "step"), report.totalSteps));
}

void noteMissingVectors(Trainer& trainer, const text::Dataset& data, DryRunReport& report) {
    const CorpusVectors* const vectors = trainer.model().corpusVectors();
    const std::int64_t missing = vectors == nullptr ? 0 : vectors->missing(data);
    if (missing == 0) return;
    report.warnings.push_back(
        fmt::format("the vectors of {} are computed before the first step, which the time does not include; "
                    "the measured steps compute theirs and are slower than later ones; kurve data vectors "
                    "computes them now",
                    counted(missing, "sentence")));
}

}  // namespace

Result<DryRunReport> dryRun(const DryRunRequest& request) {
    DryRunReport report;
    report.availableMegabytes = availableMegabytes();  // before the model takes its part
    KURVE_CHECKED(rerankerFor(request.resolver.get(), request.config));
    KURVE_CHECKED(resolveReferences(request.resolver.get(), request.config, /*forStart=*/true));
    const double begin = steadySeconds();
    KURVE_TRY(const text::Dataset loaded,
              text::prepareDataset(request.config, request.project, request.preparation));
    const auto data = std::make_shared<text::Dataset>(loaded);
    if (data->train.size() == 0)
        return requestError("data.empty", "the training split is empty").at("data.train");
    if (auto need =
            memoryNeed(*request.family, request.config, data, request.device, request.resolver.get())) {
        report.need = *need;
        if (auto problem = memoryProblem(*need, freeMemory(request.device)); problem && !request.force)
            return std::move(*problem);
    } else if (!request.force) {
        return need.error();
    }
    const std::vector<Override> checkpointing{{"train.activation_checkpointing", "true"}};
    KURVE_TRY(const RunConfig saving, request.config.with(checkpointing));
    if (auto need = memoryNeed(*request.family, saving, data, request.device, request.resolver.get()))
        report.checkpointed = *need;
    KURVE_TRY(auto trainer, makeTrainer(*request.family, request.config,
                                        {*data, request.device, request.threads, request.resolver.get()}));
    KURVE_CHECKED(takeInitialWeights(*trainer, request.config, *data, request.resolver.get()));
    report.warnings = placeWarnings(request.config, request.device);
    KURVE_CHECKED(trainer->model().checkTraining(data->train, report.warnings));
    noteMissingVectors(*trainer, *data, report);
    text::BatchStream batches(std::shared_ptr<const text::Split>(data, &data->train),
                              request.config.integer("train.batch_tokens"),
                              static_cast<std::uint64_t>(request.config.integer("seed")));
    report.prepareSeconds = steadySeconds() - begin;
    report.parameters = trainer->parameters().trainedCount() + trainer->parameters().frozenCount();
    KURVE_CHECKED(measureSteps(request, *trainer, batches, report));
    KURVE_TRY(report.evaluationSeconds, evaluationSeconds(request, *data, *trainer));
    report.peakMegabytes = peakMegabytes();
    estimateTime(request, report);
    estimateDisk(request, report);
    warn(request, report);
    return report;
}

}  // namespace kurve::train
