#include "app/engine/remote_server.h"

#include <unistd.h>

#include <cstdlib>

#include "app/engine/platform.h"
#include "app/engine/run_access.h"
#include "app/engine/run_list.h"
#include "core/base/version.h"
#include "core/remote/line.h"
#include "core/train/session_link.h"
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

}  // namespace

RemoteServer::RemoteServer(const CommonOptions& common) : common_(common), folder_(common.project) {}

wire::Message RemoteServer::answer(const wire::Message& request) {
    const Answer said = request.type == "hello" ? hello(request.body)
                        : folder_.empty()       ? Answer(requestError("remote.request", "hello comes first"))
                        : request.type == "describe" ? describe()
                        : request.type == "runs"
                            ? runs()
                            : Answer(requestError("remote.request", "there is no request " + request.type));
    if (!said) return train::errorEvent(said.error(), request.id);
    return {request.type, request.id, *said};
}

RemoteServer::Answer RemoteServer::hello(const json& body) {
    if (common_.project.empty()) {
        KURVE_TRY(folder_, expanded(wire::Fields(body).text("folder")));
        common_.project = folder_.string();
    }
    return json{{"protocol", remote::kServeProtocol},
                {"version", versionText()},
                {"commit", commitText()},
                {"folder", folder_.string()}};
}

RemoteServer::Answer RemoteServer::describe() {
    const fs::path there = existing(folder_);
    std::error_code unknown;
    const auto space = fs::space(there, unknown);
    return json{{"devices", describeDevices()},
                {"free_bytes", unknown ? json() : json(space.available)},
                {"writable", ::access(there.c_str(), W_OK) == 0}};
}

RemoteServer::Answer RemoteServer::runs() {
    json list = json::array();
    std::error_code ignored;
    if (!fs::exists(folder_, ignored)) return json{{"runs", list}};
    KURVE_TRY(const store::Project project, store::Project::open(folder_));
    KURVE_TRY(const auto index, indexOf(common_, project));
    KURVE_TRY(const auto changed, index->refresh());
    KURVE_TRY(const auto all, index->runs());
    for (const auto& run : all)
        if (!run.trashed) list.push_back(runJson(run));
    return json{{"runs", list}};
}

}  // namespace kurve::engine
