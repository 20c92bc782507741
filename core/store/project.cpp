#include "core/store/project.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/inside.h"

namespace kurve::store {

namespace {

/// What is written into them would lie wherever somebody had them lead to.
Status checkFolders(const std::filesystem::path& project) {
    for (const char* name : {"runs", "data", "data/cache", "data/tokenizers", "experiments", "schedules",
                             "layouts", ".starts"}) {
        auto own = checkNoLink(project / name);
        if (!own)
            return std::move(own.error())
                .fix("put the folder itself there; a corpus may lie elsewhere, by its whole path");
    }
    return {};
}

}  // namespace

Result<Project> Project::open(const std::filesystem::path& folder) {
    const auto file = folder / "project.toml";
    std::error_code code;
    const auto kind = std::filesystem::status(file, code).type();
    if (kind == std::filesystem::file_type::none)
        return requestError("io.open", "the project cannot be read: " + code.message()).in(folder.string());
    if (kind != std::filesystem::file_type::regular)
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
    KURVE_CHECKED(checkFolders(folder));
    Project project;
    project.folder_ = std::filesystem::weakly_canonical(folder, code);
    if (code) project.folder_ = folder;
    project.name_ = table["name"].value_or(project.folder_.filename().string());
    project.defaultExperiment_ = table["default_experiment"].value_or(std::string());
    project.defaultRun_ = table["default_run"].value_or(std::string());
    return project;
}

Result<Project> Project::findUpward(const std::filesystem::path& start) {
    std::error_code code;
    const auto first = std::filesystem::absolute(start, code);
    for (auto folder = first;; folder = folder.parent_path()) {
        const auto kind = std::filesystem::status(folder / "project.toml", code).type();
        const bool unreadable = kind == std::filesystem::file_type::none;
        if (unreadable || kind == std::filesystem::file_type::regular) return open(folder);
        if (folder == folder.parent_path()) break;
    }
    return requestError("project.missing", "neither this folder nor one above it has a project.toml")
        .in(first.string())
        .fix("make a project with `kurve new DIR`, or name one with --project DIR");
}

std::filesystem::path Project::runFolderIn(const std::filesystem::path& project, const std::string& id) {
    if (isFileName(id)) return project / "runs" / id;
    std::string name = "%";
    for (const char c : id)
        name +=
            isPlainName({&c, 1}) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return project / "runs" / name;
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
