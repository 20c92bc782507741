#include "core/store/project_revision.h"

#include <algorithm>

#include "core/base/child_output.h"
#include "core/base/text.h"

namespace kurve::store {
namespace {

constexpr std::size_t kLongestDiff = 1 << 20, kMostPaths = 200;
constexpr double kPatience = 5;  // seconds for one question; a slow disk must not hold a training up

class Git {
public:
    explicit Git(const std::filesystem::path& folder) : folder_(folder.string()) {}

    /// Without the user's own diff programs, pagers and background helpers.
    [[nodiscard]] std::optional<ChildOutput> ask(const std::vector<std::string>& question) const {
        std::vector<std::string> command{"git",  "--no-optional-locks", "-c", "core.fsmonitor=false", "-C",
                                         folder_};
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
        return ask(
            withInputs({"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "HEAD", "--"}));
    }

private:
    static std::vector<std::string> withInputs(std::vector<std::string> question) {
        question.insert(question.end(), {".", ":(exclude)runs", ":(exclude)index.db*"});
        return question;
    }

    std::string folder_;
};

}  // namespace

std::optional<ProjectRevision> projectRevision(const std::filesystem::path& project) {
    const Git git(project);
    ProjectRevision revision;
    revision.commit = git.line({"rev-parse", "--verify", "--quiet", "HEAD"});
    if (revision.commit.empty()) return std::nullopt;
    revision.branch = git.line({"symbolic-ref", "--short", "--quiet", "HEAD"});
    revision.changed = git.paths({"diff", "--name-only", "--relative", "HEAD"});
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
