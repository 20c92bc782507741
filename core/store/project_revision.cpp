#include "core/store/project_revision.h"

#include <algorithm>

#include "core/base/child_output.h"
#include "core/base/text.h"

namespace kurve::store {
namespace {

constexpr std::size_t kLongestDiff = 1 << 20, kMostPaths = 200;
constexpr const char* kNoProtocol = "GIT_ALLOW_PROTOCOL";  // set and empty: none is allowed
/// Their commits alone: what changed in their files is asked by another git, with their own configuration.
constexpr const char* kSubmodules = "--ignore-submodules=dirty";
constexpr double kPatience = 5;  // seconds for one question; a slow disk must not hold a training up

class Git {
public:
    explicit Git(const std::filesystem::path& folder) : folder_(folder.string()) {}

    /// Filters of the repository's own configuration, which may come with somebody else's project, are
    /// programs that a diff starts. False: its configuration cannot be read.
    bool leaveOutItsFilters() {
        const auto config = ask({"config", "--list", "--name-only", "--show-scope"});
        if (!config || !config->complete) return false;
        for (const auto& line : split(config->text, '\n')) {
            const bool isUsers = line.starts_with("global\t") || line.starts_with("system\t");
            if (isUsers || line.find("\tfilter.") == std::string::npos) continue;
            without_.push_back("--config-env=" + line.substr(line.find('\t') + 1) + "=" + kNoProtocol);
        }
        return true;
    }

    /// Without the user's own diff programs, pagers and background helpers, and without a connection: objects
    /// that are not there would be fetched by a program that the repository names.
    [[nodiscard]] std::optional<ChildOutput> ask(const std::vector<std::string>& question) const {
        std::vector<std::string> command{"env", std::string(kNoProtocol) + "=", "git", "--no-optional-locks",
                                         "-c",  "core.fsmonitor=false",         "-C",  folder_};
        command.insert(command.end(), without_.begin(), without_.end());
        command.insert(command.end(), question.begin(), question.end());
        return childOutput(command, kLongestDiff, kPatience);
    }

    [[nodiscard]] std::string line(const std::vector<std::string>& question) const {
        const auto answer = ask(question);
        return answer ? std::string(trim(answer->text)) : std::string();
    }

    [[nodiscard]] std::vector<std::string> paths(std::vector<std::string> question) const {
        question.insert(question.end(), {"-z", "--"});
        const auto answer = ask(withInputs(std::move(question)));
        std::vector<std::string> found;
        if (!answer) return found;
        for (const auto& path : split(answer->text, '\0'))
            if (!path.empty() && found.size() < kMostPaths) found.emplace_back(path);
        return found;
    }

    [[nodiscard]] std::optional<ChildOutput> diff() const {
        return ask(withInputs(
            {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", kSubmodules, "HEAD", "--"}));
    }

private:
    static std::vector<std::string> withInputs(std::vector<std::string> question) {
        question.insert(question.end(), {".", ":(exclude)runs", ":(exclude)index.db*"});
        return question;
    }

    std::string folder_;
    std::vector<std::string> without_;
};

}  // namespace

std::optional<ProjectRevision> projectRevision(const std::filesystem::path& project) {
    Git git(project);
    if (!git.leaveOutItsFilters()) return std::nullopt;
    ProjectRevision revision;
    revision.commit = git.line({"rev-parse", "--verify", "--quiet", "HEAD"});
    if (revision.commit.empty()) return std::nullopt;
    revision.branch = git.line({"symbolic-ref", "--short", "--quiet", "HEAD"});
    revision.changed = git.paths({"diff", "--name-only", "--relative", kSubmodules, "HEAD"});
    revision.untracked = git.paths({"ls-files", "--others", "--exclude-standard"});
    if (!revision.changed.empty()) {
        const auto diff = git.diff();
        revision.complete = diff && diff->complete;
        if (diff) revision.diff = diff->text;
    }
    return revision;
}

nlohmann::json toJson(const ProjectRevision& revision) {
    return {{"commit", revision.commit},
            {"branch", revision.branch},
            {"changed", revision.changed},
            {"untracked", revision.untracked},
            {"complete", revision.complete}};
}

}  // namespace kurve::store
