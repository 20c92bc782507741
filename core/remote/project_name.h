#pragma once

#include <filesystem>
#include <string>

namespace kurve::remote {

/// What project.toml says the project's name is; empty where it says none or cannot be read.
[[nodiscard]] std::string projectName(const std::filesystem::path& project);

}  // namespace kurve::remote
