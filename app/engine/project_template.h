#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::engine {

/// Names of the bundled projects ("sample", "blank").
[[nodiscard]] std::vector<std::string> projectTemplates();

/// Copies a bundled project, its runs included, to `folder` and gives the project the folder's name. The
/// projects lie in share/kurve/projects of the program's installation, or in projects/ of the source tree it
/// was built in. Errors: new.unknown_template, new.no_templates, new.exists (the folder is not empty and
/// `force` is off), io.write.
Status copyTemplate(const std::string& name, const std::filesystem::path& folder, bool force);

}  // namespace kurve::engine
