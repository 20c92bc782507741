#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/distributed/detail/store.h"

namespace kurve::distributed::detail {

/// Tells the others twice a second that this process lives, by a thread of its own, and finds out who does
/// not any more: rank 0 watches all, the others rank 0. Functions are for one thread at a time.
class RankMonitor {
public:
    RankMonitor(int rank, int size, StorePointer store);
    ~RankMonitor();
    RankMonitor(const RankMonitor&) = delete;
    RankMonitor& operator=(const RankMonitor&) = delete;

    /// Another rank ended, or this one is to; any thread.
    [[nodiscard]] bool broken() const { return broken_; }
    void setBroken() { broken_ = true; }
    /// After `problem`: finds out which rank is lost, unless that is known, and throws RankLost.
    [[noreturn]] void fail(const std::string& problem, std::optional<int> maybeEnded = std::nullopt);

private:
    void sendHeartbeats(StorePointer own);
    Error diagnose(const std::string& problem, std::optional<int> maybeEnded);
    std::optional<Error> known();
    Error lost(int lostRank);

    const int rank_, size_;
    const StorePointer store_;
    std::string masterName_;  // who rank 0 is, for when its store is gone
    std::atomic<bool> broken_{false}, closing_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread heartbeats_;
};

}  // namespace kurve::distributed::detail
