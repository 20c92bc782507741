#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/remote_server.h"
#include "core/train/session_link.h"

namespace kurve::engine {
namespace {

constexpr int kIdleMilliseconds = 120'000;  // the other side asks every second; it has lost the connection

void tellClient(const wire::Message& message) {
    writeStandardOutput(wire::encode(message) + "\n");
}

Status serve(const CommonOptions& common) {
    RemoteServer server(common);
    wire::LineReader reader;
    std::array<char, 65536> bytes{};
    while (true) {
        std::array<pollfd, 2> waits{pollfd{STDIN_FILENO, POLLIN, 0},
                                    pollfd{server.eventsDescriptor(), POLLIN, 0}};
        const int ready = ::poll(waits.data(), waits.size(), kIdleMilliseconds);
        if (ready == 0) return {};
        if (ready < 0 && errno == EINTR) continue;
        for (const auto& event : server.events()) tellClient(event);
        if (waits[0].revents == 0) continue;
        const ssize_t count = ready < 0 ? -1 : ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return {};
        for (const auto& request : reader.feed({bytes.data(), static_cast<std::size_t>(count)}))
            tellClient(request ? server.answer(*request) : train::errorEvent(request.error()));
    }
}

}  // namespace

Action setupServe(CLI::App& app) {
    app.add_flag("--stdio", "requests on stdin, answers on stdout: lines of JSON")->required();
    return [](const CommonOptions& common, Output&) { return serve(common); };
}

}  // namespace kurve::engine
