#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kurve::store {

/// The file of a run that holds what git saw changed in the project when the run began.
inline constexpr const char* kProjectDiffFile = "project.diff";

/// The state of a project folder in git. Runs and the index are left out: they are results.
struct ProjectRevision {
    std::string commit, branch;                   ///< full hash; no branch where none is checked out
    std::vector<std::string> changed, untracked;  ///< paths below the project, at most 200 each
    std::string diff;      ///< for `git apply` in the repository's root on `commit`; at most 1 MiB
    bool complete = true;  ///< false: there is more of `diff` than is kept
};

/// Nothing for a folder that is in no repository, in one without a commit, or where git is missing or needs
/// longer than some seconds. Starts processes: not on the GUI thread.
[[nodiscard]] std::optional<ProjectRevision> projectRevision(const std::filesystem::path& project);

/// {"commit","branch","changed":[…],"untracked":[…],"complete"}: all but the diff itself.
[[nodiscard]] nlohmann::json toJson(const ProjectRevision& revision);

}  // namespace kurve::store
