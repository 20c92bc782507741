#include "core/store/project.h"

#include <toml++/toml.h>

#include <algorithm>

#include "core/base/file.h"

namespace kurve::store {

Result<Project> Project::open(const std::filesystem::path& folder) {
    const auto file = folder / "project.toml";
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code))
        return requestError("project.missing", "is not a project: it has no project.toml")
            .in(folder.string())
            .fix("make one with `kurve new DIR`, or name one with --project DIR");
    KURVE_TRY(const std::string text, readFile(file));
    toml::table table;
    try {
        table = toml::parse(text, file.string());
    } catch (const toml::parse_error& problem) {
        return requestError("project.syntax", std::string(problem.description()))
            .in(file.string(), static_cast<int>(problem.source().begin.line));
    }
    Project project;
    project.folder_ = std::filesystem::weakly_canonical(folder, code);
    if (code) project.folder_ = folder;
    project.name_ = table["name"].value_or(project.folder_.filename().string());
    project.defaultExperiment_ = table["default_experiment"].value_or(std::string());
    return project;
}

Result<Project> Project::findUpward(const std::filesystem::path& start) {
    std::error_code code;
    const auto first = std::filesystem::absolute(start, code);
    for (auto folder = first;; folder = folder.parent_path()) {
        if (std::filesystem::is_regular_file(folder / "project.toml", code)) return open(folder);
        if (folder == folder.parent_path()) break;
    }
    return requestError("project.missing", "neither this folder nor one above it has a project.toml")
        .in(first.string())
        .fix("make a project with `kurve new DIR`, or name one with --project DIR");
}

std::vector<std::filesystem::path> Project::experiments() const {
    std::vector<std::filesystem::path> files;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "experiments", code))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    const auto isDefault = [&](const std::filesystem::path& file) {
        return file.stem() == defaultExperiment_ || file.filename() == defaultExperiment_;
    };
    std::sort(files.begin(), files.end());
    std::stable_partition(files.begin(), files.end(), isDefault);
    return files;
}

}  // namespace kurve::store
