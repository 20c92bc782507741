#include "app/engine/remote_server.h"

#include <unistd.h>

#include <cstdlib>
#include <map>

#include "app/engine/detached_training.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/run_access.h"
#include "app/engine/run_list.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/remote/base64.h"
#include "core/remote/connection.h"
#include "core/remote/files.h"
#include "core/remote/project_name.h"
#include "core/remote/transfer.h"
#include "core/store/run_mirror.h"
#include "core/store/run_process.h"
#include "core/store/run_reader.h"
#include "core/wire/fields.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Result<fs::path> expanded(const std::string& folder) {
    if (folder.starts_with('/')) return fs::path(folder);
    const char* home = std::getenv("HOME");
    if (folder.starts_with("~/") && home != nullptr) return fs::path(home) / folder.substr(2);
    return requestError("machines.bad_value", "the project's folder is neither absolute nor below ~/")
        .at("folder");
}

/// The nearest folder upward that is there.
fs::path existing(fs::path folder) {
    std::error_code ignored;
    while (!fs::exists(folder, ignored) && folder != folder.parent_path()) folder = folder.parent_path();
    return folder;
}

Result<fs::path> placeToFill(const fs::path& project, const std::string& path, const std::string& hash) {
    if (!isPlainName(hash)) return requestError("remote.request", "has no hash").in(path);
    return remote::pathBelow(project, path);
}

/// "runs/ID" of a path in it; empty: it is in none.
std::string runOf(const std::string& path) {
    const auto names = split(path, '/');
    return names.size() > 2 && names[0] == "runs" ? "runs/" + names[1] : std::string();
}

/// run.db is sent last: where it is, the run is whole, and perhaps the original that still trains.
bool isOfRunThere(const fs::path& project, const std::string& path) {
    const std::string run = runOf(path);
    std::error_code ignored;
    return !run.empty() && fs::exists(project / run / "run.db", ignored);
}

Error refusedRun(const fs::path& project, const std::string& path) {
    return requestError("remote.reference", "the run is there with another " + path)
        .in((project / runOf(path)).string())
        .fix("delete the run there, where it is only a copy, or give this one another id");
}

}  // namespace

RemoteServer::RemoteServer(const CommonOptions& common) : common_(common), folder_(common.project) {}

RemoteServer::Handler RemoteServer::handlerOf(const std::string& type) {
    static const std::map<std::string, Handler> kHandlers{
        {"hello", &RemoteServer::hello},     {"describe", &RemoteServer::describe},
        {"runs", &RemoteServer::runs},       {"have", &RemoteServer::have},
        {"put", &RemoteServer::put},         {"start", &RemoteServer::start},
        {"resume", &RemoteServer::resume},   {"files", &RemoteServer::files},
        {"changes", &RemoteServer::changes}, {"fetch", &RemoteServer::fetch},
        {"digests", &RemoteServer::digests}, {"tell", &RemoteServer::tell}};
    const auto found = kHandlers.find(type);
    return found == kHandlers.end() ? nullptr : found->second;
}

wire::Message RemoteServer::answer(const wire::Message& request) {
    const Handler handler = handlerOf(request.type);
    const Answer said = handler == nullptr
                            ? Answer(requestError("remote.request", "there is no request " + request.type))
                        : folder_.empty() && request.type != "hello"
                            ? Answer(requestError("remote.request", "hello comes first"))
                            : (this->*handler)(request.body);
    if (!said) return {"error", request.id, errorJson(said.error()).at("error")};
    return {request.type, request.id, *said};
}

std::vector<wire::Message> RemoteServer::events() {
    std::vector<wire::Message> all;
    for (const auto& event : engine_.events()) {
        json body = event.body;
        body["type"] = event.type;
        if (!event.id.empty()) body["id"] = event.id;
        all.push_back({"engine", "", {{"event", std::move(body)}}});
    }
    return all;
}

Result<fs::path> RemoteServer::runFolder(const json& body) const {
    const std::string run = wire::Fields(body).text("run");
    if (!isPlainName(run)) return requestError("run.bad_id", "\"" + run + "\" is no name of a run");
    return pathInside(folder_, fs::path("runs") / run);
}

RemoteServer::Answer RemoteServer::hello(const json& body) {
    if (common_.project.empty()) {
        KURVE_TRY(folder_, expanded(wire::Fields(body).text("folder")));
        common_.project = folder_.string();
    }
    KURVE_CHECKED(checkFolder(wire::Fields(body).text("project")));
    std::error_code ignored;  // events of the engine have this path
    return json{{"protocol", remote::kServeProtocol},
                {"version", versionText()},
                {"commit", commitText()},
                {"folder", fs::weakly_canonical(folder_, ignored).string()}};
}

/// Files are sent only into the folder of the same project: an empty one becomes that.
Status RemoteServer::checkFolder(const std::string& project) const {
    const auto refused = [&](const std::string& what) {
        return requestError("remote.folder", what)
            .in(folder_.string())
            .fix("name another one: folder = in machines.toml");
    };
    std::error_code ignored;
    if (!fs::exists(folder_ / "project.toml", ignored)) {
        for (const auto& entry : fs::directory_iterator(folder_, ignored))
            if (!entry.path().filename().string().starts_with(".project.toml."))  // it began to arrive
                return refused("the folder there holds something else than a project");
        return {};
    }
    const std::string there = remote::projectName(folder_);
    if (!there.empty() && !project.empty() && there != project)
        return refused("the folder there is that of the project \"" + there + "\"");
    return {};
}

RemoteServer::Answer RemoteServer::describe(const json&) {
    const fs::path there = existing(folder_);
    std::error_code unknown;
    const auto space = fs::space(there, unknown);
    return json{{"devices", describeDevices()},
                {"free_bytes", unknown ? json() : json(space.available)},
                {"writable", ::access(there.c_str(), W_OK) == 0}};
}

RemoteServer::Answer RemoteServer::runs(const json&) {
    json list = json::array();
    std::error_code ignored;
    if (!fs::exists(folder_, ignored)) return json{{"runs", list}};
    KURVE_TRY(const store::Project project, store::Project::open(folder_));
    KURVE_TRY(const auto index, indexOf(common_, project));
    KURVE_TRY(const auto changed, index->refresh());
    KURVE_TRY(const auto all, index->runs());
    for (const auto& run : all) {
        if (run.trashed) continue;
        list.push_back(runJson(run));
        // A message is no longer than 8 MiB.
        for (const char* key : {"metrics", "settings", "notes", "references"}) list.back().erase(key);
    }
    return json{{"runs", list}};
}

RemoteServer::Answer RemoteServer::have(const json& body) {
    json missing = json::array();
    for (const json& file : wire::Fields(body).list("files")) {
        const std::string path = wire::Fields(file).text("path"), hash = wire::Fields(file).text("sha256");
        KURVE_TRY(const fs::path place, placeToFill(folder_, path, hash));
        std::error_code ignored;
        if (fs::is_regular_file(place, ignored)) {
            const auto there = sha256File(place);
            if (there && *there == hash) continue;
        }
        if (isOfRunThere(folder_, path)) {
            // Its record may have grown on either side; what a training builds on is in its checkpoints.
            if (!remote::RunFiles::checkpointOf(fs::path(path).lexically_relative(runOf(path))).empty())
                return refusedRun(folder_, path);
            continue;
        }
        missing.push_back({{"path", path}, {"offset", remote::ArrivingFile::arrived(place, hash)}});
    }
    return json{{"missing", missing}};
}

RemoteServer::Answer RemoteServer::put(const json& body) {
    const wire::Fields said(body);
    const std::string path = said.text("path"), hash = said.text("sha256");
    KURVE_TRY(const fs::path place, placeToFill(folder_, path, hash));
    if (isOfRunThere(folder_, path)) return refusedRun(folder_, path);
    KURVE_TRY(auto arriving, remote::openPatiently(place, hash));
    KURVE_TRY(const std::string data, remote::fromBase64(said.text("data")));
    const auto offset = said.integer<std::uint64_t>("offset", 0),
               bytes = said.integer<std::uint64_t>("bytes", 0);
    if (offset > 0 && arriving.bytes() == 0)  // another training may have sent the last of it
        if (const auto there = sha256File(place); there && *there == hash) {
            arriving.discard();
            return json{{"offset", bytes}};
        }
    if (offset == arriving.bytes()) KURVE_CHECKED(arriving.append(data));
    const std::uint64_t arrived = arriving.bytes();
    if (arrived < bytes) return json{{"offset", arrived}};
    KURVE_CHECKED(arriving.finish(hash));
    // Between two parts nobody holds what is being sent.
    arriving.discardOthers(std::chrono::hours(1));
    return json{{"offset", arrived}};
}

RemoteServer::Answer RemoteServer::start(const json& body) {
    KURVE_TRY(const fs::path folder, runFolder(body));
    std::error_code ignored;
    if (fs::exists(folder, ignored))
        return requestError("run.exists", "the run exists there already")
            .in(folder.string())
            .at("--run")
            .fix("choose another id, or follow it: kurve follow");
    const std::string id = folder.filename().string();
    std::vector<std::string> words{"train", "--run", id};
    for (auto& word : wire::Fields(body).texts("arguments")) words.push_back(std::move(word));
    KURVE_CHECKED(DetachedTraining{folder_, id}.start(words));
    return json::object();
}

RemoteServer::Answer RemoteServer::resume(const json& body) {
    KURVE_TRY(const fs::path folder, runFolder(body));
    const auto reader = store::RunReader::open(folder);
    if (!reader) return reader.error();
    const std::string id = folder.filename().string();
    if (DetachedTraining{folder_, id}.runs() || store::writerMayRun(folder, (*reader)->values()))
        return requestError("resume.running", "the run is being trained")
            .in(folder.string())
            .fix("kurve follow " + id);
    std::vector<std::string> words{"resume", id};
    for (auto& word : wire::Fields(body).texts("arguments")) words.push_back(std::move(word));
    KURVE_CHECKED(DetachedTraining{folder_, id}.start(words));
    return json::object();
}

RemoteServer::Answer RemoteServer::changes(const json& body) {
    KURVE_TRY(const fs::path folder, runFolder(body));
    const DetachedTraining training{folder_, folder.filename().string()};
    // Asked before the rows: what an engine writes last is among them once it is gone.
    const bool starting = training.runs();
    json outcome = training.outcome();
    std::map<std::string, std::string> values;
    if (const auto reader = store::RunReader::open(folder)) values = (*reader)->values();
    const bool alive = starting || store::writerMayRun(folder, values);
    if (alive) engine_.open(folder);
    json answer{{"alive", alive}, {"outcome", std::move(outcome)}, {"exists", false}};
    const auto changes = store::runChanges(folder, body.value("cursor", json()));
    if (!changes && changes.error().code == "store.missing") return answer;
    if (!changes) return changes.error();
    answer["exists"] = true;
    answer["database"] = remote::toBase64(changes->database);
    answer["cursor"] = changes->cursor;
    answer["complete"] = changes->complete;
    return answer;
}

RemoteServer::Answer RemoteServer::digests(const json& body) {
    KURVE_TRY(const fs::path folder, runFolder(body));
    KURVE_TRY(const json digests, store::runDigests(folder));
    return json{{"digests", digests}};
}

RemoteServer::Answer RemoteServer::files(const json& body) {
    KURVE_TRY(const fs::path folder, runFolder(body));
    json list = json::array();
    for (const auto& file : remote::filesBelow(folder))
        list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"modified", file.modified}});
    return json{{"files", list}};
}

RemoteServer::Answer RemoteServer::fetch(const json& body) {
    const wire::Fields said(body);
    KURVE_TRY(const fs::path folder, runFolder(body));
    KURVE_TRY(const auto entry, remote::entryOf(folder, said.text("path")));
    const fs::path file = folder / entry.path;
    const auto offset = said.integer<std::uint64_t>("offset", 0);
    KURVE_TRY(const std::string data, remote::readPart(file, offset, remote::kChunkBytes));
    json answer{{"data", remote::toBase64(data)}, {"bytes", entry.bytes}, {"modified", entry.modified}};
    if (offset + data.size() >= entry.bytes) {
        KURVE_TRY(answer["sha256"], sha256File(file));
    }
    return answer;
}

RemoteServer::Answer RemoteServer::tell(const json& body) {
    KURVE_TRY(const fs::path folder, runFolder(body));
    const json command = body.value("command", json());
    const wire::Fields said(command);
    wire::Message message{said.text("type"), said.text("id"), command};
    for (const char* key : {"type", "id"}) message.body.erase(key);
    if (!engine_.open(folder) || !engine_.send(message))
        return workError("wire.no_engine", "the engine that trains the run cannot be reached")
            .in(folder.string())
            .fix("try again when it has started or ended");
    return json::object();
}

}  // namespace kurve::engine
