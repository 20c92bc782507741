#include "core/distributed/process_group.h"

#include <ATen/ATen.h>

#include <bit>
#include <cstring>
#include <thread>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/printable.h"
#include "core/distributed/detail/gloo_exchange.h"
#include "core/distributed/detail/nccl_library.h"
#include "core/distributed/detail/rank_monitor.h"
#include "core/distributed/detail/reduction_thread.h"
#include "core/distributed/detail/rendezvous.h"
#include "core/distributed/exchange.h"

namespace kurve::distributed {

using std::chrono::milliseconds;
using namespace detail;

struct ProcessGroup::Connection {
    int rank = 0, size = 1;
    StorePointer store;
    std::unique_ptr<RankMonitor> monitor;
    std::unique_ptr<Exchange> exchange;
    std::unique_ptr<DeviceExchange> maybeGpus;
    bool sharesMemory = false;
    std::unique_ptr<ReductionThread> reductions;  // of blocks of the host; made at the first
    double waited = 0;
    std::size_t textRoom = 1024;  // bytes of a text that one exchange carries; the same on all ranks

    void open(const JoinRequest& request, std::unique_ptr<SharedSlots> maybeSlots);
    void awaitAll(SharedSlots& slots);
    void awaitGpus();
    void reduceScatter(const at::Tensor& block);
    void allGather(const at::Tensor& block);
    void start(std::function<void()> reduction);
    std::vector<std::string> gather(const std::string& text);
};

Result<std::shared_ptr<ProcessGroup>> ProcessGroup::join(const JoinRequest& request) {
    const RankEnvironment& at = request.environment;
    auto connection = std::make_unique<Connection>();
    connection->rank = at.rank;
    connection->size = at.size;
    MakeDeviceExchange makeGpus = nullptr;
    if (request.gpus) {
        KURVE_TRY(makeGpus, loadNccl());
    }
    std::uint16_t port = 0;
    KURVE_TRY(connection->store, openStore(request, port));
    c10d::Store& store = *connection->store;
    try {
        KURVE_CHECKED(checkIn(store, at));
        if (const Status met = meet(store, request, port); !met) {
            noteFailure(store, at, met.error());
            return met.error();
        }
        connection->open(request, shareMemory(store, at));
        if (makeGpus != nullptr) connection->maybeGpus.reset(makeGpus(connection->store, at.rank, at.size));
    } catch (const std::exception& error) {
        if (auto ended = reasonIn(store)) return std::move(*ended);  // of a rank that broke the connection
        return unreachable(at, request.seconds, firstLine(error.what()));
    }
    return std::shared_ptr<ProcessGroup>(new ProcessGroup(std::move(connection)));
}

ProcessGroup::ProcessGroup(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

ProcessGroup::~ProcessGroup() {
    // Its thread waits for the others.
    if (connection_->reductions && !connection_->reductions->idle())
        abort(workError("distributed.left", "it left in the middle of a step"));
}

void ProcessGroup::Connection::open(const JoinRequest& request, std::unique_ptr<SharedSlots> maybeSlots) {
    monitor = std::make_unique<RankMonitor>(rank, size, store);
    sharesMemory = maybeSlots && request.sharedMemory;
    if (sharesMemory)
        exchange = std::make_unique<SharedExchange>(std::move(maybeSlots),
                                                    [this](SharedSlots& slots) { awaitAll(slots); });
    else
        exchange = makeGlooExchange(request, store, *monitor);
}

void ProcessGroup::Connection::awaitAll(SharedSlots& slots) {
    constexpr milliseconds kAtOnce{250};  // that a wait sleeps
    while (!slots.await(kAtOnce)) {
        if (monitor->broken()) monitor->fail("while waiting for the others");
        // One that went on, and ended then, has been here.
        if (const auto ended = slots.endedRank(); ended && !slots.await(milliseconds(0)))
            monitor->fail("a process has ended", ended);
    }
}

// By the host, which alone can find out that a rank is gone.
void ProcessGroup::Connection::awaitGpus() {
    constexpr std::chrono::microseconds kPoll{20};
    try {
        while (!maybeGpus->ended()) {
            if (monitor->broken()) monitor->fail("while waiting for the others");
            std::this_thread::sleep_for(kPoll);
        }
        maybeGpus->await();
    } catch (const RankLost&) {
        maybeGpus->abort();
        throw;
    } catch (const std::exception& error) {
        maybeGpus->abort();
        monitor->fail(firstLine(error.what()));
    }
}

int ProcessGroup::rank() const {
    return connection_->rank;
}

int ProcessGroup::size() const {
    return connection_->size;
}

int ProcessGroup::sizeHere() {
    const std::string here = machineId();
    int count = 0;
    try {
        for (int r = 0; r < size(); ++r) count += take(*connection_->store, key("machine", r)) == here;
    } catch (const std::exception& error) {
        connection_->monitor->fail(firstLine(error.what()));
    }
    return count;
}

bool ProcessGroup::broken() const {
    return connection_->monitor->broken();
}

double ProcessGroup::takeWaiting() {
    return std::exchange(connection_->waited, 0.0);
}

namespace {

/// Adds the time that an operation takes.
class Timed {
public:
    explicit Timed(double& seconds) : seconds_(seconds), start_(steadySeconds()) {}
    ~Timed() { seconds_ += steadySeconds() - start_; }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

private:
    double& seconds_;
    double start_;
};

/// A block as a row of its elements.
at::Tensor elementsOf(const at::Tensor& block, bool onGpus) {
    KURVE_CHECK(block.is_contiguous(), "an exchange of a tensor that is not contiguous");
    KURVE_CHECK(block.is_cpu() || onGpus, "a group of the host got a tensor of {}", block.device().str());
    return block.view({-1});
}

}  // namespace

void ProcessGroup::allReduce(const at::Tensor& block) {
    const Timed timed(connection_->waited);
    const at::Tensor elements = elementsOf(block, connection_->maybeGpus != nullptr);
    if (!block.is_cpu()) {
        connection_->maybeGpus->allReduce(elements);
        return connection_->awaitGpus();
    }
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size()), block.numel());
    connection_->exchange->allGather(elements, counts,
                                     [&](int rank, std::int64_t first, const at::Tensor& values) {
                                         const at::Tensor sum = elements.narrow(0, first, values.numel());
                                         rank == 0 ? sum.copy_(values) : sum.add_(values);
                                     });
}

void ProcessGroup::Connection::reduceScatter(const at::Tensor& block) {
    const Shard shard = shardOf(block.numel(), rank, size);
    const at::Tensor own = block.narrow(0, shard.first, shard.count);
    // What comes from the ranks before this one, where there are several; of one it may be added to its own.
    const at::Tensor before = rank > 1 ? at::empty_like(own) : at::Tensor();
    exchange->scatter(block, [&](int from, std::int64_t first, const at::Tensor& values) {
        at::Tensor sum = own.narrow(0, first, values.numel());
        if (!before.defined() || from > rank) {
            sum.add_(values);
            return;
        }
        const at::Tensor part = before.narrow(0, first, values.numel());
        from == 0 ? part.copy_(values) : part.add_(values);
        if (from == rank - 1) at::add_out(sum, part, sum);
    });
}

void ProcessGroup::Connection::allGather(const at::Tensor& block) {
    const Shard own = shardOf(block.numel(), rank, size);
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size; ++r) counts.push_back(shardOf(block.numel(), r, size).count);
    exchange->allGather(block.narrow(0, own.first, own.count), counts,
                        [&](int from, std::int64_t first, const at::Tensor& values) {
                            if (from == rank) return;
                            const Shard shard = shardOf(block.numel(), from, size);
                            block.narrow(0, shard.first + first, values.numel()).copy_(values);
                        });
}

void ProcessGroup::reduceScatter(const at::Tensor& block) {
    const Timed timed(connection_->waited);
    const at::Tensor elements = elementsOf(block, connection_->maybeGpus != nullptr);
    if (block.is_cpu()) return connection_->reduceScatter(elements);
    connection_->maybeGpus->reduceScatter(elements);
    connection_->awaitGpus();
}

void ProcessGroup::allGather(const at::Tensor& block) {
    const Timed timed(connection_->waited);
    const at::Tensor elements = elementsOf(block, connection_->maybeGpus != nullptr);
    if (block.is_cpu()) return connection_->allGather(elements);
    connection_->maybeGpus->allGather(elements);
    connection_->awaitGpus();
}

void ProcessGroup::Connection::start(std::function<void()> reduction) {
    if (!reductions) reductions = std::make_unique<ReductionThread>();
    reductions->start(std::move(reduction));
}

void ProcessGroup::startReduceScatter(const at::Tensor& block) {
    const at::Tensor elements = elementsOf(block, connection_->maybeGpus != nullptr);
    if (!block.is_cpu()) return connection_->maybeGpus->reduceScatter(elements);
    connection_->start([connection = connection_.get(), elements] { connection->reduceScatter(elements); });
}

void ProcessGroup::startAllReduce(const at::Tensor& block) {
    const at::Tensor elements = elementsOf(block, connection_->maybeGpus != nullptr);
    if (!block.is_cpu()) return connection_->maybeGpus->allReduce(elements);
    connection_->start([connection = connection_.get(), elements] {
        connection->reduceScatter(elements);
        connection->allGather(elements);
    });
}

void ProcessGroup::finishReductions() {
    const Timed timed(connection_->waited);
    if (connection_->reductions) connection_->reductions->finish();
    if (connection_->maybeGpus) connection_->awaitGpus();
}

bool ProcessGroup::reducesInBackground() const {
    return connection_->maybeGpus != nullptr || !connection_->sharesMemory;
}

void ProcessGroup::broadcast(const at::Tensor& block, int root) {
    const Timed timed(connection_->waited);
    const at::Tensor elements = elementsOf(block, connection_->maybeGpus != nullptr);
    if (block.numel() == 0) return;
    if (block.is_cpu()) return connection_->exchange->broadcast(elements, root);
    connection_->maybeGpus->broadcast(elements, root);
    connection_->awaitGpus();
}

std::string ProcessGroup::broadcast(const std::string& text) {
    at::Tensor length = at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong);
    broadcast(length);
    at::Tensor bytes = at::zeros({length.item<std::int64_t>()}, at::kByte);
    if (rank() == 0) std::copy(text.begin(), text.end(), bytes.data_ptr<std::uint8_t>());
    broadcast(bytes);
    return {bytes.data_ptr<std::uint8_t>(), bytes.data_ptr<std::uint8_t>() + bytes.numel()};
}

// Each text follows its length, in a block of one size; again where one was cut.
std::vector<std::string> ProcessGroup::Connection::gather(const std::string& text) {
    std::uint64_t length = text.size();
    const auto block = static_cast<std::int64_t>(sizeof(length) + textRoom);
    at::Tensor own = at::zeros({block}, at::kByte);
    std::memcpy(own.data_ptr(), &length, sizeof(length));
    std::memcpy(own.data_ptr<std::uint8_t>() + sizeof(length), text.data(), std::min(textRoom, text.size()));
    const auto count = static_cast<std::size_t>(size);
    at::Tensor bytes = at::empty({size, block}, at::kByte);
    exchange->allGather(own, std::vector<std::int64_t>(count, block),
                        [&](int from, std::int64_t first, const at::Tensor& values) {
                            bytes[from].narrow(0, first, values.numel()).copy_(values);
                        });
    std::vector<std::string> texts;
    std::uint64_t longest = 0;
    for (int r = 0; r < size; ++r) {
        const auto* from = bytes[r].data_ptr<std::uint8_t>();
        std::memcpy(&length, from, sizeof(length));
        from += sizeof(length);
        texts.emplace_back(from, from + std::min<std::uint64_t>(length, textRoom));
        longest = std::max(longest, length);
    }
    if (longest <= textRoom) return texts;
    textRoom = std::bit_ceil(longest);
    return gather(text);
}

std::vector<std::string> ProcessGroup::allGather(const std::string& text) {
    const Timed timed(connection_->waited);
    return connection_->gather(text);
}

void ProcessGroup::announce(const std::string& what) {
    try {
        put(*connection_->store, what, "");
    } catch (const std::exception& error) {
        connection_->monitor->fail(firstLine(error.what()));
    }
}

void ProcessGroup::awaitAnnouncement(const std::string& what) {
    try {
        while (!connection_->store->check({what})) {
            if (broken()) connection_->monitor->fail("while waiting for rank 0");
            std::this_thread::sleep_for(milliseconds(10));
        }
    } catch (const RankLost&) {
        throw;
    } catch (const std::exception& error) {
        connection_->monitor->fail(firstLine(error.what()));
    }
}

void ProcessGroup::abort(const Error& reason) noexcept {
    RankEnvironment at;
    at.rank = rank();
    if (!broken()) noteFailure(*connection_->store, at, reason);
    connection_->monitor->setBroken();
}

}  // namespace kurve::distributed
