#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::engine {

/// A bundled project.
struct ProjectTemplate {
    std::string name;   ///< "sample", "blank"
    std::string title;  ///< what it is for, in a line
    std::int64_t bytes = 0;
};
/// Sorted by name.
[[nodiscard]] std::vector<ProjectTemplate> projectTemplates();

/// Copies a bundled project, its runs included, to `folder` and gives the project the folder's name. The
/// projects lie in share/kurve/projects of the program's installation, or in projects/ of the source tree it
/// was built in. It is whole or not there at all, unless `force` copies over what is there. Errors:
/// new.unknown_template, new.no_templates, new.exists (the folder is not empty and `force` is off),
/// new.no_room, io.write.
Status copyTemplate(const std::string& name, const std::filesystem::path& folder, bool force);

}  // namespace kurve::engine
