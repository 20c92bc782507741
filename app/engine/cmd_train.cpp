#include "app/engine/commands.h"
#include "app/engine/control_link.h"
#include "app/engine/platform.h"
#include "app/engine/remote_training.h"
#include "app/engine/run_access.h"
#include "app/engine/training_job.h"
#include "core/base/clock.h"
#include "core/store/run_writer.h"
#include "core/train/session.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

struct Limits {
    std::int64_t maxSteps = 0;
    double maxSeconds = 0;
};

void addLimits(CLI::App& app, Limits& limits, const char* maxSteps) {
    app.add_option("--max-steps", limits.maxSteps, maxSteps)->check(CLI::PositiveNumber);
    app.add_option("--max-seconds", limits.maxSeconds, "time limit of this session (default: none)")
        ->check(CLI::PositiveNumber);
}

struct TrainRequest {
    std::string experiment, run, machine;
    bool dryRun = false, estimate = false, resumeLatest = false, noCheckpoints = false;
    Limits limits;
    RankOptions ranks;
};

Status train(const CommonOptions& common, const TrainRequest& request, Output& out) {
    TrainingJob job;
    job.limits = {request.limits.maxSteps, request.limits.maxSeconds};
    job.run = request.run;
    job.ranks = request.ranks;
    if (request.estimate) {
        KURVE_TRY(const MemoryEstimate estimate, estimateExperiment(common, request.experiment, job));
        report(estimate, out);
        return {};
    }
    if (request.dryRun && !request.machine.empty()) {
        KURVE_TRY(const auto measured, dryRunOnMachine(common, request.experiment, job, request.machine));
        reportDryRun(measured, out);
        return {};
    }
    if (request.dryRun) {
        KURVE_TRY(const auto measured, dryRunExperiment(common, request.experiment, job));
        reportDryRun(toJson(measured), out);
        return {};
    }
    if (!request.machine.empty()) {
        KURVE_TRY(const TrainedRun trained,
                  trainOnMachine(common, request.experiment, job, request.machine, !request.noCheckpoints));
        return report(trained, out, request.machine);
    }
    KURVE_TRY(const TrainedRun trained, request.resumeLatest
                                            ? resumeLatest(common, request.experiment, job)
                                            : trainExperiment(common, request.experiment, job));
    return report(trained, out);
}

struct ResumeRequest {
    std::string run, checkpoint = "last";
    Limits limits;
    RankOptions ranks;
};

Status resume(const CommonOptions& common, const ResumeRequest& request, Output& out) {
    TrainingJob job;
    job.limits = {request.limits.maxSteps, request.limits.maxSeconds};
    job.ranks = request.ranks;
    KURVE_TRY(const fs::path folder, findRun(common, request.run));
    if (const std::string machine = recordedMachine(folder); !machine.empty()) {
        KURVE_TRY(const TrainedRun trained, resumeOnMachine(common, folder, request.checkpoint, job));
        return report(trained, out, machine);
    }
    KURVE_TRY(const TrainedRun trained, resumeRun(common, request.run, request.checkpoint, job));
    return report(trained, out);
}

struct ForkRequest {
    std::string run, checkpoint = "last", newRun;
};

Status fork(const CommonOptions& common, const ForkRequest& request, Output& out) {
    KURVE_TRY(const ForkedRun made, forkRun(common, request.run, request.checkpoint, request.newRun));
    const auto& [id, step, total] = made;
    const std::string begins =
        fmt::format("{} begins at a checkpoint of {}: kurve resume {}", id, request.run, id);
    out.result({{"run", id}, {"parent", request.run}, {"step", step}, {"total_steps", total}},
               total > step
                   ? begins + " trains it"
                   : fmt::format("{} --max-steps {} trains it: its plan ends at step {}, and it is at "
                                 "step {}",
                                 begins, step + total, total, step));
    return {};
}

}  // namespace

Action setupTrain(CLI::App& app) {
    auto request = std::make_shared<TrainRequest>();
    app.add_option("experiment", request->experiment,
                   "experiment file, or its name in the project's experiments/")
        ->required();
    auto* run =
        app.add_option("--run", request->run, "id of the new run (default: time and four random digits)");
    auto* resumeLatest =
        app.add_flag(
               "--resume-latest", request->resumeLatest,
               "continue the experiment's latest run if it was cut off, else start a new one: for a job that "
               "is restarted")
            ->excludes(run);
    auto* dryRun = app.add_flag("--dry-run", request->dryRun,
                                "measure ten steps: step time, memory and total time; writes no run");
    auto* estimate = app.add_flag("--estimate", request->estimate,
                                  "only estimate the needed and the free memory; needs prepared data")
                         ->excludes(dryRun);
    addLimits(app, request->limits, "total number of steps (default: the experiment's)");
    addRankOptions(app, request->ranks)->excludes(dryRun);  // that is one process
    auto* machine = app.add_option("--machine", request->machine,
                                   "train on another machine, one of machines.toml, and follow it; with "
                                   "--dry-run measure there (default: here)")
                        ->excludes(estimate)
                        ->excludes(resumeLatest);
    app.add_flag("--no-checkpoints", request->noCheckpoints,
                 "with --machine: leave the last and the best checkpoint there (kurve fetch)")
        ->needs(machine);
    return [request](const CommonOptions& common, Output& out) { return train(common, *request, out); };
}

Action setupResume(CLI::App& app) {
    auto request = std::make_shared<ResumeRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--checkpoint", request->checkpoint, "last, best, a step or a folder");
    addLimits(app, request->limits,
              "total number of steps since the run's first, also beyond its plan (default: its plan)");
    addRankOptions(app, request->ranks);
    return [request](const CommonOptions& common, Output& out) { return resume(common, *request, out); };
}

Action setupFork(CLI::App& app) {
    auto request = std::make_shared<ForkRequest>();
    // CLI11 2.4 takes no argument with the name of an option ("run").
    app.add_option("parent", request->run, "run id or folder")->required();
    app.add_option("--checkpoint", request->checkpoint, "last, best, a step or a folder");
    app.add_option("--run", request->newRun, "id of the new run (default: time and four random digits)");
    return [request](const CommonOptions& common, Output& out) { return fork(common, *request, out); };
}

}  // namespace kurve::engine
