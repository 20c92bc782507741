#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "app/engine/commands.h"
#include "app/engine/project_template.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

/// Where a build folder says that its sources lie.
std::optional<fs::path> sourceOfBuild(const fs::path& folder) {
    std::ifstream cache(folder / "CMakeCache.txt");
    const std::string key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
    for (std::string line; std::getline(cache, line);)
        if (line.starts_with(key)) return fs::path(line.substr(key.size()));
    return std::nullopt;
}

/// The folder with the bundled projects: beside an installed program, or in the sources of one in a build
/// folder.
std::optional<fs::path> templatesFolder() {
    std::error_code problem;
    const fs::path program = fs::read_symlink("/proc/self/exe", problem);
    for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        const fs::path source = sourceOfBuild(folder).value_or(folder);
        for (const fs::path& place : {folder / "share" / "kurve" / "projects", source / "projects"})
            if (fs::exists(place / "sample" / "project.toml", problem)) return place;
    }
    return std::nullopt;
}

/// What a copy starts without: caches, and the index that is made from runs/.
bool isLeftBehind(const fs::path& relative) {
    const std::string name = relative.filename().string();
    return relative == fs::path("data/cache") || name.starts_with("index.db") || name == "__pycache__";
}

Error cannotWrite(const fs::path& file, const std::error_code& problem) {
    return workError("io.write", "cannot write: " + problem.message())
        .in(file.string())
        .fix("check free space and permissions of the folder");
}

Status copyTree(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    fs::create_directories(to, problem);
    if (problem) return cannotWrite(to, problem);
    for (auto at = fs::recursive_directory_iterator(from); at != fs::recursive_directory_iterator(); ++at) {
        const fs::path relative = at->path().lexically_relative(from), target = to / relative;
        if (isLeftBehind(relative)) {
            at.disable_recursion_pending();
            continue;
        }
        if (at->is_directory())
            fs::create_directories(target, problem);
        else
            fs::copy_file(at->path(), target, fs::copy_options::overwrite_existing, problem);
        // What is installed may be read-only; the copy belongs to the user.
        if (!problem) fs::permissions(target, fs::perms::owner_write, fs::perm_options::add, problem);
        if (problem) return cannotWrite(target, problem);
    }
    return {};
}

/// name = "…" of project.toml becomes the folder's name.
Status nameProject(const fs::path& folder) {
    const fs::path file = folder / "project.toml";
    KURVE_TRY(const std::string text, readFile(file));
    std::string name = fs::absolute(folder).lexically_normal().filename().string();
    if (name.empty()) name = fs::absolute(folder).lexically_normal().parent_path().filename().string();
    std::string literal;
    for (const char c : name) literal += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    const std::size_t at = text.find("name = \""), end = text.find('\n', at);
    if (at == std::string::npos) return {};
    return writeFileAtomically(
        file, text.substr(0, at) + "name = \"" + literal + "\"" + text.substr(std::min(end, text.size())));
}

struct NewRequest {
    std::string folder, name = "sample";
};

Status makeProject(const NewRequest& request, const CommonOptions& common, Output& out) {
    KURVE_CHECKED(copyTemplate(request.name, request.folder, common.force));
    const std::string folder = fs::absolute(request.folder).lexically_normal().string();
    out.result(
        {{"project", folder}, {"template", request.name}},
        fmt::format(
            "{}: a new project from the template “{}”; kurve train --project {} EXPERIMENT.toml trains in it",
            folder, request.name, folder));
    return {};
}

}  // namespace

std::vector<std::string> projectTemplates() {
    std::vector<std::string> names;
    const auto folder = templatesFolder();
    if (!folder) return names;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(*folder, problem))
        if (fs::exists(entry.path() / "project.toml", problem))
            names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

Status copyTemplate(const std::string& name, const fs::path& folder, bool force) {
    const auto names = projectTemplates();
    if (names.empty())
        return workError("new.no_templates", "the bundled projects are not where the program was installed")
            .fix("install Kurve again, or copy projects/sample of its source by hand");
    if (std::find(names.begin(), names.end(), name) == names.end())
        return requestError("new.unknown_template", fmt::format("there is no template “{}”", name))
            .at("template")
            .fix("choose one of: " + join(names, ", "));
    std::error_code problem;
    const bool isFile = fs::exists(folder, problem) && !fs::is_directory(folder, problem);
    if (isFile)
        return requestError("new.exists", "is a file").in(folder.string()).fix("choose another folder");
    if (!force && fs::exists(folder, problem) && !fs::is_empty(folder, problem))
        return requestError("new.exists", "the folder is not empty")
            .in(folder.string())
            .fix("choose another folder, or use --force to copy over what is there");
    KURVE_CHECKED(copyTree(*templatesFolder() / name, folder));
    return nameProject(folder);
}

Action setupNew(CLI::App& app) {
    auto request = std::make_shared<NewRequest>();
    app.add_option("folder", request->folder, "where the project shall lie; made if it is not there")
        ->required();
    app.add_option("--template", request->name, "bundled project to copy: " + join(projectTemplates(), ", "))
        ->capture_default_str();
    return [request](const CommonOptions& common, Output& out) { return makeProject(*request, common, out); };
}

}  // namespace kurve::engine
