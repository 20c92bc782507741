#include "core/remote/machines.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/text.h"

namespace kurve::remote {
namespace {

namespace fs = std::filesystem;

Error errorAt(const char* code, std::string message, const fs::path& file, const toml::node& node) {
    return requestError(code, std::move(message))
        .in(file.string(), static_cast<int>(node.source().begin.line));
}

bool isPrintable(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

constexpr std::string_view kOwnFolder = "~/.local/share/kurve/projects/";

/// The file may come with somebody else's project: nothing of it may be written among the settings of
/// programs there, which lie in hidden folders (~/.ssh), nor by "..".
bool leadsToHidden(std::string folder) {
    if (folder.starts_with(kOwnFolder)) folder.erase(0, kOwnFolder.size());
    const auto names = split(folder, '/');
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.starts_with('.'); });
}

bool isDestination(const std::string& host) {
    return host.front() != '-' &&
           host.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_@:[]") ==
               host.npos;
}

/// What is wrong with a value; empty: nothing. A destination that begins with a dash would be an option of
/// ssh, which can run programs; what is quoted for the shell there must have no quote in it.
std::string problemOf(const std::string& key, const std::string& value) {
    if (!isPrintable(value)) return "is empty or has control characters";
    if (key == "host" && !isDestination(value)) return "is no ssh destination";
    if (key == "program" && value.starts_with("~/"))
        return "begins with ~/, which nothing there replaces: name it by its whole path";
    if (key == "program" && (value.front() == '-' || value.find('\'') != value.npos))
        return "is no name of a program";
    if (key == "folder" && value.front() != '/' && !value.starts_with("~/"))
        return "is neither an absolute path nor one below ~/";
    if (key == "folder" && leadsToHidden(value)) return "is in a hidden folder, or has .. in it";
    return {};
}

Status readKey(const fs::path& file, Machine& machine, const std::string& key, const toml::node& node) {
    const std::string field = machine.name + "." + key;
    std::string* const into = key == "host"      ? &machine.host
                              : key == "program" ? &machine.program
                              : key == "folder"  ? &machine.folder
                                                 : nullptr;
    if (into == nullptr)
        return errorAt("machines.unknown_key", "unknown key", file, node)
            .at(field)
            .fix("known are host, program and folder; ports, keys and users belong into ~/.ssh/config");
    const auto value = node.value<std::string>();
    const std::string problem = value ? problemOf(key, *value) : "is no text";
    if (!problem.empty())
        return errorAt("machines.bad_value", problem, file, node)
            .at(field)
            .fix("host = \"user@host\", program = \"kurve\", folder = \"~/kurve\"");
    *into = *value;
    return {};
}

Result<Machine> readMachine(const fs::path& project, const std::string& name, const toml::node& node) {
    const fs::path file = project / kMachinesFile;
    if (!node.is_table() || !isPlainName(name))
        return errorAt("machines.bad_value", "is no machine: a table with a plain name", file, node)
            .at(name)
            .fix("[gpu] and below it host = \"user@host\"");
    Machine machine{name, "", "kurve", defaultFolder(project)};
    for (const auto& [key, value] : *node.as_table())
        KURVE_CHECKED(readKey(file, machine, std::string(key.str()), value));
    if (machine.host.empty())
        return errorAt("machines.bad_value", "the machine has no host", file, node)
            .at(name + ".host")
            .fix("host = \"user@host\", or an alias of ~/.ssh/config");
    return machine;
}

}  // namespace

std::string defaultFolder(const fs::path& project) {
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(project, ignored);
    return fmt::format("{}{}-{}", kOwnFolder, folder.filename().string(),
                       sha256(folder.string()).substr(0, 8));
}

Result<std::vector<Machine>> parseMachines(const fs::path& project, const std::string& text) {
    const fs::path file = project / kMachinesFile;
    std::vector<Machine> machines;
    try {
        for (const auto& [name, node] : toml::parse(text, file.string())) {
            KURVE_TRY(auto machine, readMachine(project, std::string(name.str()), node));
            machines.push_back(std::move(machine));
        }
    } catch (const toml::parse_error& problem) {
        return requestError("machines.syntax", std::string(problem.description()))
            .in(file.string(), static_cast<int>(problem.source().begin.line));
    }
    return machines;
}

Result<std::vector<Machine>> readMachines(const fs::path& project) {
    const fs::path file = project / kMachinesFile;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return std::vector<Machine>();
    KURVE_TRY(const std::string text, readFile(file));
    return parseMachines(project, text);
}

Result<Machine> findMachine(const fs::path& project, const std::string& name) {
    KURVE_TRY(const auto machines, readMachines(project));
    std::vector<std::string> names;
    for (const auto& machine : machines) {
        if (machine.name == name) return machine;
        names.push_back(machine.name);
    }
    const auto near = nearestWord(name, names);
    return requestError("machines.unknown", fmt::format("there is no machine \"{}\"", name))
        .in((project / kMachinesFile).string())
        .fix(near            ? fmt::format("did you mean {}?", *near)
             : names.empty() ? fmt::format("write into it: [{}] and below it host = \"user@host\"", name)
                             : "known are " + join(names, ", "));
}

}  // namespace kurve::remote
