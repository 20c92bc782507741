#pragma once

#include <filesystem>
#include <vector>

#include "core/wire/message.h"

namespace kurve::engine {

/// A standing connection to the control socket of the engine that trains a run: its events as they come, and
/// commands to it. Never waits. One thread.
class EngineConnection {
public:
    EngineConnection() = default;
    EngineConnection(const EngineConnection&) = delete;
    EngineConnection& operator=(const EngineConnection&) = delete;
    ~EngineConnection() { close(); }

    /// False if nobody listens there. Does nothing while it is open.
    bool open(const std::filesystem::path& runFolder);
    void close();
    [[nodiscard]] int descriptor() const { return fd_; }  ///< to poll; -1: closed
    /// Those that have come; closes where the engine has hung up.
    std::vector<wire::Message> events();
    /// False if nobody listens any more.
    bool send(const wire::Message& command);

private:
    int fd_ = -1;
    wire::LineReader reader_;
};

}  // namespace kurve::engine
