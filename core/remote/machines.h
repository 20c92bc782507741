#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::remote {

inline constexpr const char* kMachinesFile = "machines.toml";  ///< in the project folder

/// A machine that a user reaches by ssh: the table [name] of machines.toml.
struct Machine {
    std::string name;
    std::string host;               ///< ssh destination: "user@host" or an alias of the user's ssh config
    std::string program = "kurve";  ///< name or path of kurve there
    std::string folder;             ///< of the project there; "~/" is the home folder there
    bool operator==(const Machine&) const = default;
};

/// The machines of a project in the order of their names; none without the file. `folder` defaults to
/// defaultFolder(). Errors: io.*, machines.syntax,
/// machines.unknown_key, machines.bad_value (all with file, line and field).
Result<std::vector<Machine>> readMachines(const std::filesystem::path& project);
/// The same of a text that is to become the project's file.
Result<std::vector<Machine>> parseMachines(const std::filesystem::path& project, const std::string& text);
/// Machine::folder where the file names none: ~/.local/share/kurve/projects/<name>-<8 digits>, the name of
/// the project's folder here and the beginning of the SHA-256 of its absolute path, so that no two projects
/// of one machine share it.
[[nodiscard]] std::string defaultFolder(const std::filesystem::path& project);

/// Errors: as readMachines; machines.unknown (suggests the nearest name).
Result<Machine> findMachine(const std::filesystem::path& project, const std::string& name);

}  // namespace kurve::remote
