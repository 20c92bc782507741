#include "app/engine/detached_training.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "app/engine/output.h"
#include "core/base/file.h"
#include "core/base/inside.h"
#include "core/base/text.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

struct OpenedFile {
    int fd;
    explicit OpenedFile(const fs::path& file, int flags)
        : fd(::open(file.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644)) {}
    OpenedFile(const OpenedFile&) = delete;
    OpenedFile& operator=(const OpenedFile&) = delete;
    ~OpenedFile() {
        if (fd >= 0) ::close(fd);
    }
};

int spawnApart(std::vector<std::string> command, const fs::path& folder, int output, int log) {
    std::vector<char*> arguments;
    for (auto& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    // Names mean files of the project, not of the folder where ssh begins.
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t child = -1;
    const int failed =
        ::posix_spawn(&child, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

std::string endOf(const std::string& log) {
    std::string last;
    for (const auto& line : split(log, '\n'))
        if (const auto text = trim(line); !text.empty()) last = text;
    return last;
}

}  // namespace

void DetachedTraining::dropOld() const {
    constexpr auto kKept = std::chrono::days(30);  // whoever was out of contact asks for them
    const auto folder = pathInside(project, ".starts");
    if (!folder) return;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(*folder, none)) {
        const auto written = entry.last_write_time(none);
        if (none || fs::file_time_type::clock::now() - written < kKept) continue;
        if (!DetachedTraining{project, entry.path().stem().string()}.runs()) fs::remove(entry.path(), none);
    }
}

Status DetachedTraining::start(const std::vector<std::string>& words) const {
    const auto writeError = [](const fs::path& file) {
        return workError("io.write", std::string("cannot be written: ") + std::strerror(errno))
            .in(file.string())
            .fix("check free space and permissions of the folder");
    };
    std::error_code ignored;
    fs::create_directories(project / ".starts", ignored);
    dropOld();
    const OpenedFile output(resultFile(), O_RDWR | O_CREAT);
    if (output.fd < 0) return writeError(resultFile());
    // The child inherits the lock with the file: it holds it for as long as it lives.
    if (::flock(output.fd, LOCK_EX | LOCK_NB) != 0 || ::ftruncate(output.fd, 0) != 0)
        return requestError("run.exists", "the run \"" + run + "\" is being started already").at("--run");
    // Only now: one that runs writes into it.
    const OpenedFile log(logFile(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    if (log.fd < 0) return writeError(logFile());
    std::vector<std::string> command{"kurve"};
    command.insert(command.end(), words.begin(), words.end());
    const fs::path folder = fs::absolute(project, ignored);
    command.insert(command.end(), {"--project", folder.string(), "--json", "--quiet"});
    if (const int failed = spawnApart(std::move(command), folder, output.fd, log.fd); failed != 0)
        return workError("remote.start",
                         std::string("the training cannot be started: ") + std::strerror(failed));
    return {};
}

bool DetachedTraining::runs() const {
    const OpenedFile output(resultFile(), O_RDWR);  // a pipe in its place would wait for a writer
    return output.fd >= 0 && ::flock(output.fd, LOCK_SH | LOCK_NB) != 0;
}

nlohmann::json DetachedTraining::outcome() const {
    std::error_code ignored;
    if (!fs::exists(resultFile(), ignored) || runs()) return nullptr;
    const auto text = readFile(resultFile());
    auto result = nlohmann::json::parse(text ? *text : "", nullptr, false);
    if (result.is_object()) return result;
    const auto log = readFile(logFile());
    const std::string last = log ? endOf(*log) : "";
    return errorJson(workError("remote.ended", "the training ended without a word" +
                                                   (last.empty() ? "" : "; the last of its log: " + last))
                         .in(logFile().string()));
}

}  // namespace kurve::engine
