#include "app/engine/training_job.h"

#include <algorithm>
#include <set>
#include <thread>

#include "app/engine/control_link.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/replay_run.h"
#include "app/engine/run_access.h"
#include "app/engine/run_resolver.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/inside.h"
#include "core/schedule/schedule_file.h"
#include "core/store/run_mirror.h"
#include "core/train/common_fields.h"
#include "core/train/corpus_vectors.h"
#include "core/train/follower.h"
#include "core/train/make_trainer.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<fs::path> newRunFolder(const store::Project& project, const std::string& id) {
    constexpr std::size_t kMaxRunIdLength = 100;
    if (!isPlainName(id) || id.size() > kMaxRunIdLength)
        return requestError("run.bad_id", "\"" + id + "\" cannot be the name of a run")
            .at("--run")
            .fix("use letters, digits, dot, dash and underscore; begin with no dot or dash");
    const fs::path folder = project.runFolder(id);
    std::error_code ignored;
    if (fs::exists(folder, ignored))
        return requestError("run.exists", "the run \"" + id + "\" exists already")
            .in(folder.string())
            .at("--run")
            .fix("choose another id, or resume it: kurve resume " + id);
    return folder;
}

namespace {

Result<TrainedRun> runSession(const CommonOptions& common, train::SessionRequest request) {
    catchStopSignals();
    request.threads = platform().threads;
    request.force = common.force;
    if (request.resolver == nullptr)
        request.resolver = makeRunResolver(common, request.project, request.device, {request.runId, {}, {}});
    request.preparation = preparationProgress(common);
    request.facts["environment"] = environmentText(request.device);
    const fs::path folder = request.runFolder;
    const auto maybeGroup = request.maybeGroup;
    ControlLink link(common, request.runId);
    auto session = train::TrainingSession::begin(std::move(request), link);
    if (!session && session.error().code == train::kVectorsStopped) {
        if (maybeGroup) maybeGroup->abort(session.error());
        TrainedRun stopped;
        stopped.state = "cancelled";
        stopped.reason = session.error().text();
        stopped.stoppedByUser = true;
        return stopped;
    }
    if (!session) {
        if (common.events) link.emit(train::errorEvent(session.error()));
        return session.error();
    }
    if (const auto status = link.listen(folder); !status)  // training matters more than its socket
        link.emit(
            train::event("warning", {{"code", status.error().code}, {"message", status.error().text()}}));
    auto result = (*session)->run();
    session->reset();  // the run's lock goes with it
    if (common.events && result && result->failure) link.emit(train::errorEvent(*result->failure));
    link.close();
    return result;
}

// In the processes of `world`. Rank 0 tells the others why it ends, where it does not train.
Result<TrainedRun> runOnRanks(const CommonOptions& common, train::SessionRequest request,
                              const RankWorld& world) {
    request.device = world.device;
    request.maybeGroup = world.group;
    if (world.follows()) {
        request.threads = platform().threads;
        if (request.resolver == nullptr)
            request.resolver =
                makeRunResolver(common, request.project, request.device, {request.runId, {}, {}});
        KURVE_CHECKED(train::followTraining(request));
        return TrainedRun();
    }
    auto trained = runSession(common, std::move(request));
    if (!trained && world.group) world.group->abort(trained.error());
    return trained;
}

// The runs that `other` names, as it has pinned them, for a new run with its settings.
std::shared_ptr<train::RunResolver> resolverAs(const std::string& newRun, const CommonOptions& common,
                                               const OpenRun& other, c10::Device device) {
    ReferringRun referring = ReferringRun::of(other);
    referring.id = newRun;
    return makeRunResolver(common, other.project, device, std::move(referring));
}

// With the step of a sound checkpoint, which a studio offers.
void reportDamage(const Error& error, std::optional<std::int64_t> sound) {
    wire::Message event = train::errorEvent(error);
    if (sound) event.body["checkpoint"] = *sound;
    writeStandardOutput(wire::encode(event) + "\n");
}

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

struct Experiment {
    fs::path file;
    store::Project project;
    RunConfig config;
};

Result<Experiment> readExperiment(const CommonOptions& common, const std::string& experiment,
                                  const TrainingJob& job) {
    KURVE_TRY(const fs::path file, findExperiment(common, experiment));
    KURVE_TRY(const store::Project project, projectFor(common, file.parent_path()));
    KURVE_TRY(const RunConfig written,
              RunConfig::load(file.string(), models::schemaLookup(), overridesOf(common)));
    KURVE_TRY(const RunConfig config, schedule::withInlinedSchedules(written, project.folder()));
    if (!models::findFamily(config.family())->trains()) return train::writesNoText(config);
    const bool endless = config.integer("train.steps") == 0 && config.real("train.seconds") == 0;
    if (endless && job.limits.maxSteps == 0 && job.limits.maxSeconds == 0)
        return requestError("train.no_end", "the experiment says neither how many steps nor how long")
            .in(file.string())
            .at("train.steps")
            .fix("set train.steps or train.seconds, or give --max-steps");
    return Experiment{file, project, config};
}

// The checkpoint a fork began from: its own copy, or where that was pruned the parent's.
Result<ChosenCheckpoint> beginningOf(const CommonOptions& common, const OpenRun& fork) {
    KURVE_TRY(const auto reader, store::RunReader::open(fork.folder));
    const auto segments = reader->segments();
    if (!segments.empty())
        if (auto own = chooseCheckpoint(fork, std::to_string(segments.front().startStep - 1))) return own;
    const std::string& parent = fork.values.at("parent");
    const auto name = fork.values.find("parent_checkpoint");
    const auto gone = [&] {
        return requestError("reproduce.fork",
                            "the first checkpoint of the fork is gone, here and in " + parent)
            .fix("replay its end: kurve reproduce " + fork.id +
                 " --steps N; next time pin the checkpoint: kurve checkpoints " + parent + " --pin STEP");
    };
    CommonOptions there = common;
    there.project = fork.project.string();
    // The record names a run of this project and a checkpoint of it, never a path.
    if (!isFileName(parent) || name == fork.values.end() || !isFileName(name->second)) return gone();
    const fs::path folder = fork.project / "runs" / parent;
    if (!checkNoLink(folder)) return gone();
    const auto from = openRun(there, folder);
    if (!from) return gone();
    auto chosen = chooseCheckpoint(*from, name->second);
    if (!chosen) return gone();
    return chosen;
}

// Makes the run of `request` a fork of what `first` was forked from.
Status forkAgain(const CommonOptions& common, const OpenRun& first, train::SessionRequest& request) {
    KURVE_TRY(const ChosenCheckpoint from, beginningOf(common, first));
    for (const char* key : {"parent", "parent_checkpoint"})
        if (first.values.contains(key)) request.facts[key] = first.values.at(key);
    request.facts["environment"] = environmentText(request.device);
    request.preparation = preparationProgress(common);
    request.force = common.force;
    KURVE_CHECKED(train::forkCheckpoint(request, from.folder, from.state));
    KURVE_TRY(const auto made, store::RunReader::open(request.runFolder));
    KURVE_TRY(request.checkpoint, made->checkpoints().front().path.in(request.runFolder));
    return {};
}

}  // namespace

Result<train::DryRunReport> dryRunExperiment(const CommonOptions& common, const std::string& experiment,
                                             const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment, job));
    train::DryRunRequest request;
    request.family = models::findFamily(read.config.family());
    request.config = read.config;
    request.project = read.project.folder();
    KURVE_TRY(request.device, chooseDevice(common.device));
    request.threads = platform().threads;
    request.maxSteps = job.limits.maxSteps;
    request.maxSeconds = job.limits.maxSeconds;
    request.force = common.force;
    request.preparation = preparationProgress(common);
    request.resolver = makeRunResolver(common, request.project, request.device, {job.run, {}, {}});
    return train::dryRun(request);
}

Result<MemoryEstimate> estimateExperiment(const CommonOptions& common, const std::string& experiment,
                                          const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment, job));
    KURVE_TRY(const c10::Device device, chooseDevice(common.device));
    KURVE_TRY(text::Dataset data, text::preparedDataset(read.config, read.project.folder()));
    const auto resolver = makeRunResolver(common, read.project.folder(), device, {job.run, {}, {}});
    const int processes = std::max(1, job.ranks.processes);
    KURVE_TRY(const train::MemoryNeed need,
              train::memoryNeed(*models::findFamily(read.config.family()), read.config,
                                std::make_shared<const text::Dataset>(std::move(data)), device,
                                resolver.get(), {processes, device.is_cpu() ? processes : 1}));
    return MemoryEstimate{need, train::freeMemory(device), device.str()};
}

namespace {

// All but what the ranks have to meet for.
Result<train::SessionRequest> newRun(const Experiment& read, const TrainingJob& job) {
    const auto& [file, project, config] = read;
    train::SessionRequest request;
    request.runId = job.run.empty() ? newRunId() : job.run;
    KURVE_TRY(request.runFolder, newRunFolder(project, request.runId));
    request.family = models::findFamily(config.family());
    request.config = config;
    request.project = project.folder();
    request.name = config.name().empty() ? file.stem().string() : config.name();
    request.maxSteps = job.limits.maxSteps;
    request.maxSeconds = job.limits.maxSeconds;
    request.facts["experiment"] = file.filename().string();
    request.facts["task"] = fs::path(config.text("data.train")).stem().stem().string();
    return request;
}

struct Resumption {
    OpenRun run;
    train::SessionRequest request;
};

// What another machine still trains would go on twice under one name.
Status checkTrainedHere(const OpenRun& run) {
    const auto machine = run.values.find(store::kMachineKey), state = run.values.find("state");
    static const std::set<std::string> kEnds{"completed", "cancelled", "failed", "crashed"};
    if (machine == run.values.end() || (state != run.values.end() && kEnds.contains(state->second)))
        return {};
    return requestError("resume.machine", fmt::format("{} trains the run {}", machine->second, run.id))
        .fix(fmt::format("kurve follow {}; kurve fork {} continues a checkpoint here as a new run", run.id,
                         run.id));
}

Result<Resumption> resumption(const CommonOptions& common, const std::string& name,
                              const std::string& checkpoint, const TrainingJob& job) {
    KURVE_TRY(const OpenRun run, openRun(common, name));
    KURVE_CHECKED(checkTrainedHere(run));
    auto chosen = chooseCheckpoint(run, checkpoint);
    if (!chosen) {
        if (common.events) reportDamage(chosen.error(), intactCheckpoint(run, checkpoint));
        return chosen.error();
    }
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
    if (!newest || !kCutOff.contains(newest->state)) return std::string();
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

Result<TrainedRun> trainExperiment(const CommonOptions& common, const std::string& experiment,
                                   const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment, job));
    KURVE_TRY(auto request, newRun(read, job));
    KURVE_TRY(const RankWorld world, joinRanks(common, job.ranks));
    return runOnRanks(common, std::move(request), world);
}

Result<TrainedRun> resumeLatest(const CommonOptions& common, const std::string& experiment,
                                const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment, job));
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

Result<TrainedRun> reproduceRun(const CommonOptions& common, const std::string& name,
                                const TrainingJob& job) {
    KURVE_TRY(const OpenRun first, openRun(common, name));
    KURVE_TRY(const ChosenCheckpoint end, chooseCheckpoint(first, "last"));
    if (end.state.threads > 0 && end.state.threads != platform().threads)
        return requestError("reproduce.threads",
                            fmt::format("the run was trained with {} threads inside one operation, not {}",
                                        end.state.threads, platform().threads))
            .at("--threads")
            .fix(fmt::format("--threads {}", end.state.threads));
    KURVE_TRY(const store::Project project, store::Project::open(first.project));
    train::SessionRequest request;
    request.runId = job.run.empty() ? newRunId() : job.run;
    KURVE_TRY(request.runFolder, newRunFolder(project, request.runId));
    KURVE_CHECKED(checkTrainedAlone(end.state));
    const bool asBefore = common.device == "auto" && !end.state.device.empty();
    KURVE_TRY(request.device, chooseDevice(asBefore ? end.state.device : common.device));
    request.family = first.family;
    request.config = first.config;
    request.project = first.project;
    const auto title = first.values.find("name");
    request.name = (title == first.values.end() ? first.id : title->second) + " (again)";
    request.maxSteps = end.state.step;
    request.reproduces = train::Reproduction{end.state.plan, end.state.live, end.state.dataHash};
    for (const char* key : {"task", "experiment"})
        if (first.values.contains(key)) request.facts[key] = first.values.at(key);
    request.facts["reproduces"] = first.id;
    request.resolver = resolverAs(request.runId, common, first, request.device);
    if (first.values.contains("parent")) KURVE_CHECKED(forkAgain(common, first, request));
    return runSession(common, std::move(request));
}

Result<ForkedRun> forkRun(const CommonOptions& common, const std::string& name, const std::string& checkpoint,
                          const std::string& newRun) {
    KURVE_TRY(const OpenRun parent, openRun(common, name));
    KURVE_TRY(const ChosenCheckpoint from, chooseCheckpoint(parent, checkpoint));
    // It begins from its parent's weights, whatever those began from.
    std::vector<Override> changes{{train::kInitFrom, ""}, {"train.init_from_parameters", ""}};
    for (const Override& change : overridesOf(common)) changes.push_back(change);
    KURVE_TRY(const RunConfig written, parent.config.with(changes));
    if (!written.text(train::kInitFrom).empty())
        return requestError("fork.init_from", "a fork begins from the weights of its parent")
            .at(train::kInitFrom)
            .fix("train a new run from those weights: kurve train EXPERIMENT --set train.init_from=RUN");
    KURVE_TRY(const RunConfig config, schedule::withInlinedSchedules(written, parent.project));
    KURVE_TRY(const store::Project project, store::Project::open(parent.project));
    train::SessionRequest request;
    request.runId = newRun.empty() ? newRunId() : newRun;
    KURVE_TRY(request.runFolder, newRunFolder(project, request.runId));
    KURVE_TRY(request.device, chooseDevice("cpu"));
    request.family = parent.family;
    request.config = config;
    request.project = parent.project;
    const auto parentName = parent.values.find("name");
    request.name = (parentName == parent.values.end() ? parent.id : parentName->second) + " (fork)";
    request.force = common.force;
    request.preparation = preparationProgress(common);
    for (const char* key : {"task", "experiment"})
        if (parent.values.contains(key)) request.facts[key] = parent.values.at(key);
    request.facts["environment"] = environmentText(request.device);
    request.resolver = resolverAs(request.runId, common, parent, request.device);
    request.facts["parent"] = parent.id;
    request.facts["parent_checkpoint"] = from.folder.filename().string();
    KURVE_CHECKED(train::forkCheckpoint(request, from.folder, from.state));
    const std::int64_t step = from.state.optimizer ? from.state.step : 0;
    return ForkedRun{request.runId, step, train::StepPlan(config, step).total(step)};
}

nlohmann::json toJson(const TrainedRun& trained) {
    nlohmann::json metrics = nlohmann::json::object();
    for (const auto& [name, value] : trained.metrics) metrics[name] = jsonNumber(value);
    return {{"run", trained.run},
            {"state", trained.state},
            {"reason", trained.reason},
            {"steps", trained.steps},
            {"metrics", metrics},
            {"seconds", trained.seconds},
            {"tokens_per_second", trained.tokensPerSecond},
            {"checkpoint", trained.checkpoint}};
}

namespace {

/// The validation loss, or of a run without one its first validation metric; "-" before an evaluation.
std::pair<std::string, std::string> validationOf(const TrainedRun& trained) {
    auto found = trained.metrics.find("valid_loss");
    if (found == trained.metrics.end()) found = trained.metrics.lower_bound("valid_");
    if (found == trained.metrics.end() || !found->first.starts_with("valid_"))
        return {"validation loss", "-"};
    return {found->first == "valid_loss" ? "validation loss" : found->first,
            fmt::format("{:.5g}", found->second)};
}

std::string summaryOf(const TrainedRun& trained) {
    const auto loss = trained.metrics.find("loss");
    const auto [validation, value] = validationOf(trained);
    const fs::path folder = fs::path(trained.checkpoint).parent_path().parent_path();
    const auto row = [](const std::string& label, const std::string& number) {
        return fmt::format("{:<18}{:>12}\n", label, number);
    };
    return row("steps", std::to_string(trained.steps)) +
           row("last loss", loss == trained.metrics.end() ? "-" : fmt::format("{:.5g}", loss->second)) +
           row(validation, value) + row("tokens per second", fmt::format("{:.0f}", trained.tokensPerSecond)) +
           row("wall time", fmt::format("{:.1f} s", trained.seconds)) +
           fmt::format("run {} {} ({}); everything else: kurve runs, {}\n", trained.run, trained.state,
                       trained.reason, folder.string());
}

nlohmann::json megabytes(const train::MemoryNeed& need) {
    const auto mb = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
    return {{"total", mb(need.total())},
            {"weights", mb(need.weights)},
            {"gradients", mb(need.gradients)},
            {"optimizer", mb(need.optimizer)},
            {"activations", mb(need.activations)}};
}

}  // namespace

void report(const MemoryEstimate& estimate, Output& out) {
    const auto problem = train::memoryProblem(estimate.need, estimate.free);
    const nlohmann::json mb = megabytes(estimate.need);
    std::string text = fmt::format(
        "{} parameters; memory about {:.0f} MB: {:.0f} weights, {:.0f} gradients, {:.0f} optimizer, {:.0f} "
        "activations of a batch\n",
        estimate.need.parameters, mb["total"].get<double>(), mb["weights"].get<double>(),
        mb["gradients"].get<double>(), mb["optimizer"].get<double>(), mb["activations"].get<double>());
    if (estimate.free)
        text += fmt::format("{:.0f} MB are free on {}\n", static_cast<double>(*estimate.free) / 1e6,
                            estimate.device);
    nlohmann::json document{{"estimate", true}, {"parameters", estimate.need.parameters},
                            {"memory_mb", mb},  {"device", estimate.device},
                            {"fits", !problem}, {"free_memory_mb", nullptr}};
    if (estimate.free) document["free_memory_mb"] = static_cast<double>(*estimate.free) / 1e6;
    if (problem) {
        text += "warning: " + problem->text() + "\n";
        document["problem"] = problem->message;
    }
    out.result(document, text);
}

void report(const train::DryRunReport& measured, Output& out) {
    std::string text = fmt::format(
        "{} parameters, {:.3g} s a step ({:.3g} to {:.3g}), {:.0f} tokens/s\n"
        "memory {:.0f} MB (a training about {:.0f}, {:.0f} with activation checkpointing), checkpoints of "
        "{:.1f} "
        "MB\n"
        "{} and {} of {:.2g} s: about {:.0f} s\n",
        measured.parameters, measured.stepMedian, measured.stepMin, measured.stepMax,
        measured.tokensPerSecond, measured.peakMegabytes, static_cast<double>(measured.need.total()) / 1e6,
        static_cast<double>(measured.checkpointed.total()) / 1e6, measured.checkpointMegabytes,
        counted(measured.totalSteps, "step"), counted(measured.evaluations, "evaluation"),
        measured.evaluationSeconds, measured.totalSeconds);
    for (const auto& warning : measured.warnings) text += "warning: " + warning + "\n";
    out.result({{"dry_run", true},
                {"parameters", measured.parameters},
                {"steps", measured.steps},
                {"step_seconds",
                 {{"median", measured.stepMedian}, {"min", measured.stepMin}, {"max", measured.stepMax}}},
                {"first_step_seconds", measured.firstStepSeconds},
                {"prepare_seconds", measured.prepareSeconds},
                {"tokens_per_second", measured.tokensPerSecond},
                {"total_steps", measured.totalSteps},
                {"evaluation_seconds", measured.evaluationSeconds},
                {"evaluations", measured.evaluations},
                {"eta_seconds", measured.totalSeconds},
                {"peak_memory_mb", measured.peakMegabytes},
                {"expected_memory_mb", megabytes(measured.need)},
                {"checkpointed_memory_mb", megabytes(measured.checkpointed)},
                {"available_memory_mb", measured.availableMegabytes},
                {"checkpoint_mb", measured.checkpointMegabytes},
                {"checkpoints_mb", measured.retainedMegabytes},
                {"free_disk_mb", measured.freeMegabytes},
                {"warnings", measured.warnings}},
               text);
}

Status report(const TrainedRun& trained, Output& out, const std::string& machine) {
    if (trained.state.empty()) return {};
    if (trained.failure) return *trained.failure;
    if (trained.stoppedByUser) out.exitCode(130);
    nlohmann::json document = toJson(trained);
    document["machine"] = machine;
    out.result(document, summaryOf(trained));
    return {};
}

}  // namespace kurve::engine
