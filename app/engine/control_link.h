#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/output.h"
#include "app/engine/stop_signal.h"
#include "core/train/session_link.h"

namespace kurve::engine {

/// The wire of a job: with --events commands on stdin and events on stdout; and in the run folder a socket
/// with the same protocol for a studio that comes later. Without --events the events become notes and a
/// progress bar on stderr. Nobody who stops reading, hangs up or dies can slow the job down. The job's side
/// is for one thread.
class ControlLink : public train::SessionLink {
public:
    ControlLink(const CommonOptions& options, std::string run);
    ~ControlLink() override;

    /// Opens the control socket in a run folder whose lock this process holds.
    Status listen(const std::filesystem::path& runFolder);
    /// Delivers what is still queued (at most two seconds), then hangs up.
    void close();

    std::vector<wire::Message> commands(double seconds) override;
    void emit(const wire::Message& event) override;
    [[nodiscard]] std::string stopReason() const override { return stopSignal(); }
    /// Whether a signal or a command stops the job; for jobs that take no other command.
    [[nodiscard]] bool stopRequested();
    [[nodiscard]] bool attended() const override;
    CancelToken beginRequest(const std::string& id) override;
    [[nodiscard]] bool wasCancelled(const std::string& id) override;
    /// Reads stdin to its end and nothing came (for --serve: then there is nobody to serve).
    [[nodiscard]] bool inputEnded() const;

private:
    struct Peer {
        int in = -1, out = -1;
        bool socket = false;
        wire::LineReader reader;
        std::string pending;  // not yet written
    };
    void serve();
    void acceptPeer();
    void readFrom(Peer& peer);
    static void writeTo(Peer& peer);
    void receive(Peer& peer, Result<wire::Message> message);
    void drop(Peer& peer);
    void send(Peer& peer, const wire::Message& message);
    void wake();
    [[nodiscard]] wire::Message hello() const;
    void show(const wire::Message& event);

    const CommonOptions& options_;
    const std::string run_;
    ProgressLine line_;
    std::filesystem::path socketPath_;
    int listening_ = -1, wakeRead_ = -1, wakeWrite_ = -1;

    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<wire::Message> queue_;  // all below: guarded by mutex_
    std::vector<Peer> peers_;
    std::set<std::string> cancelled_;
    std::string current_;
    CancelToken currentToken_;
    std::string lastState_;
    bool closing_ = false, inputEnded_ = false;
    std::thread thread_;
};

}  // namespace kurve::engine
