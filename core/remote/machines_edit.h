#pragma once

#include <filesystem>
#include <string>

#include "core/remote/machines.h"

namespace kurve::remote {

/// `text` (of machines.toml) with `machine` in place of the one called `before`; an empty `before` adds it at
/// the end. A program and a folder that are the defaults, or empty, are left out. Comments and the order of
/// the file stay. Errors: machines.* as of readMachines(); machines.bad_value for a name that is taken;
/// machines.syntax for a table that is written in another way than [name] and lines of keys.
Result<std::string> withMachine(const std::filesystem::path& project, const std::string& text,
                                const Machine& machine, const std::string& before);
/// Without the table [name], whose comments go with it. Errors: as above; machines.unknown.
Result<std::string> withoutMachine(const std::filesystem::path& project, const std::string& text,
                                   const std::string& name);

}  // namespace kurve::remote
