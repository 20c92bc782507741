// How a run goes on: the functions of training_job.h that resume one.
#include <algorithm>
#include <set>
#include <thread>

#include "app/engine/output.h"
#include "app/engine/run_resolver.h"
#include "app/engine/training_setup.h"
#include "core/base/clock.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

// Settings of a resumed run may only concern reporting: others would be another experiment.
Result<RunConfig> resumedConfig(const OpenRun& run, const CommonOptions& common) {
    for (const auto& [key, value] : overridesOf(common)) {
        const FieldSpec* field = run.config.schema().find(key);
        if (field != nullptr && field->affectsResult)
            return requestError("resume.settings", "a resumed run keeps its settings")
                .at(key)
                .fix("kurve fork " + run.id + " --set " + key + "=" + value + " starts a new run from it");
    }
    return run.config.with(overridesOf(common));
}

struct Resumption {
    OpenRun run;
    train::SessionRequest request;
};

Result<Resumption> resumption(const CommonOptions& common, const std::string& name,
                              const std::string& checkpoint, const TrainingJob& job) {
    KURVE_TRY(const OpenRun run, openRun(common, name));
    auto chosen = chooseCheckpoint(run, checkpoint);
    if (!chosen) {
        const auto sound = intactCheckpoint(run, checkpoint);
        if (sound) offerCheckpoint(*sound);
        if (common.events) writeStandardOutput(wire::encode(errorOffering(chosen.error(), sound)) + "\n");
        return chosen.error();
    }
    noteWithoutBest(common, run, checkpoint);
    train::SessionRequest request;
    KURVE_TRY(request.config, resumedConfig(run, common));
    request.runId = run.id;
    request.runFolder = run.folder;
    request.family = run.family;
    request.project = run.project;
    request.checkpoint = chosen->folder;
    request.maxSteps = job.limits.maxSteps;
    request.maxSeconds = job.limits.maxSeconds;
    return Resumption{run, std::move(request)};
}

Result<TrainedRun> resumeOnRanks(const CommonOptions& common, Resumption from, const RankWorld& world) {
    from.request.resolver =
        makeRunResolver(common, from.run.project, world.device, ReferringRun::of(from.run));
    return runOnRanks(common, std::move(from.request), world);
}

using MaybeRun = std::optional<store::RunSummary>;

MaybeRun newestWith(const RunConfig& config, std::vector<store::RunSummary> runs) {
    const std::string hash = config.contentHash();
    std::erase_if(runs, [&](const store::RunSummary& run) {
        return run.trashed || run.configHash != hash || !run.parent.empty() || !run.reproduces.empty() ||
               !run.machine.empty();
    });
    const auto newest = std::max_element(runs.begin(), runs.end(),
                                         [](const auto& a, const auto& b) { return a.started < b.started; });
    return newest == runs.end() ? std::nullopt : MaybeRun(*newest);
}

Error stillRuns(const std::string& id) {
    return requestError("resume.running", "the run \"" + id + "\" with these settings is running")
        .fix("stop it first, or leave --resume-latest out to train another one beside it");
}

// The newest run with these settings, when it is known whether it still runs: of one on another machine only
// its signs of life tell.
Result<MaybeRun> settledRun(const CommonOptions& common, const Experiment& read) {
    constexpr double kSeconds = 40;  // the index gives a run up after 30 s
    static const std::set<std::string> kRunning{"running", "paused", "stopping"};
    KURVE_TRY(const auto index, indexOf(common, read.project));
    std::string lastSign;
    const double end = steadySeconds() + kSeconds;
    while (true) {
        KURVE_TRY(const auto changed, index->refresh());
        KURVE_TRY(auto runs, index->runs());
        MaybeRun newest = newestWith(read.config, std::move(runs));
        if (!newest || !kRunning.contains(newest->state)) return newest;
        KURVE_TRY(const OpenRun run, openRun(common, read.project.runFolder(newest->id).string()));
        const auto sign = run.values.find("heartbeat_wall");
        const std::string now = sign == run.values.end() ? "" : sign->second;
        if ((!lastSign.empty() && now != lastSign) || steadySeconds() > end) return stillRuns(newest->id);
        lastSign = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
}

// The run to go on with; empty: none.
Result<std::string> cutOffRun(const CommonOptions& common, const Experiment& read) {
    static const std::set<std::string> kCutOff{"crashed", "lost_contact", "failed", "cancelled"};
    KURVE_TRY(const MaybeRun newest, settledRun(common, read));
    if (!newest) return std::string();
    // A session with --max-seconds ends as "completed", the run may have steps left.
    const bool unfinished = newest->state == "completed" && newest->step < newest->totalSteps;
    if (!unfinished && !kCutOff.contains(newest->state)) return std::string();
    KURVE_TRY(const OpenRun run, openRun(common, read.project.runFolder(newest->id).string()));
    return run.checkpoints.empty() ? std::string() : newest->id;
}

// Of several ranks rank 0 decides: each of them might see another state of the runs.
Result<std::string> agreedRun(const CommonOptions& common, const Experiment& read, const RankWorld& world) {
    std::string run;
    if (!world.follows()) {
        KURVE_TRY(run, cutOffRun(common, read));
    }
    if (!world.group) return run;
    try {
        return world.group->broadcast(run);
    } catch (const distributed::RankLost& lost) {
        return lost.error();
    }
}

Result<TrainedRun> trainLatest(const CommonOptions& common, const Experiment& read, const TrainingJob& job,
                               const RankWorld& world) {
    KURVE_TRY(const std::string run, agreedRun(common, read, world));
    if (run.empty()) {
        KURVE_TRY(auto request, newRun(read, job));
        return runOnRanks(common, std::move(request), world);
    }
    CommonOptions reporting = common;  // the others are the run's: it was found by them
    reporting.seed.reset();
    std::erase_if(reporting.sets, [&](const Override& change) {
        return read.config.schema().find(change.first)->affectsResult;
    });
    KURVE_TRY(auto from, resumption(reporting, read.project.runFolder(run).string(), "last", job));
    return resumeOnRanks(reporting, std::move(from), world);
}

}  // namespace

Result<TrainedRun> resumeLatest(const CommonOptions& common, const std::string& experiment,
                                const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment));
    KURVE_CHECKED(checkTrains(read, job));
    KURVE_TRY(const RankWorld world, joinRanks(common, job.ranks));
    auto trained = trainLatest(common, read, job, world);
    if (!trained && world.group) world.group->abort(trained.error());
    return trained;
}

Result<TrainedRun> resumeRun(const CommonOptions& common, const std::string& name,
                             const std::string& checkpoint, const TrainingJob& job) {
    KURVE_TRY(auto from, resumption(common, name, checkpoint, job));
    KURVE_TRY(const RankWorld world, joinRanks(common, job.ranks));
    return resumeOnRanks(common, std::move(from), world);
}

}  // namespace kurve::engine
