#include "app/engine/control_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "app/engine/control_socket.h"
#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/wire/fields.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPending = 8u << 20;  // a peer that is this far behind is given up
constexpr std::size_t kChunk = 4096;  // PIPE_BUF: a pipe that polls writable takes as much without blocking

}  // namespace

ControlLink::ControlLink(const CommonOptions& options, std::string run)
    : options_(options), run_(std::move(run)), line_(options.quiet) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        wakeRead_ = ends[0];
        wakeWrite_ = ends[1];
    }
    if (options_.events) {
        Peer console;
        console.in = STDIN_FILENO;
        console.out = standardOutput();
        peers_.push_back(std::move(console));
        send(peers_.back(), hello());
    }
    thread_ = std::thread([this] { serve(); });
}

ControlLink::~ControlLink() {
    close();
}

Status ControlLink::listen(const std::filesystem::path& runFolder) {
    const int folder = ::open(runFolder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socketPath_ = runFolder / wire::kControlSocket;
    ::unlink(socketPath_.c_str());  // left by an engine that was killed; the run's lock is ours
    const sockaddr_un address = socketAddress(folder);
    const bool ok = folder >= 0 && fd >= 0 &&
                    ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                    ::listen(fd, 8) == 0;
    const int cause = errno;
    if (folder >= 0) ::close(folder);
    if (!ok) {
        if (fd >= 0) ::close(fd);
        return workError("wire.socket",
                         std::string("cannot open the control socket: ") + std::strerror(cause))
            .in(socketPath_.string());
    }
    const std::lock_guard lock(mutex_);
    listening_ = fd;
    wake();
    return {};
}

void ControlLink::close() {
    {
        const std::lock_guard lock(mutex_);
        if (closing_) return;
        closing_ = true;
        wake();
    }
    thread_.join();
    line_.clear();
    for (auto& peer : peers_)
        if (peer.socket) ::close(peer.in);
    if (listening_ >= 0) ::close(listening_);
    if (!socketPath_.empty()) ::unlink(socketPath_.c_str());
    ::close(wakeRead_);
    ::close(wakeWrite_);
}

void ControlLink::wake() {
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(wakeWrite_, &byte, 1);
}

wire::Message ControlLink::hello() const {
    return train::event("hello", {{"protocol", wire::kProtocol},
                                  {"build", std::string(versionText()) + " " + commitText()},
                                  {"run", run_},
                                  {"pid", ::getpid()}});
}

std::vector<wire::Message> ControlLink::commands(double seconds) {
    std::unique_lock lock(mutex_);
    if (queue_.empty() && seconds > 0)
        arrived_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !queue_.empty(); });
    std::vector<wire::Message> all(std::make_move_iterator(queue_.begin()),
                                   std::make_move_iterator(queue_.end()));
    queue_.clear();
    return all;
}

bool ControlLink::stopRequested() {
    const auto arrived = commands(0);
    return !stopReason().empty() || std::ranges::find(arrived, "stop", &wire::Message::type) != arrived.end();
}

void ControlLink::emit(const wire::Message& event) {
    if (!options_.events) show(event);
    const std::lock_guard lock(mutex_);
    if (event.type == "state") lastState_ = wire::encode(event) + "\n";
    if (peers_.empty()) return;
    const std::string line = wire::encode(event) + "\n";
    for (auto& peer : peers_) {
        if (peer.out < 0) continue;
        if (peer.pending.size() < kMostPending)
            peer.pending += line;
        else if (!peer.socket)
            noteLostOutput(ENOBUFS);
    }
    wake();
}

void ControlLink::send(Peer& peer, const wire::Message& message) {
    peer.pending += wire::encode(message) + "\n";
}

bool ControlLink::attended() const {
    const std::lock_guard lock(mutex_);
    for (const auto& peer : peers_)
        if (peer.in >= 0) return true;
    return false;
}

bool ControlLink::inputEnded() const {
    const std::lock_guard lock(mutex_);
    return inputEnded_ && queue_.empty();
}

CancelToken ControlLink::beginRequest(const std::string& id) {
    const std::lock_guard lock(mutex_);
    current_ = id;
    currentToken_ = CancelToken();
    if (!id.empty() && cancelled_.erase(id) > 0) currentToken_.request();
    return currentToken_;
}

bool ControlLink::wasCancelled(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return !id.empty() && cancelled_.erase(id) > 0;
}

// The link's thread: everything that waits for a peer happens here and nowhere else.
void ControlLink::serve() {
    double deadline = 0;
    for (;;) {
        std::vector<pollfd> waits{{wakeRead_, POLLIN, 0}};
        {
            const std::lock_guard lock(mutex_);
            bool pending = false;
            if (listening_ >= 0) waits.push_back({listening_, POLLIN, 0});
            for (const auto& peer : peers_) {
                if (peer.in >= 0) waits.push_back({peer.in, POLLIN, 0});
                if (peer.out >= 0 && !peer.pending.empty()) waits.push_back({peer.out, POLLOUT, 0});
                pending = pending || (peer.out >= 0 && !peer.pending.empty());
            }
            if (closing_ && deadline == 0) deadline = steadySeconds() + 2;
            if (closing_ && (!pending || steadySeconds() > deadline)) {
                for (const auto& peer : peers_)
                    if (!peer.socket && peer.out >= 0 && !peer.pending.empty()) noteLostOutput(ETIMEDOUT);
                return;
            }
        }
        if (::poll(waits.data(), waits.size(), 200) < 0 && errno != EINTR) return;
        const auto ready = [&](int fd, int what) {
            for (const auto& wait : waits)
                if (wait.fd == fd && (wait.events & what) != 0 && wait.revents != 0) return true;
            return false;
        };
        char drain[64];
        while (::read(wakeRead_, drain, sizeof(drain)) > 0) continue;
        const std::lock_guard lock(mutex_);
        if (listening_ >= 0 && ready(listening_, POLLIN)) acceptPeer();
        for (auto& peer : peers_) {
            if (peer.out >= 0 && ready(peer.out, POLLOUT)) writeTo(peer);
            if (peer.in >= 0 && ready(peer.in, POLLIN)) readFrom(peer);
        }
        std::erase_if(peers_, [](const Peer& peer) { return peer.in < 0 && peer.out < 0; });
    }
}

void ControlLink::acceptPeer() {
    const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    Peer peer;
    peer.in = peer.out = fd;
    peer.socket = true;
    send(peer, hello());
    peer.pending += lastState_;
    peers_.push_back(std::move(peer));
}

void ControlLink::readFrom(Peer& peer) {
    char bytes[1 << 16];
    const ssize_t count = ::read(peer.in, bytes, sizeof(bytes));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) return drop(peer);  // gone: the job continues
    for (auto& message : peer.reader.feed({bytes, static_cast<std::size_t>(count)}))
        receive(peer, std::move(message));
}

void ControlLink::writeTo(Peer& peer) {
    while (!peer.pending.empty()) {
        const std::size_t size = std::min(peer.pending.size(), kChunk);
        const ssize_t count = ::write(peer.out, peer.pending.data(), size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) {
            if (!peer.socket) noteLostOutput(errno);
            peer.pending.clear();
            peer.out = -1;  // nobody reads; commands may still come
            return;
        }
        peer.pending.erase(0, static_cast<std::size_t>(count));
        if (!peer.socket) return;  // a pipe may be full now: ask poll again
    }
}

void ControlLink::drop(Peer& peer) {
    if (peer.socket) {
        ::close(peer.in);
        peer.out = -1;
    } else {
        inputEnded_ = true;
    }
    peer.in = -1;
    arrived_.notify_one();
}

void ControlLink::receive(Peer& peer, Result<wire::Message> message) {
    if (!message) return send(peer, train::errorEvent(message.error()));
    if (message->type == "cancel") {
        if (message->id == current_ && !current_.empty())
            currentToken_.request();
        else
            cancelled_.insert(message->id);
        return;
    }
    if (message->type == "hello") {
        const json protocol = message->body.value("protocol", json());
        if (protocol != wire::kProtocol)
            send(peer, train::errorEvent(
                           requestError("wire.protocol",
                                        fmt::format("this engine speaks protocol {}, the other side {}",
                                                    wire::kProtocol, protocol.dump()))
                               .fix("use studio and engine of the same version"),
                           message->id));
        return;
    }
    // The job takes nothing while it evaluates or writes a checkpoint, and is there all the same.
    if (message->type == "ping") return send(peer, train::event("pong", json::object(), message->id));
    queue_.push_back(std::move(*message));
    arrived_.notify_one();
}

// For people: a progress bar on a terminal, one line for evaluations and marks.
void ControlLink::show(const wire::Message& event) {
    const wire::Fields body(event.body);
    if (options_.quiet) return;
    if (event.type == "progress") {
        const double step = body.number("step"), total = body.number("total", 1.0);
        std::string text = fmt::format("step {:.0f}/{:.0f}  {:.0f} tokens/s  {:.0f} s left", step, total,
                                       body.number("tokens_per_second"), body.number("eta_seconds"));
        const wire::Fields metrics = body.object("metrics");
        if (metrics.has("loss")) text += fmt::format("  loss {:.3f}", metrics.number("loss", NAN));
        return line_.show(step / std::max(total, 1.0), text);
    }
    if (event.type == "transfer") {
        const double done = body.number("done"), total = body.number("total", 1.0);
        return line_.show(done / std::max(total, 1.0),
                          fmt::format("{:.1f} of {:.1f} MB  {}", done / 1e6, total / 1e6, body.text("path")));
    }
    std::string text;
    if (event.type == "evaluated") {
        text = fmt::format("step {}:", body.integer("step", std::int64_t{0}));
        const json metrics = event.body.value("metrics", json());
        for (const auto& [name, value] : metrics.items())
            if (value.is_number()) text += fmt::format(" {} {:.4g}", name, value.get<double>());
    } else if (event.type == "mark") {
        text = body.text("kind") + ": " + body.text("text");
    } else {
        return;
    }
    line_.clear();
    logLine(text);
}

}  // namespace kurve::engine
