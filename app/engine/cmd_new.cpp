#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "app/engine/commands.h"
#include "app/engine/project_template.h"
#include "app/engine/stop_signal.h"
#include "core/base/file.h"
#include "core/base/inside.h"
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
        for (const fs::path& candidate : {folder / "share" / "kurve" / "projects", source / "projects"})
            if (fs::exists(candidate / "sample" / "project.toml", problem)) return candidate;
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

/// Calls use(entry, path in the template) for everything that a copy takes over, until one fails.
template <class Use>
Status eachEntry(const fs::path& from, Use use) {
    for (auto at = fs::recursive_directory_iterator(from); at != fs::recursive_directory_iterator(); ++at) {
        const fs::path relative = at->path().lexically_relative(from);
        if (isLeftBehind(relative)) {
            at.disable_recursion_pending();
            continue;
        }
        KURVE_CHECKED(use(*at, relative));
    }
    return {};
}

std::int64_t bytesOf(const fs::path& from) {
    std::int64_t bytes = 0;
    (void)eachEntry(from, [&](const fs::directory_entry& entry, const fs::path&) -> Status {
        if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
        return {};
    });
    return bytes;
}

Status copyTree(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    fs::create_directories(to, problem);
    if (problem) return cannotWrite(to, problem);
    return eachEntry(from, [&](const fs::directory_entry& entry, const fs::path& relative) -> Status {
        const fs::path target = to / relative;
        KURVE_CHECKED(checkNoLink(target));  // --force fills a folder that is there
        if (!stopSignal().empty())
            return workError("new.cancelled", "the copy was ended before it was whole").in(to.string());
        if (entry.is_directory())
            fs::create_directories(target, problem);
        else
            fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing, problem);
        // What is installed may be read-only; the copy belongs to the user.
        if (!problem) fs::permissions(target, fs::perms::owner_write, fs::perm_options::add, problem);
        if (problem) return cannotWrite(target, problem);
        return {};
    });
}

/// The nearest folder upward that is there.
fs::path existing(fs::path folder) {
    std::error_code problem;
    while (!fs::exists(folder, problem) && folder.has_relative_path()) folder = folder.parent_path();
    return folder;
}

Status checkSpace(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    const auto space = fs::space(existing(fs::absolute(to)), problem);
    const std::int64_t wanted = bytesOf(from);
    constexpr double kMegabyte = 1e6;
    if (problem || space.available >= static_cast<std::uintmax_t>(wanted)) return {};
    return workError("new.no_room", fmt::format("the project takes {:.0f} MB and {:.0f} MB are free",
                                                static_cast<double>(wanted) / kMegabyte,
                                                static_cast<double>(space.available) / kMegabyte))
        .in(to.string())
        .fix("free disk space, or choose a folder on another disk");
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

/// Into a folder that is empty or not there. The project lies beside it first and is renamed, so that what
/// was begun and not finished is no project.
Status copyWhole(const fs::path& from, const fs::path& folder) {
    const fs::path whole = fs::absolute(folder).lexically_normal(),
                   beside =
                       whole.parent_path() / fmt::format(".{}.{}", whole.filename().string(), ::getpid());
    std::error_code problem, ignored;
    const bool empty = fs::exists(whole, ignored);  // a mounted folder can be filled, but not replaced
    Status copied = copyTree(from, empty ? whole : beside);
    if (copied && !empty) fs::rename(beside, whole, problem);
    if (problem) copied = cannotWrite(whole, problem);
    if (copied) return copied;
    fs::remove_all(beside, ignored);
    if (empty)
        for (const auto& entry : fs::directory_iterator(whole, ignored))
            fs::remove_all(entry.path(), ignored);
    copied.error().file = whole.string();
    return copied;
}

std::string titleOf(const fs::path& project) {
    const std::string key = "title = \"";
    for (const std::string& line : split(readFile(project / "project.toml").value_or(""), '\n')) {
        if (line.starts_with('[')) break;
        if (line.starts_with(key)) return line.substr(key.size(), line.rfind('"') - key.size());
    }
    return {};
}

struct NewRequest {
    std::string folder, name = "sample";
    bool list = false;
};

Status listTemplates(Output& out) {
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    for (const auto& one : projectTemplates()) {
        list.push_back({{"name", one.name}, {"title", one.title}, {"bytes", one.bytes}});
        text += fmt::format("{:<16}  {:>6.1f} MB  {}\n", one.name, static_cast<double>(one.bytes) / 1e6,
                            one.title);
    }
    out.result({{"templates", std::move(list)}}, text);
    return {};
}

Status makeProject(const NewRequest& request, const CommonOptions& common, Output& out) {
    if (request.list) return listTemplates(out);
    if (request.folder.empty())
        return requestError("cli.usage", "the folder of the new project is missing")
            .fix("kurve new FOLDER, or kurve new --list");
    catchStopSignals();  // nothing of a copy that is not whole stays
    KURVE_CHECKED(copyTemplate(request.name, request.folder, common.force));
    const std::string folder = fs::absolute(request.folder).lexically_normal().string();
    out.result(
        {{"project", folder}, {"template", request.name}},
        fmt::format(
            "{}: a new project from the template “{}”; kurve train --project {} EXPERIMENT.toml trains in it",
            folder, request.name, folder));
    return {};
}

std::vector<std::string> templateNames() {
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

}  // namespace

std::vector<ProjectTemplate> projectTemplates() {
    std::vector<ProjectTemplate> found;
    for (const auto& name : templateNames()) {
        const fs::path folder = *templatesFolder() / name;
        found.push_back({name, titleOf(folder), bytesOf(folder)});
    }
    return found;
}

Status copyTemplate(const std::string& name, const fs::path& folder, bool force) {
    const auto names = templateNames();
    if (names.empty())
        return workError("new.no_templates", "the bundled projects are not where the program was installed")
            .fix("install Kurve again, or copy projects/sample of its source");
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
    const fs::path from = *templatesFolder() / name;
    KURVE_CHECKED(checkSpace(from, folder));
    const bool over = fs::exists(folder, problem) && !fs::is_empty(folder, problem);
    KURVE_CHECKED(over ? copyTree(from, folder) : copyWhole(from, folder));
    return nameProject(folder);
}

Action setupNew(CLI::App& app) {
    auto request = std::make_shared<NewRequest>();
    app.add_option("folder", request->folder, "folder of the new project; created if missing");
    app.add_option("--template", request->name, "bundled project to copy: " + join(templateNames(), ", "));
    app.add_flag("--list", request->list, "only list the templates and their sizes");
    return [request](const CommonOptions& common, Output& out) { return makeProject(*request, common, out); };
}

}  // namespace kurve::engine
