#include "core/remote/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/remote/connection_errors.h"
#include "core/wire/fields.h"

namespace kurve::remote {
namespace {

using nlohmann::json;

constexpr double kHelloSeconds = 60;  // LibTorch on a cold disk
constexpr std::size_t kMostLog = 16384;

/// Keep-alives end ssh about 15 s after the network went; without them it would wait for hours.
std::vector<std::string> sshCommand(const Machine& machine) {
    const char* named = std::getenv(kSshVariable);
    std::vector<std::string> command = splitWords(named != nullptr ? named : "ssh");
    if (command.empty()) command = {"ssh"};
    for (const char* option : {"-T", "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oRemoteCommand=none",
                               "-oClearAllForwardings=yes", "-oConnectTimeout=15", "-oServerAliveInterval=5",
                               "-oServerAliveCountMax=3", "--"})
        command.emplace_back(option);
    command.push_back(machine.host);
    command.push_back("'" + machine.program + "' serve --stdio");
    return command;
}

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    int failed = 0;  ///< errno
    Pipe() : failed(::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno) {}
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : ends)
            if (end >= 0) ::close(end);
    }
    int take(std::size_t end) {
        ::fcntl(ends[end], F_SETFL, O_NONBLOCK);
        return std::exchange(ends[end], -1);
    }
};

}  // namespace

Status Connection::start() {
    Pipe in, out, err;
    std::vector<std::string> command = sshCommand(machine_);
    const auto noSsh = [&](int cause) {
        pid_ = -1;
        broken_ = true;
        return requestError("remote.no_ssh",
                            fmt::format("{} cannot be started: {}", command.front(), std::strerror(cause)))
            .fix("install it: apt install openssh-client");
    };
    for (const Pipe* pipe : {&in, &out, &err})
        if (pipe->failed != 0) return noSsh(pipe->failed);
    std::vector<char*> arguments;
    for (auto& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
    // In a session of its own: Ctrl+C is for the training, and ssh can ask for no passphrase on a terminal.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t broken;  // ignored here, not by ssh
    ::sigemptyset(&broken);
    ::sigaddset(&broken, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &broken);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    const int failed =
        ::posix_spawnp(&pid_, arguments.front(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return noSsh(failed);
    in_ = in.take(1);
    out_ = out.take(0);
    err_ = err.take(0);
    return {};
}

Result<std::unique_ptr<Connection>> Connection::open(const Machine& machine, const std::string& project) {
    std::unique_ptr<Connection> connection(new Connection(machine));
    KURVE_CHECKED(connection->start());
    KURVE_CHECKED(connection->greet(project));
    return connection;
}

Status Connection::greet(const std::string& project) {
    KURVE_TRY(const auto answer, ask("hello",
                                     {{"protocol", kServeProtocol},
                                      {"version", versionText()},
                                      {"folder", machine_.folder},
                                      {"project", project}},
                                     kHelloSeconds));
    hello_ = answer.body;
    const auto protocol = wire::Fields(hello_).integer("protocol", -1);
    if (answer.type == "hello" && protocol == kServeProtocol) return {};
    return otherVersion(fmt::format("its kurve {} speaks protocol {} of machines, this one {}",
                                    wire::Fields(hello_).text("version", "?"), protocol, kServeProtocol));
}

Error Connection::otherVersion(const std::string& what) {
    broken_ = true;
    return workError("remote.other_version", fmt::format("{} ({}): {}", machine_.name, machine_.host, what))
        .fix(installHint(machine_));
}

Connection::~Connection() {
    for (const int fd : {in_, out_, err_})
        if (fd >= 0) ::close(fd);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
}

Error Connection::ended() {
    if (end_) return *end_;
    broken_ = true;
    int status = 0;
    // It has closed its output: its exit code follows at once.
    const double patience = steadySeconds() + 2;
    while (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == 0) {
        if (steadySeconds() > patience) ::kill(pid_, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    pid_ = -1;
    end_ = connectionError(machine_, WIFEXITED(status) ? WEXITSTATUS(status) : 255, log_);
    return *end_;
}

Error Connection::silent() {
    broken_ = true;
    return workError("remote.connection",
                     fmt::format("{} ({}): it does not answer", machine_.name, machine_.host))
        .fix("try again");
}

Status Connection::send(const std::string& bytes, double deadline) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::write(in_, bytes.data() + done, bytes.size() - done);
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) {
            if (steadySeconds() > deadline) return silent();
            // Also what comes is read: both sides could wait for the other to read.
            if (const auto more = readMore(deadline, WaitFor::InputOrRoom); !more) {
                broken_ = true;  // half a line is there
                return more.error();
            }
        } else if (errno != EINTR) {
            // Its last words are on their way.
            for (const double last = steadySeconds() + 5; !broken_ && steadySeconds() < last;)
                KURVE_CHECKED(readMore(last));
            return ended();
        }
    }
    return {};
}

void Connection::take(wire::Message message) {
    (message.id.empty() ? notifications_ : answers_).push_back(std::move(message));
}

Result<bool> Connection::readMore(double deadline, WaitFor wanted) {
    std::array<pollfd, 3> waits{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0},
                                pollfd{wanted == WaitFor::InputOrRoom ? in_ : -1, POLLOUT, 0}};
    const double left = deadline - steadySeconds();
    if (::poll(waits.data(), waits.size(), left > 0 ? static_cast<int>(left * 1000) + 1 : 0) <= 0)
        return false;
    std::array<char, 65536> buffer{};
    if (waits[1].revents != 0) {
        const ssize_t count = ::read(err_, buffer.data(), buffer.size());
        if (count > 0) log_.append(buffer.data(), static_cast<std::size_t>(count));
        if (count == 0) ::close(std::exchange(err_, -1));
        if (log_.size() > kMostLog) log_.erase(0, log_.size() - kMostLog);
    }
    if (waits[0].revents == 0) return true;
    const ssize_t count = ::read(out_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (count <= 0) {
        // What ssh said of it may come a moment later.
        while (err_ >= 0) {
            pollfd rest{err_, POLLIN, 0};
            const ssize_t more =
                ::poll(&rest, 1, 2000) > 0 ? ::read(err_, buffer.data(), buffer.size()) : ssize_t{0};
            if (more <= 0) break;
            log_.append(buffer.data(), static_cast<std::size_t>(more));
        }
        return ended();
    }
    std::optional<Error> tooLong;
    for (auto& message : reader_.feed({buffer.data(), static_cast<std::size_t>(count)})) {
        if (message)
            take(std::move(*message));
        else if (message.error().code == "wire.version")
            return otherVersion(message.error().message);
        else if (message.error().code == "wire.too_long")
            tooLong = requestError("wire.too_long", machine_.name + ": " + message.error().message);
        // Else what a shell there prints at its start is no message.
    }
    if (tooLong) return *std::move(tooLong);
    return true;
}

Result<wire::Message> Connection::ask(const std::string& type, json body, double seconds) {
    if (end_) return *end_;
    const double deadline = steadySeconds() + seconds;
    const std::string id = std::to_string(++lastId_);
    KURVE_CHECKED(send(wire::encode({type, id, std::move(body)}) + "\n", deadline));
    while (true) {
        while (!answers_.empty()) {
            wire::Message answer = std::move(answers_.front());
            answers_.pop_front();
            if (answer.id != id) continue;  // to a request that was given up
            if (answer.type != "error") return answer;
            Error said = wire::errorIn(answer.body, workError("remote.connection", "it gave no reason"));
            said.message = machine_.name + ": " + said.message;
            return said;
        }
        if (steadySeconds() > deadline) return silent();
        KURVE_CHECKED(readMore(deadline));
    }
}

std::vector<wire::Message> Connection::notifications(double seconds) {
    const double deadline = steadySeconds() + seconds;
    while (notifications_.empty() && !broken_ && steadySeconds() < deadline)
        if (!readMore(deadline)) break;
    std::vector<wire::Message> all(std::make_move_iterator(notifications_.begin()),
                                   std::make_move_iterator(notifications_.end()));
    notifications_.clear();
    return all;
}

}  // namespace kurve::remote
