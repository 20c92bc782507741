#pragma once

#include <CLI/App.hpp>
#include <filesystem>

#include "core/base/result.h"

namespace kurve::engine {

/// Writes kurve.1 and kurve-COMMAND.1 of every command to `folder`, from the declarations that parse the
/// command line and make --help. `program` is complete: common options, defaults, examples. Errors: io.write.
Status writeManualPages(const CLI::App& program, const std::filesystem::path& folder);

}  // namespace kurve::engine
