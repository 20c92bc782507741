#include "app/engine/remote_training.h"

#include <algorithm>
#include <set>
#include <thread>

#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/remote_follower.h"
#include "app/engine/run_access.h"
#include "app/engine/training_setup.h"
#include "core/base/clock.h"
#include "core/base/inside.h"
#include "core/remote/project_name.h"
#include "core/store/run_process.h"
#include "core/store/run_reader.h"
#include "core/text/dataset.h"
#include "core/wire/fields.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using remote::SentFile;

void addFolder(const fs::path& project, const std::string& folder, std::vector<SentFile>& files) {
    for (const auto& entry : remote::filesBelow(project / folder))
        files.push_back({project / folder / entry.path, folder + "/" + entry.path});
}

/// A run that the settings name, with its own references; traces and evaluations are not needed to build on
/// it.
Status addRun(const fs::path& project, const std::string& value, const std::string& machine,
              std::vector<SentFile>& files) {
    const std::string id = value.substr(0, value.find('@')), folder = "runs/" + id;
    std::error_code ignored;
    if (!isPlainName(id) || !fs::exists(project / folder, ignored)) return {};  // the training there says it
    std::map<std::string, std::string> values;
    if (const auto reader = store::RunReader::open(project / folder)) values = (*reader)->values();
    if (store::writerMayRun(project / folder, values)) {
        if (values[store::kMachineKey] == machine) return {};  // it trains there, and is followed
        return requestError("remote.reference", "the run " + id + " is being written")
            .fix("wait until it has ended");
    }
    std::vector<SentFile> all;
    addFolder(project, folder, all);
    std::erase_if(all, [&](const SentFile& file) {
        const std::string inside = file.path.substr(folder.size() + 1);
        return inside.starts_with("traces/") || inside.starts_with("trash/") ||
               inside.starts_with("sweeps/") || inside.starts_with("evaluations/");
    });
    files.insert(files.end(), all.begin(), all.end());
    KURVE_TRY(auto record, store::runSnapshot(project / folder));
    files.push_back({project / folder / "run.db", folder + "/run.db",  // last: where it is, the run is whole
                     std::make_shared<const std::string>(std::move(record))});
    return {};
}

/// Of a training or a resumption.
std::vector<std::string> argumentsOf(const CommonOptions& common, const TrainingJob& job) {
    std::vector<std::string> all;
    const auto add = [&](const char* option, const std::string& value) {
        all.emplace_back(option);
        all.push_back(value);
    };
    for (const auto& [key, value] : common.sets) add("--set", key + "=" + value);
    if (common.seed) add("--seed", std::to_string(*common.seed));
    add("--device", common.device);
    if (common.threads > 0) add("--threads", std::to_string(common.threads));
    if (job.limits.maxSteps > 0) add("--max-steps", std::to_string(job.limits.maxSteps));
    if (job.limits.maxSeconds > 0) add("--max-seconds", fmt::format("{}", job.limits.maxSeconds));
    if (job.ranks.processes > 0) add("--nproc", std::to_string(job.ranks.processes));
    if (common.force) all.emplace_back("--force");
    return all;
}

/// Sends what is missing; a connection that breaks is opened again a few times.
Status sendAll(const FollowedRun& followed, std::unique_ptr<remote::Connection>& connection,
               const std::vector<SentFile>& files, ControlLink& link) {
    constexpr int kTries = 5;
    const auto progress = stoppableTransfer(link);
    for (int i = 1;; ++i) {
        const Status sent = remote::sendFiles(*connection, files, std::cref(progress));
        if (sent || !connection->isBroken() || i == kTries) return sent;
        logLine("kurve: " + sent.error().text());
        std::this_thread::sleep_for(std::chrono::seconds(i));
        KURVE_TRY(connection, remote::Connection::open(followed.machine, followed.project));
    }
}

Result<TrainedRun> follow(const CommonOptions& common, FollowedRun followed,
                          std::unique_ptr<remote::Connection> connection, ControlLink& link) {
    RemoteFollower follower(common, std::move(followed), std::move(connection), link);
    auto result = follower.run();
    const auto intact = follower.intactCheckpoint();
    if (intact) offerCheckpoint(*intact);
    if (common.events && !result) link.emit(train::errorEvent(result.error()));
    if (common.events && result && result->failure) link.emit(errorOffering(*result->failure, intact));
    link.close();
    return result;
}

/// Runs that the machine trained itself, unless another machine has its name now.
Status dropItsOwn(const fs::path& project, const std::string& machine, remote::Connection& connection,
                  std::vector<SentFile>& files) {
    const auto runOf = [](const SentFile& file) { return fs::path(file.path).parent_path(); };
    std::set<std::string> own;
    for (const SentFile& file : files) {
        if (!file.maybeContent || recordedMachine(project / runOf(file)) != machine) continue;  // its run.db
        // It is sent last: where it is, the run is whole.
        const json record{{"path", file.path}, {"sha256", "any"}};
        KURVE_TRY(const auto answer, connection.ask("have", {{"files", json::array({record})}}));
        if (wire::Fields(answer.body).list("missing").empty()) own.insert(runOf(file).string() + "/");
    }
    std::erase_if(files, [&](const SentFile& file) {
        return std::ranges::any_of(own, [&](const std::string& run) { return file.path.starts_with(run); });
    });
    return {};
}

Status connectAndSend(const CommonOptions& common, const Experiment& sent, const FollowedRun& followed,
                      std::unique_ptr<remote::Connection>& connection, ControlLink& link) {
    KURVE_TRY(auto files, filesToSend(common, sent.file.string(), followed.machine.name));
    KURVE_TRY(connection, remote::Connection::open(followed.machine, followed.project));
    KURVE_CHECKED(dropItsOwn(sent.project.folder(), followed.machine.name, *connection, files));
    KURVE_CHECKED(remote::hashFiles(files));
    return sendAll(followed, connection, files, link);
}

/// Of `kurve train`.
std::vector<std::string> trainArguments(const CommonOptions& common, const TrainingJob& job,
                                        const Experiment& sent) {
    std::vector<std::string> all = argumentsOf(common, job);
    all.push_back("experiments/" + sent.file.filename().string());  // as filesToSend() names it
    return all;
}

/// A connection that breaks before the answer is no failure: whoever follows is told whether it trains.
Status begin(const CommonOptions& common, const Experiment& sent, const TrainingJob& job,
             const FollowedRun& followed, std::unique_ptr<remote::Connection>& connection,
             ControlLink& link) {
    KURVE_CHECKED(connectAndSend(common, sent, followed, connection, link));
    const auto answer =
        connection->ask("start", {{"run", followed.run}, {"arguments", trainArguments(common, job, sent)}});
    if (answer || connection->isBroken()) return {};
    return answer.error();
}

/// A connection that breaks is opened again a few times; then a run that trains has been resumed before.
Status beginAgain(const FollowedRun& followed, const std::vector<std::string>& arguments,
                  std::unique_ptr<remote::Connection>& connection, const ControlLink& link) {
    constexpr int kTries = 5;
    const std::string perhaps = "kurve follow " + followed.run + " follows it if it trains there now";
    for (int i = 1;; ++i) {
        if (!link.stopReason().empty()) return workError("cancelled", "cancelled").fix(i > 1 ? perhaps : "");
        auto opened = remote::Connection::open(followed.machine, followed.project);
        if (!opened && i == 1) return opened.error();
        Error broken = opened ? Error() : opened.error();
        if (opened) {
            connection = std::move(*opened);
            const auto answer = connection->ask("resume", {{"run", followed.run}, {"arguments", arguments}});
            if (answer || (i > 1 && answer.error().code == "resume.running")) return {};
            if (!connection->isBroken()) return answer.error();
            broken = answer.error();
        }
        if (i == kTries) return std::move(broken).fix(perhaps);
        std::this_thread::sleep_for(std::chrono::seconds(i));
    }
}

/// An interrupt before the training there is no failure.
Result<TrainedRun> notBegun(const CommonOptions& common, const Error& why, ControlLink& link) {
    if (why.code != "cancelled") {
        if (common.events) link.emit(train::errorEvent(why));
        return why;
    }
    TrainedRun stopped;
    stopped.state = "cancelled";
    stopped.reason = why.text();
    stopped.stoppedByUser = true;
    return stopped;
}

/// Of a run that this command begins, or goes on with; `folder`: of its copy.
FollowedRun startedRun(const store::Project& project, const fs::path& folder, remote::Machine machine) {
    return {std::move(machine), remote::projectName(project.folder()), folder.filename().string(), folder,
            /*started=*/true};
}

/// Of a command that writes no run: what it printed when it has ended.
Result<json> outcomeOf(const FollowedRun& followed, remote::Connection& connection, const ControlLink& link) {
    while (link.stopReason().empty()) {
        KURVE_TRY(const auto answer, connection.ask("changes", {{"run", followed.run}}));
        if (wire::Fields(answer.body).flag("alive")) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            continue;
        }
        json outcome = answer.body.value("outcome", json());
        if (auto failure = failureThere(followed.machine, outcome)) return *std::move(failure);
        if (outcome.is_object()) return outcome;
        return workError("remote.ended", followed.machine.name + ": the command ended without a word");
    }
    return workError("cancelled", "cancelled");
}

}  // namespace

Result<std::vector<SentFile>> filesToSend(const CommonOptions& common, const std::string& experiment,
                                          const std::string& machine) {
    KURVE_TRY(const Experiment sent, readExperiment(common, experiment));
    const fs::path& project = sent.project.folder();
    std::vector<SentFile> files{{project / "project.toml", "project.toml"},
                                {sent.file, "experiments/" + sent.file.filename().string()}};
    addFolder(project, "schedules", files);
    addFolder(project, "data/tokenizers", files);
    for (const std::string& corpus : text::corpusFiles(sent.config))
        if (fs::path(corpus).is_relative())
            files.push_back({project / corpus, fs::path(corpus).lexically_normal().generic_string()});
    for (const FieldSpec& field : sent.config.schema().fields)
        if (field.type == FieldType::Run && !sent.config.text(field.key).empty())
            KURVE_CHECKED(addRun(project, sent.config.text(field.key), machine, files));
    return files;
}

Result<TrainedRun> trainOnMachine(const CommonOptions& common, const std::string& experiment,
                                  const TrainingJob& job, const std::string& machine, bool checkpoints) {
    catchStopSignals();
    KURVE_TRY(const Experiment sent, readExperiment(common, experiment));
    KURVE_TRY(const fs::path folder, newRunFolder(sent.project, job.run.empty() ? newRunId() : job.run));
    KURVE_TRY(auto found, remote::findMachine(sent.project.folder(), machine));
    FollowedRun followed = startedRun(sent.project, folder, std::move(found));
    followed.checkpoints = checkpoints;
    ControlLink link(common, followed.run);
    std::unique_ptr<remote::Connection> connection;
    const Status begun = begin(common, sent, job, followed, connection, link);
    if (!begun) return notBegun(common, begun.error(), link);
    return follow(common, std::move(followed), std::move(connection), link);
}

Result<json> dryRunOnMachine(const CommonOptions& common, const std::string& experiment,
                             const TrainingJob& job, const std::string& machine) {
    catchStopSignals();
    KURVE_TRY(const Experiment sent, readExperiment(common, experiment));
    KURVE_TRY(auto found, remote::findMachine(sent.project.folder(), machine));
    const FollowedRun followed =
        startedRun(sent.project, sent.project.runFolder(newRunId()), std::move(found));
    ControlLink link(common, followed.run);
    std::unique_ptr<remote::Connection> connection;
    KURVE_CHECKED(connectAndSend(common, sent, followed, connection, link));
    std::vector<std::string> arguments = trainArguments(common, job, sent);
    arguments.emplace_back("--dry-run");
    KURVE_TRY(const auto started,
              connection->ask("start", {{"run", followed.run}, {"arguments", arguments}}));
    KURVE_TRY(json outcome, outcomeOf(followed, *connection, link));
    outcome["machine"] = machine;
    return outcome;
}

Result<TrainedRun> resumeOnMachine(const CommonOptions& common, const fs::path& folder,
                                   const std::string& checkpoint, const TrainingJob& job) {
    catchStopSignals();
    KURVE_TRY(const store::Project project, projectFor(common, folder));
    auto machine = machineOfRun(project.folder(), folder, "");
    if (!machine)
        return Error(machine.error())
            .fix(machine.error().remedy + "; kurve fork " + folder.filename().string() +
                 " continues a fetched checkpoint here as a new run");
    FollowedRun followed = startedRun(project, folder, std::move(*machine));
    ControlLink link(common, followed.run);
    std::unique_ptr<remote::Connection> connection;
    std::vector<std::string> arguments = argumentsOf(common, job);
    fs::path named = checkpoint;  // perhaps its folder here, which has another path there
    if (!named.has_filename()) named = named.parent_path();
    arguments.insert(arguments.end(), {"--checkpoint", named.filename().string()});
    const Status begun = beginAgain(followed, arguments, connection, link);
    if (!begun) return notBegun(common, begun.error(), link);
    return follow(common, std::move(followed), std::move(connection), link);
}

std::string recordedMachine(const fs::path& folder) {
    const auto reader = store::RunReader::open(folder);
    if (!reader) return {};
    const auto values = (*reader)->values();
    const auto found = values.find(store::kMachineKey);
    return found == values.end() ? std::string() : found->second;
}

Result<remote::Machine> machineOfRun(const fs::path& project, const fs::path& folder,
                                     const std::string& name) {
    if (!name.empty()) {
        KURVE_CHECKED(store::checkMirrorOf(folder, name));
        return remote::findMachine(project, name);
    }
    const std::string recorded = recordedMachine(folder);
    if (recorded.empty())
        return requestError("remote.no_machine", "the run names no machine that trains it")
            .in(folder.string())
            .fix("name it: --machine NAME");
    return remote::findMachine(project, recorded);
}

Result<TrainedRun> followOnMachine(const CommonOptions& common, const store::Project& project,
                                   const std::string& run, const remote::Machine& machine, bool checkpoints) {
    catchStopSignals();
    const std::string name = remote::projectName(project.folder());
    KURVE_TRY(auto connection, remote::Connection::open(machine, name));
    ControlLink link(common, run);
    return follow(common, {machine, name, run, project.runFolder(run), false, checkpoints},
                  std::move(connection), link);
}

}  // namespace kurve::engine
