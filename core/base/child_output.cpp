#include "core/base/child_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "core/base/clock.h"

namespace kurve {
namespace {

// Both ends close on exec: only the child's standard output stays open in it.
pid_t spawn(const std::vector<std::string>& command, int output) {
    std::vector<char*> arguments;
    for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int failed =
        ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? child : -1;
}

enum class Ended { Closed, Full, Late };

Ended readAll(int from, std::size_t limit, double deadline, std::string& text) {
    std::array<char, 16384> buffer{};
    while (true) {
        const double left = deadline - steadySeconds();
        if (left <= 0) return Ended::Late;
        pollfd waiting{from, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(left * 1000) + 1);
        if (ready <= 0) continue;  // late, or a signal: the loop's head decides
        const ssize_t count = ::read(from, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return Ended::Closed;
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (text.size() > limit) return Ended::Full;
    }
}

int statusOf(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

std::optional<ChildOutput> childOutput(const std::vector<std::string>& command, std::size_t limit,
                                       double seconds) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    const pid_t child = spawn(command, ends[1]);
    ::close(ends[1]);
    ChildOutput output;
    Ended ended = Ended::Late;
    if (child > 0) ended = readAll(ends[0], limit, steadySeconds() + seconds, output.text);
    ::close(ends[0]);
    if (child <= 0) return std::nullopt;
    if (ended != Ended::Closed) ::kill(child, SIGKILL);
    const int status = statusOf(child);
    if (ended == Ended::Late) return std::nullopt;
    output.complete = ended == Ended::Closed;
    if (!output.complete) {
        output.text.resize(limit);
        return output;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return output;
}

}  // namespace kurve
