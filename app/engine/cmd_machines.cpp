#include <fmt/format.h>

#include <algorithm>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/version.h"
#include "core/remote/connection.h"
#include "core/remote/connection_errors.h"
#include "core/remote/machines.h"
#include "core/remote/project_name.h"
#include "core/wire/fields.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

json toJson(const remote::Machine& machine) {
    return {{"name", machine.name},
            {"host", machine.host},
            {"program", machine.program},
            {"folder", machine.folder}};
}

Status listMachines(const CommonOptions& common, Output& out) {
    KURVE_TRY(const store::Project project, projectFor(common, std::filesystem::current_path()));
    KURVE_TRY(const auto machines, remote::readMachines(project.folder()));
    json list = json::array();
    std::string text;
    for (const auto& machine : machines) {
        list.push_back(toJson(machine));
        text += fmt::format("{}  {}  {}\n", machine.name, machine.host, machine.folder);
    }
    out.result({{"machines", list}}, text.empty() ? "no machines: the project has no machines.toml" : text);
    return {};
}

struct Reached {
    remote::Machine machine;
    std::unique_ptr<remote::Connection> connection;
};
Result<Reached> reach(const CommonOptions& common, const std::string& name) {
    KURVE_TRY(const store::Project project, projectFor(common, std::filesystem::current_path()));
    KURVE_TRY(auto machine, remote::findMachine(project.folder(), name));
    KURVE_TRY(auto connection, remote::Connection::open(machine, remote::projectName(project.folder())));
    return Reached{std::move(machine), std::move(connection)};
}

std::string checkText(const json& document) {
    const wire::Fields said(document);
    std::string text =
        fmt::format("{} ({}) has kurve {} ({})\nfolder {}{}\n", said.text("machine"), said.text("host"),
                    said.text("version"), said.text("commit"), said.text("folder"),
                    said.flag("writable") ? "" : ", which cannot be written");
    if (said.has("free_bytes")) text += fmt::format("{:.1f} GB are free\n", said.number("free_bytes") / 1e9);
    for (const json& device : said.list("devices"))
        text += fmt::format("{}  {}\n", wire::Fields(device).text("id"), wire::Fields(device).text("title"));
    if (const auto why = said.text("unused_gpu"); !why.empty())
        text += fmt::format("no GPU is used there: {}\n", why);
    if (!said.flag("same_version")) text += fmt::format("this one is {}\n", versionText());
    if (const auto hint = said.text("install"); !hint.empty()) text += hint + "\n";
    return text;
}

Status checkMachine(const CommonOptions& common, const std::string& name, Output& out) {
    KURVE_TRY(const auto reached, reach(common, name));
    const auto& [machine, connection] = reached;
    KURVE_TRY(const auto described, connection->ask("describe", json::object()));
    json document = described.body;
    const wire::Fields hello(connection->hello());
    for (const char* key : {"version", "commit", "folder"}) document[key] = hello.text(key);
    document["protocol"] = hello.integer("protocol", 0);
    document["machine"] = machine.name;
    document["host"] = machine.host;
    document["reachable"] = true;
    const bool same = document["version"] == versionText();
    document["same_version"] = same;
    constexpr std::string_view kNone = "none: ";
    std::string gpu;
    for (const json& device : wire::Fields(described.body).list("devices"))
        if (const auto cuda = wire::Fields(device).text("cuda"); cuda.starts_with(kNone))
            gpu = cuda.substr(kNone.size());
    document["unused_gpu"] = gpu;
    const bool isBuiltForIt = gpu.empty() || gpu.starts_with("LibTorch");  // it finds no GPU
    document["install"] = same && isBuiltForIt ? "" : remote::installHint(machine);
    out.result(document, checkText(document));
    return {};
}

std::string runsText(const json& runs) {
    std::string text;
    for (const json& run : runs) {
        const wire::Fields said(run);
        text += fmt::format("{}  {}  {}  step {}  {}\n", said.text("id"), said.text("state"),
                            said.text("family"), said.integer<std::int64_t>("step", 0), said.text("name"));
    }
    return text.empty() ? "no runs there" : text;
}

Status listRunsThere(const CommonOptions& common, const std::string& name, Output& out) {
    KURVE_TRY(const auto reached, reach(common, name));
    const auto& [machine, connection] = reached;
    KURVE_TRY(const auto answer, connection->ask("runs", json::object()));
    const json& runs = wire::Fields(answer.body).list("runs");
    out.result({{"machine", machine.name}, {"runs", runs}}, runsText(runs));
    return {};
}

using MachineAction = Status (*)(const CommonOptions&, const std::string&, Output&);

}  // namespace

Action setupMachines(CLI::App& app) {
    app.require_subcommand(0, 1);
    auto name = std::make_shared<std::string>();
    std::vector<std::pair<CLI::App*, MachineAction>> actions;
    const auto add = [&](const char* word, const char* summary, MachineAction action) {
        CLI::App* sub = app.add_subcommand(word, summary);
        sub->fallthrough();
        sub->add_option("name", *name, "a machine of machines.toml")->required();
        actions.emplace_back(sub, action);
    };
    add("check", "whether it is reachable, its version, devices and free disk", checkMachine);
    add("runs", "list the project's runs there", listRunsThere);
    return [name, actions](const CommonOptions& common, Output& out) -> Status {
        for (const auto& [sub, action] : actions)
            if (sub->parsed()) return action(common, *name, out);
        return listMachines(common, out);
    };
}

}  // namespace kurve::engine
