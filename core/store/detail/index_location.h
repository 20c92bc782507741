#pragma once

#include <filesystem>
#include <string>

#include "core/store/project.h"

namespace kurve::store::detail {

/// Where a project's index lies, and what people are to know about it.
struct IndexLocation {
    std::filesystem::path file;      ///< empty: in memory
    std::string notice;              ///< empty: it lies in the project
    Error refusal;                   ///< of marks, where it is in memory
    bool onNetwork = false;          ///< the project's own index.db is read as it lies
    std::filesystem::path outlived;  ///< one from when the project lay on a network; empty: none
};

/// In the project; in memory where that may not be written; in the user's own folder where the project lies
/// on a network file system, and in memory again if that folder does too or may not be written.
[[nodiscard]] IndexLocation locateIndex(const std::filesystem::path& projectFolder, const IndexPaths& paths);

/// Moves a database to a name that nothing has yet, FILE.damaged, .damaged2, …; returns it.
std::filesystem::path putAside(const std::filesystem::path& file);

}  // namespace kurve::store::detail
