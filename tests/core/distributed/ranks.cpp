#include "tests/core/distributed/ranks.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <thread>

namespace kurve::testing {

std::uint16_t freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(fd);
    return ntohs(address.sin_port);
}

std::uint64_t bytesSent() {
    std::uint64_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        tcp_info info{};
        socklen_t size = sizeof(info);
        if (::getsockopt(std::stoi(entry.path().filename()), IPPROTO_TCP, TCP_INFO, &info, &size) == 0)
            sum += info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    }
    return sum;
}

namespace {

// A write to a pipe may be cut short where the process has other threads.
void writeAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count < 0 && errno != EINTR) ::_exit(1);
        if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
}

}  // namespace

Ranks::Ranks(const std::vector<int>& order, const Work& work, double pause) : processes_(order.size()) {
    for (const int rank : order) {
        int ends[2];
        if (::pipe(ends) != 0) return;
        Process& process = processes_.at(static_cast<std::size_t>(rank));
        process.output = ends[0];
        process.pid = ::fork();
        if (process.pid == 0) {
            ::signal(SIGPIPE, SIG_IGN);  // as the program does: another rank may have closed the connection
            ::close(ends[0]);
            std::string text;
            try {
                text = work(rank);
            } catch (const std::exception& error) {
                text = std::string("exception: ") + error.what();
            }
            writeAll(ends[1], text);
            ::_exit(0);
        }
        ::close(ends[1]);
        std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    }
}

Ranks::~Ranks() {
    for (const Process& process : processes_) {
        if (process.pid <= 0) continue;
        ::kill(process.pid, SIGKILL);
        ::waitpid(process.pid, nullptr, 0);
    }
}

std::vector<std::string> Ranks::texts() {
    std::vector<std::string> all;
    for (Process& process : processes_) {
        std::string text;
        char bytes[4096];
        for (ssize_t count = 0; (count = ::read(process.output, bytes, sizeof(bytes))) > 0;)
            text.append(bytes, static_cast<std::size_t>(count));
        ::close(process.output);
        int status = 0;
        ::waitpid(process.pid, &status, 0);
        process.pid = -1;
        all.push_back(WIFSIGNALED(status) ? "killed" : text);
    }
    return all;
}

Result<std::shared_ptr<distributed::ProcessGroup>> joinAt(std::uint16_t port, int rank, int size,
                                                          double seconds, bool sharedMemory) {
    distributed::JoinRequest request;
    request.environment.rank = rank;
    request.environment.size = size;
    request.environment.host = "127.0.0.1";
    request.environment.port = port;
    request.seconds = seconds;
    request.sharedMemory = sharedMemory;
    return distributed::ProcessGroup::join(request);
}

}  // namespace kurve::testing
