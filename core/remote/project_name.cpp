#include "core/remote/project_name.h"

#include <toml++/toml.h>

#include "core/base/file.h"

namespace kurve::remote {

std::string projectName(const std::filesystem::path& project) {
    const auto text = readFile(project / "project.toml");
    if (!text) return {};
    try {
        return toml::parse(*text)["name"].value_or(std::string());
    } catch (const toml::parse_error&) {
        return {};
    }
}

}  // namespace kurve::remote
