#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/remote_follower.h"
#include "app/engine/remote_training.h"
#include "app/engine/run_access.h"
#include "core/base/counted.h"
#include "core/remote/project_name.h"
#include "core/remote/transfer.h"

namespace kurve::engine {
namespace {

struct FollowRequest {
    std::string run, machine;
    bool noCheckpoints = false;
};

Status followRun(const CommonOptions& common, const FollowRequest& request, Output& out) {
    KURVE_TRY(const store::Project project, projectFor(common, std::filesystem::current_path()));
    const std::string id = std::filesystem::path(request.run).filename().string();
    KURVE_TRY(const auto machine, machineOfRun(project.folder(), project.runFolder(id), request.machine));
    KURVE_TRY(const TrainedRun trained,
              followOnMachine(common, project, id, machine, !request.noCheckpoints));
    return report(trained, out, machine.name);
}

struct FetchRequest {
    std::string run, machine;
    std::vector<std::string> paths;
};

/// The folders and files that the arguments mean; empty: all. Errors: checkpoint.missing.
Result<std::set<std::string>> namedPaths(const CommonOptions& common, const FetchRequest& request,
                                         const std::filesystem::path& folder) {
    std::set<std::string> named;
    for (const std::string& path : request.paths) {
        named.insert(path.substr(0, path.find_last_not_of('/') + 1));
        // A checkpoint comes whole.
        if (const auto checkpoint = remote::RunFiles::checkpointOf(path); !checkpoint.empty())
            named.insert(checkpoint);
    }
    for (const char* which : {"last", "best"}) {
        if (named.erase(which) == 0) continue;
        const auto meant = recordedCheckpoints(common, folder, {which});
        if (meant.empty())
            return requestError("checkpoint.missing", "the run has no checkpoint").in(folder.string());
        named.insert(meant.begin(), meant.end());
    }
    return named;
}

bool isNamed(const std::set<std::string>& named, const std::string& path) {
    return named.empty() || named.contains(path) || named.contains(remote::RunFiles::checkpointOf(path)) ||
           named.contains(path.substr(0, path.find('/')));
}

Status fetchFiles(const CommonOptions& common, const FetchRequest& request, Output& out) {
    catchStopSignals();
    KURVE_TRY(const auto folder, findRun(common, request.run));
    KURVE_TRY(const store::Project project, projectFor(common, folder));
    KURVE_TRY(const auto machine, machineOfRun(project.folder(), folder, request.machine));
    KURVE_TRY(const auto named, namedPaths(common, request, folder));
    KURVE_TRY(const auto connection,
              remote::Connection::open(machine, remote::projectName(project.folder())));
    const remote::RunFiles files(folder.filename().string(), folder);
    const auto wanted = [&](const std::string& path) { return isNamed(named, path); };
    ControlLink link(common, folder.filename().string());
    const auto fetched = files.fetchAll(*connection, wanted, stoppableTransfer(link));
    link.close();
    if (!fetched && fetched.error().code == "cancelled") {
        logLine("kurve: " + fetched.error().text());
        out.exitCode(130);
        return {};
    }
    if (!fetched) return fetched.error();
    const auto here = remote::filesBelow(folder);
    for (const std::string& name : named)
        if (name != "traces" &&  // all that there are
            std::none_of(here.begin(), here.end(),
                         [&](const auto& file) { return isNamed({name}, file.path); }))
            return requestError("checkpoint.missing", fmt::format("{} has no {}", machine.name, name))
                .in(folder.string())
                .fix(
                    "name checkpoints/step-00004000 or traces, or nothing for all; kurve follow brings the "
                    "record up to date");
    std::uint64_t bytes = 0;
    for (const auto& file : *fetched) bytes += file.bytes;
    out.result({{"run", folder.filename().string()},
                {"machine", machine.name},
                {"files", fetched->size()},
                {"bytes", bytes}},
               fetched->empty() ? "everything is here"
                                : fmt::format("{} of {} fetched, {:.1f} MB",
                                              counted(static_cast<std::int64_t>(fetched->size()), "file"),
                                              machine.name, static_cast<double>(bytes) / 1e6));
    return {};
}

}  // namespace

Action setupFollow(CLI::App& app) {
    auto request = std::make_shared<FollowRequest>();
    app.add_option("run", request->run, "id of the run there")->required();
    app.add_option("--machine", request->machine,
                   "machine of machines.toml (default: the one that the run's copy here names)");
    app.add_flag("--no-checkpoints", request->noCheckpoints,
                 "leave the last and the best checkpoint there when the training has ended (kurve fetch)");
    return [request](const CommonOptions& common, Output& out) { return followRun(common, *request, out); };
}

Action setupFetch(CLI::App& app) {
    auto request = std::make_shared<FetchRequest>();
    app.add_option("run", request->run, "run id or folder: a copy that kurve follow has made")->required();
    app.add_option("paths", request->paths,
                   "checkpoints/NAME, traces/NAME, checkpoints, traces, last or best (default: all)");
    app.add_option("--machine", request->machine,
                   "machine of machines.toml (default: the one that the run's copy here names)");
    return [request](const CommonOptions& common, Output& out) { return fetchFiles(common, *request, out); };
}

}  // namespace kurve::engine
