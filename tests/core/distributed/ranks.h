#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/distributed/process_group.h"

namespace kurve::testing {

/// A port of the loopback that was free a moment ago.
std::uint16_t freePort();

/// By the sockets of this process, as the kernel counts them, without what it had to send again.
std::uint64_t bytesSent();

/// Processes of their own, forked from the test, each of which computes a text.
class Ranks {
public:
    using Work = std::function<std::string(int rank)>;
    /// In the given order, `pause` seconds apart.
    Ranks(const std::vector<int>& order, const Work& work, double pause = 0);
    ~Ranks();  ///< kills those that still run
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    /// By rank; a rank that was killed has the text "killed".
    [[nodiscard]] std::vector<std::string> texts();
    [[nodiscard]] pid_t pid(int rank) const { return processes_.at(static_cast<std::size_t>(rank)).pid; }

private:
    struct Process {
        pid_t pid = -1;
        int output = -1;
    };
    std::vector<Process> processes_;  // by rank
};

/// Joins `size` ranks at that port.
Result<std::shared_ptr<distributed::ProcessGroup>> joinAt(std::uint16_t port, int rank, int size,
                                                          double seconds = 60, bool sharedMemory = true);

}  // namespace kurve::testing
