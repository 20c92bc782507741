#include "app/engine/training_setup.h"

#include "app/engine/control_link.h"
#include "app/engine/platform.h"
#include "app/engine/run_resolver.h"
#include "core/base/clock.h"
#include "core/base/inside.h"
#include "core/schedule/schedule_file.h"
#include "core/train/corpus_vectors.h"
#include "core/train/follower.h"
#include "core/train/make_trainer.h"
#include "models/families.h"

namespace kurve::engine {

namespace fs = std::filesystem;

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

Result<Experiment> readExperiment(const CommonOptions& common, const std::string& experiment) {
    KURVE_TRY(const fs::path file, findExperiment(common, experiment));
    KURVE_TRY(const store::Project project, projectFor(common, file.parent_path()));
    KURVE_TRY(const RunConfig written,
              RunConfig::load(file.string(), models::schemaLookup(), overridesOf(common)));
    KURVE_TRY(const RunConfig config, schedule::withInlinedSchedules(written, project.folder()));
    return Experiment{file, project, config};
}

Status checkTrains(const Experiment& read, const TrainingJob& job) {
    const RunConfig& config = read.config;
    if (!models::findFamily(config.family())->trains()) return train::writesNoText(config);
    const bool endless = config.integer("train.steps") == 0 && config.real("train.seconds") == 0;
    if (endless && job.limits.maxSteps == 0 && job.limits.maxSeconds == 0)
        return requestError("train.no_end", "the experiment says neither how many steps nor how long")
            .in(read.file.string())
            .at("train.steps")
            .fix("set train.steps or train.seconds, or give --max-steps");
    return {};
}

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

std::shared_ptr<train::RunResolver> resolverAs(const std::string& newRun, const CommonOptions& common,
                                               const OpenRun& other, c10::Device device) {
    ReferringRun referring = ReferringRun::of(other);
    referring.id = newRun;
    return makeRunResolver(common, other.project, device, std::move(referring));
}

wire::Message errorOffering(const Error& error, std::optional<std::int64_t> checkpoint) {
    wire::Message event = train::errorEvent(error);
    if (checkpoint) event.body["checkpoint"] = *checkpoint;
    return event;
}

Result<TrainedRun> runSession(const CommonOptions& common, train::SessionRequest request) {
    catchStopSignals();
    request.threads = platform().threads;
    request.force = common.force;
    if (request.resolver == nullptr)
        request.resolver = makeRunResolver(common, request.project, request.device, {request.runId, {}, {}});
    request.preparation = preparationProgress(common);
    request.facts["environment"] =
        environmentText(request.device, request.maybeGroup ? request.maybeGroup->size() : 1);
    if (common.device == "auto" && !request.reproduces) request.maybeUnusedGpu = unusedGpu();
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

}  // namespace kurve::engine
