#include "app/engine/control_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/engine/control_socket.h"
#include "core/base/clock.h"
#include "core/base/inside.h"
#include "core/wire/fields.h"

namespace kurve::engine {
namespace {

constexpr double kPatience = 60;  // an evaluation may lie between two steps

struct Descriptor {
    int fd = -1;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

Error noAnswer(const std::filesystem::path& runFolder, const std::string& why) {
    return workError("wire.no_answer", "the engine that trains the run did not answer: " + why)
        .in(runFolder.string())
        .fix("try again in a moment");
}

bool writeAll(int fd, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

Result<wire::Message> answerOf(wire::Message message) {
    if (message.type != "error") return message;
    Error error = wire::errorIn(message.body, requestError("request.failed", "the engine gave no reason"));
    error.field.clear();  // the message begins with it
    return error;
}

}  // namespace

Result<wire::Message> askEngine(const std::filesystem::path& runFolder, const wire::Message& request) {
    KURVE_CHECKED(checkNoLink(runFolder / wire::kControlSocket));
    const Descriptor folder{::open(runFolder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const sockaddr_un address = socketAddress(folder.fd);
    if (folder.fd < 0 || socket.fd < 0 ||
        ::connect(socket.fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        return workError("wire.no_engine", std::string("the engine that writes the run cannot be reached: ") +
                                               std::strerror(errno))
            .in(runFolder.string())
            .fix("try again when it has started or ended");
    const wire::Message hello{"hello", "", {{"protocol", wire::kProtocol}}};
    if (!writeAll(socket.fd, wire::encode(hello) + "\n" + wire::encode(request) + "\n"))
        return noAnswer(runFolder, std::strerror(errno));
    wire::LineReader reader;
    for (const double end = steadySeconds() + kPatience; steadySeconds() < end;) {
        pollfd wait{socket.fd, POLLIN, 0};
        if (::poll(&wait, 1, 1000) <= 0) continue;
        char bytes[1 << 14];
        const ssize_t count = ::read(socket.fd, bytes, sizeof(bytes));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return noAnswer(runFolder, "it ended");
        for (auto& message : reader.feed({bytes, static_cast<std::size_t>(count)}))
            if (message && message->id == request.id) return answerOf(std::move(*message));
    }
    return noAnswer(runFolder, "it is busy");
}

}  // namespace kurve::engine
