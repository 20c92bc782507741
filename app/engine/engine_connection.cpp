#include "app/engine/engine_connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "app/engine/control_socket.h"
#include "core/base/inside.h"

namespace kurve::engine {

bool EngineConnection::open(const std::filesystem::path& runFolder) {
    if (fd_ >= 0) return true;
    if (!checkNoLink(runFolder / wire::kControlSocket)) return false;
    const int folder = ::open(runFolder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_un address = socketAddress(folder);
    const bool connected =
        fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    ::close(folder);
    if (!connected) {
        if (fd >= 0) ::close(fd);
        return false;
    }
    fd_ = fd;
    reader_ = {};
    return send({"hello", "", {{"protocol", wire::kProtocol}}});
}

void EngineConnection::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::vector<wire::Message> EngineConnection::events() {
    std::vector<wire::Message> all;
    std::array<char, 65536> bytes{};
    while (fd_ >= 0) {
        const ssize_t count = ::read(fd_, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) {
            close();
            break;
        }
        for (auto& message : reader_.feed({bytes.data(), static_cast<std::size_t>(count)}))
            if (message && message->type != "hello") all.push_back(std::move(*message));
    }
    return all;
}

bool EngineConnection::send(const wire::Message& command) {
    const std::string line = wire::encode(command) + "\n";
    // A command is far smaller than the socket's buffer: one that is full belongs to an engine that hangs.
    if (fd_ < 0 || ::send(fd_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
        close();
        return false;
    }
    return true;
}

}  // namespace kurve::engine
