#include "core/distributed/detail/rank_monitor.h"

#include <fmt/format.h>

#include <chrono>

#include "core/distributed/detail/rendezvous.h"

namespace kurve::distributed::detail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBeat{500};
constexpr int kSilentBeats = 120;          // a minute: a process that is suspended, a machine that is gone
constexpr milliseconds kLook{250};         // at a loss, for who is silent
constexpr int kChecks = 20, kSilent = 14;  // of them: a killed rank is named after 3.5 s

/// In how many checks in a row each rank's heartbeat has stood still.
class SilentRanks {
public:
    explicit SilentRanks(std::vector<int> ranks)
        : ranks_(std::move(ranks)), seen_(ranks_.size()), still_(ranks_.size()) {}
    /// The rank that has been silent for `limit` checks. Throws where the store is gone.
    std::optional<int> check(c10d::Store& store, int limit) {
        if (ranks_.empty()) return std::nullopt;
        std::vector<std::string> names;
        for (const int rank : ranks_) names.push_back(key("heartbeat", rank));
        const auto values = store.multiGet(names);
        for (std::size_t i = 0; i < values.size(); ++i) {
            still_[i] = values[i] == seen_[i] ? still_[i] + 1 : 0;
            seen_[i] = values[i];
            if (still_[i] >= limit) return ranks_[i];
        }
        return std::nullopt;
    }

private:
    std::vector<int> ranks_;
    std::vector<std::vector<std::uint8_t>> seen_;
    std::vector<int> still_;
};

}  // namespace

RankMonitor::RankMonitor(int rank, int size, StorePointer store)
    : rank_(rank),
      size_(size),
      store_(std::move(store)),
      masterName_(take(*store_, key("who", 0))),
      heartbeats_([this, own = store_->clone()] { sendHeartbeats(own); }) {}

RankMonitor::~RankMonitor() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    wake_.notify_all();
    heartbeats_.join();
}

void RankMonitor::sendHeartbeats(StorePointer own) {
    SilentRanks others(rank_ == 0 ? allBut(0, size_) : std::vector<int>{0});
    std::unique_lock lock(mutex_);
    for (std::int64_t count = 1; !closing_; ++count) {
        lock.unlock();
        try {
            put(*own, key("heartbeat", rank_), std::to_string(count));
            if (own->check({kBroken})) broken_ = true;
            if (const auto silent = others.check(*own, kSilentBeats)) {
                put(*own, kLost, std::to_string(*silent));
                put(*own, kBroken, "");
                broken_ = true;
            }
        } catch (const std::exception&) {  // its server is gone
            broken_ = true;
            return;
        }
        lock.lock();
        wake_.wait_for(lock, kBeat, [this] { return closing_.load(); });
    }
}

void RankMonitor::fail(const std::string& problem, std::optional<int> maybeEnded) {
    const Error error = diagnose(problem, maybeEnded);
    broken_ = true;
    throw RankLost(error);
}

Error RankMonitor::lost(int lostRank) {
    const std::string who = lostRank == 0 ? masterName_ : take(*store_, key("who", lostRank));
    return workError("distributed.rank_lost", fmt::format("rank {} ({}) is lost", lostRank, who))
        .fix("kurve resume goes on from the last checkpoint");
}

// What a rank said before it ended, or who another one found silent.
std::optional<Error> RankMonitor::known() {
    if (auto failure = failureIn(*store_)) return failure;
    if (store_->check({kLost})) return lost(std::stoi(take(*store_, kLost)));
    return std::nullopt;
}

Error RankMonitor::diagnose(const std::string& problem, std::optional<int> maybeEnded) {
    try {
        put(*store_, kBroken, "");
        SilentRanks others(allBut(rank_, size_));
        for (int i = 0; i < kChecks; ++i) {
            if (auto error = known()) return *error;
            if (const auto gone = maybeEnded ? maybeEnded : others.check(*store_, kSilent)) {
                put(*store_, kLost, std::to_string(*gone));
                if (rank_ == 0) std::this_thread::sleep_for(2 * kLook);  // the others read it here
                return lost(*gone);
            }
            std::this_thread::sleep_for(kLook);
        }
    } catch (const std::exception&) {  // rank 0 had the store
        if (rank_ > 0) return lost(0);
    }
    return workError("distributed.rank_lost", "the connection between the ranks broke: " + problem);
}

}  // namespace kurve::distributed::detail
