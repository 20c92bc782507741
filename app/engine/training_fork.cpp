// How a run begins as another one did: the functions of training_job.h that fork or reproduce one.
#include "app/engine/platform.h"
#include "app/engine/replay_run.h"
#include "app/engine/training_setup.h"
#include "core/base/inside.h"
#include "core/schedule/schedule_file.h"
#include "core/train/common_fields.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

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
    noteWithoutBest(common, parent, checkpoint);
    // It begins from its parent's weights, whatever those began from, and with the settings that held then.
    std::vector<Override> changes{{train::kInitFrom, ""}, {"train.init_from_parameters", ""}};
    for (const train::LiveChange& live : from.state.live) changes.emplace_back(live.key, live.value);
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

}  // namespace kurve::engine
