#include "core/distributed/process_group.h"

#include <ATen/ops/empty.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/distributed/exchange.h"

namespace kurve::distributed {
namespace {

using std::chrono::milliseconds;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

constexpr milliseconds kBeat{500};
constexpr int kSilentBeats = 120;          // a minute: a process that is suspended, a machine that is gone
constexpr milliseconds kSlice{1000};       // how often a waiting rank looks whether others still live
constexpr milliseconds kLook{250};         // at a loss, for who is silent
constexpr int kChecks = 20, kSilent = 14;  // of them: a killed rank is named after 3.5 s
constexpr milliseconds kForever = std::chrono::hours(24 * 365);  // beats, not Gloo's clock, say who is gone
constexpr const char *kBroken = "broken", *kFailure = "failure", *kLost = "lost";

std::string key(const char* what, int rank) {
    return fmt::format("{}/{}", what, rank);
}

void put(c10d::Store& store, const std::string& name, const std::string& text) {
    store.set(name, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string take(c10d::Store& store, const std::string& name) {
    const auto bytes = store.get(name);
    return {bytes.begin(), bytes.end()};
}

std::string ownName() {
    char host[256] = "unknown";
    ::gethostname(host, sizeof(host) - 1);
    return fmt::format("host {}, pid {}", host, ::getpid());
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string rankList(const std::vector<int>& ranks) {
    std::vector<std::string> names;
    for (const int rank : ranks) names.push_back(std::to_string(rank));
    return (ranks.size() == 1 ? "rank " : "ranks ") + join(names, ", ");
}

/// In how many checks in a row each rank's heartbeat has stood still.
class HeartbeatMonitor {
public:
    explicit HeartbeatMonitor(std::vector<int> ranks)
        : ranks_(std::move(ranks)), seen_(ranks_.size()), still_(ranks_.size()) {}
    /// The rank that has been silent for `limit` checks. Throws where the store is gone.
    std::optional<int> check(c10d::Store& store, int limit) {
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

std::vector<int> allBut(int rank, int size) {
    std::vector<int> ranks;
    for (int r = 0; r < size; ++r)
        if (r != rank) ranks.push_back(r);
    return ranks;
}

}  // namespace

struct ProcessGroup::Connection {
    int rank = 0, size = 1;
    StorePointer store;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
    std::unique_ptr<Exchange> exchange;
    std::string masterName;  // who rank 0 is, for when its store is gone
    double waited = 0;
    std::size_t textRoom = 1024;  // bytes of a text that one exchange carries; the same on all ranks

    std::atomic<bool> broken{false}, closing{false};
    std::mutex mutex;
    std::condition_variable wake;
    std::thread heartbeats;

    ~Connection();
    void open(const JoinRequest& request, std::unique_ptr<SharedSlots> maybeSlots);
    void startHeartbeats();
    void sendHeartbeats(StorePointer own);
    void finish(const c10::intrusive_ptr<c10d::Work>& work);
    void awaitAll(SharedSlots& slots);
    [[noreturn]] void fail(const std::string& problem, std::optional<int> maybeEnded = std::nullopt);
    Error diagnose(const std::string& problem, std::optional<int> maybeEnded);
    std::vector<std::string> gather(const std::string& text);
    std::optional<Error> known();
    Error lost(int lostRank);
};

namespace {

/// What ProcessGroup does with LibTorch's Gloo, between machines.
class GlooExchange : public Exchange {
public:
    using Finish = std::function<void(const c10::intrusive_ptr<c10d::Work>&)>;
    GlooExchange(c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo, Finish finish)
        : gloo_(std::move(gloo)), finish_(std::move(finish)) {}

    void broadcast(const at::Tensor& block, int root) override {
        std::vector<at::Tensor> tensors{block};
        c10d::BroadcastOptions options;
        options.rootRank = root;
        finish_(gloo_->broadcast(tensors, options));
    }

    void allGather(const at::Tensor& own, const std::vector<std::int64_t>& counts,
                   const Take& take) override {
        const std::int64_t longest = *std::max_element(counts.begin(), counts.end());
        std::vector<at::Tensor> given{at::zeros({longest}, own.options())};
        given.front().narrow(0, 0, own.numel()).copy_(own);
        std::vector<std::vector<at::Tensor>> all(1);
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            all.front().push_back(at::empty({longest}, own.options()));
        finish_(gloo_->allgather(all, given));
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            take(static_cast<int>(rank), 0, all.front()[rank].narrow(0, 0, counts[rank]));
    }

    void scatter(const at::Tensor& block, const Take& take) override {
        const int size = gloo_->getSize();
        const std::int64_t count = shardOf(block.numel(), gloo_->getRank(), size).count;
        std::vector<std::int64_t> given, taken(static_cast<std::size_t>(size), count);
        for (int rank = 0; rank < size; ++rank) given.push_back(shardOf(block.numel(), rank, size).count);
        at::Tensor all = at::empty({size * count}, block.options()), from = block;
        finish_(gloo_->alltoall_base(all, from, taken, given));
        for (int rank = 0; rank < size; ++rank)
            if (rank != gloo_->getRank()) take(rank, 0, all.narrow(0, rank * count, count));
    }

private:
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
    Finish finish_;
};

Error unreachable(const RankEnvironment& at, double seconds, const std::string& problem) {
    return workError("distributed.unreachable",
                     fmt::format("rank {} cannot reach rank 0 at {}:{} within {:g} s: {}", at.rank, at.host,
                                 at.port, seconds, problem))
        .fix("start all ranks, check MASTER_ADDR and MASTER_PORT and the firewall between the machines");
}

milliseconds inMilliseconds(double seconds) {
    return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// c10d writes stack traces about what is reported here in a line.
void quietenLog() {
    if (!environmentVariable("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
}

bool isLoopback(const std::string& host) {
    return host == kLoopback || host == "localhost";
}

// LibTorch's own would listen on all interfaces. Throws; `port` 0 becomes a free one.
int listenOnLoopback(std::uint16_t& port) {
    const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* whole = reinterpret_cast<sockaddr*>(&address);
    ::setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (listening < 0 || ::bind(listening, whole, size) != 0 || ::getsockname(listening, whole, &size) != 0)
        throw std::system_error(errno, std::generic_category());
    port = ntohs(address.sin_port);
    return listening;
}

// In the order that a job of several machines needs: rank 0 listens, the others connect to it.
Result<StorePointer> openStore(const JoinRequest& request, std::uint16_t& port) {
    const RankEnvironment& at = request.environment;
    c10d::TCPStoreOptions options;
    options.port = at.port;
    options.isServer = at.rank == 0 && !at.agentPrefix;
    options.waitWorkers = false;
    options.timeout = inMilliseconds(request.seconds / 2);  // it tries twice
    quietenLog();
    try {
        if (options.isServer && isLoopback(at.host)) options.masterListenFd = listenOnLoopback(options.port);
        auto store = c10::make_intrusive<c10d::TCPStore>(at.host, options);
        port = store->getPort();
        if (!at.agentPrefix) return StorePointer(std::move(store));
        return StorePointer(c10::make_intrusive<c10d::PrefixStore>(*at.agentPrefix, std::move(store)));
    } catch (const std::exception& error) {
        const std::string problem = firstLine(error.what());
        if (problem.find("EADDRINUSE") != std::string::npos ||
            problem.find("already in use") != std::string::npos)
            return requestError("distributed.port", fmt::format("port {} of {} is in use", at.port, at.host))
                .at("MASTER_PORT")
                .fix("choose another port, or end the job that has it");
        return unreachable(at, request.seconds, problem);
    }
}

Result<std::string> checkIn(c10d::Store& store, const RankEnvironment& at) {
    if (store.add(key("joined", at.rank), 1) > 1)
        return requestError(
                   "distributed.environment",
                   fmt::format("another process is rank {} at {}:{} already", at.rank, at.host, at.port))
            .at("RANK")
            .fix("give each job a port of its own");
    put(store, key("who", at.rank), ownName());
    put(store, key("size", at.rank), std::to_string(at.size));
    put(store, key("machine", at.rank), machineId());
    put(store, key("heartbeat", at.rank), "0");
    return ownName();
}

std::optional<Error> failureIn(c10d::Store& store) {
    if (!store.check({kFailure})) return std::nullopt;
    return workError("distributed.rank_lost", take(store, kFailure));
}

/// failureIn() of a store that may be gone.
std::optional<Error> reasonIn(c10d::Store& store) noexcept try {
    return failureIn(store);
} catch (const std::exception&) {
    return std::nullopt;
}

Status checkSize(c10d::Store& store, int rank, int size, int other) {
    const std::string there = take(store, key("size", other));
    if (there == std::to_string(size)) return {};
    return requestError(
               "distributed.environment",
               fmt::format("the world size is {} at rank {}, {} at rank {}", size, rank, there, other))
        .at("WORLD_SIZE");
}

// Of rank 0: until all are there, and then lets them go.
Status waitForRanks(c10d::Store& store, const JoinRequest& request) {
    const int size = request.environment.size;
    const double end = steadySeconds() + request.seconds;
    std::vector<int> missing = allBut(0, size);
    while (true) {
        std::erase_if(missing, [&](int rank) { return store.check({key("heartbeat", rank)}); });
        if (missing.empty()) break;
        if (request.whileWaiting) KURVE_CHECKED(request.whileWaiting());
        if (auto failure = failureIn(store)) return *failure;
        if (steadySeconds() > end)
            return workError("distributed.unreachable", fmt::format("{} of {} did not come within {:g} s",
                                                                    rankList(missing), size, request.seconds))
                .fix("see what they wrote; start as many ranks as the world size says");
        std::this_thread::sleep_for(milliseconds(10));
    }
    for (const int rank : allBut(0, size)) KURVE_CHECKED(checkSize(store, 0, size, rank));
    put(store, "go", "");
    return {};
}

Status waitForStart(c10d::Store& store, const JoinRequest& request) {
    const RankEnvironment& at = request.environment;
    constexpr double kLater = 3;  // than rank 0, which knows who is missing
    const double end = steadySeconds() + request.seconds + kLater;
    while (!store.check({"go"})) {
        if (auto failure = failureIn(store)) return *failure;
        if (steadySeconds() > end) return unreachable(at, request.seconds, "not all ranks came");
        std::this_thread::sleep_for(milliseconds(10));
    }
    return checkSize(store, at.rank, at.size, 0);
}

std::shared_ptr<gloo::transport::Device> networkOf(const RankEnvironment& at) {
    if (const auto interface = environmentVariable("GLOO_SOCKET_IFNAME"))
        return c10d::ProcessGroupGloo::createDeviceForInterface(*interface);
    if (isLoopback(at.host)) return c10d::ProcessGroupGloo::createDeviceForHostname(kLoopback);
    return c10d::ProcessGroupGloo::createDefaultDevice();
}

void noteFailure(c10d::Store& store, const RankEnvironment& at, const Error& error) noexcept {
    try {
        if (store.add("failures", 1) == 1)
            put(store, kFailure, fmt::format("rank {} ({}) ended: {}", at.rank, ownName(), error.text()));
        put(store, kBroken, "");
        // The others read it here.
        if (at.rank == 0 && !at.agentPrefix) std::this_thread::sleep_for(2 * kBeat + kSlice);
    } catch (const std::exception&) {  // nobody is left to hear it
    }
}

/// Null where the ranks are on several machines, or in containers that share no memory.
std::unique_ptr<SharedSlots> shareMemory(c10d::Store& store, const RankEnvironment& at) {
    constexpr const char *kWhere = "memory", *kTogether = "memory/together";
    std::unique_ptr<SharedSlots> slots;
    if (at.rank == 0) {
        slots = SharedSlots::make(at.size);
        put(store, kWhere, slots ? slots->address() : std::string());
        bool all = slots != nullptr;
        for (const int rank : allBut(0, at.size)) all = take(store, key("memory", rank)) == "yes" && all;
        put(store, kTogether, all ? "yes" : "no");
    } else {
        slots = SharedSlots::open(take(store, kWhere), at.rank, at.size);
        put(store, key("memory", at.rank), slots ? "yes" : "no");
    }
    return take(store, kTogether) == "yes" ? std::move(slots) : nullptr;
}

Status meet(c10d::Store& store, const JoinRequest& request, std::uint16_t port) {
    if (request.environment.rank > 0) return waitForStart(store, request);
    if (request.onListening) KURVE_CHECKED(request.onListening(port));
    return waitForRanks(store, request);
}

}  // namespace

Result<std::shared_ptr<ProcessGroup>> ProcessGroup::join(const JoinRequest& request) {
    const RankEnvironment& at = request.environment;
    auto connection = std::make_unique<Connection>();
    connection->rank = at.rank;
    connection->size = at.size;
    std::uint16_t port = 0;
    KURVE_TRY(connection->store, openStore(request, port));
    c10d::Store& store = *connection->store;
    try {
        KURVE_TRY(const std::string name, checkIn(store, at));
        if (const Status met = meet(store, request, port); !met) {
            noteFailure(store, at, met.error());
            return met.error();
        }
        connection->masterName = at.rank == 0 ? name : take(store, key("who", 0));
        connection->open(request, shareMemory(store, at));
        connection->startHeartbeats();
    } catch (const std::exception& error) {
        if (auto ended = reasonIn(store)) return std::move(*ended);  // of a rank that broke the connection
        return unreachable(at, request.seconds, firstLine(error.what()));
    }
    return std::shared_ptr<ProcessGroup>(new ProcessGroup(std::move(connection)));
}

ProcessGroup::ProcessGroup(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
ProcessGroup::~ProcessGroup() = default;

ProcessGroup::Connection::~Connection() {
    {
        const std::lock_guard lock(mutex);
        closing = true;
    }
    wake.notify_all();
    if (heartbeats.joinable()) heartbeats.join();
    // Its destructor waits for operations that wait for the rank that is gone.
    if (broken && gloo) (void)c10::intrusive_ptr<c10d::ProcessGroupGloo>(gloo).release();
}

void ProcessGroup::Connection::open(const JoinRequest& request, std::unique_ptr<SharedSlots> maybeSlots) {
    if (maybeSlots && request.sharedMemory) {
        exchange = std::make_unique<SharedExchange>(std::move(maybeSlots),
                                                    [this](SharedSlots& slots) { awaitAll(slots); });
        return;
    }
    auto options = c10d::ProcessGroupGloo::Options::create(inMilliseconds(request.seconds));
    options->devices.push_back(networkOf(request.environment));
    gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", store),
                                                       rank, size, options);
    gloo->setTimeout(kForever);
    exchange = std::make_unique<GlooExchange>(gloo, [this](const auto& work) { finish(work); });
}

void ProcessGroup::Connection::startHeartbeats() {
    heartbeats = std::thread([this, own = store->clone()] { sendHeartbeats(own); });
}

// Rank 0 watches all, the others rank 0.
void ProcessGroup::Connection::sendHeartbeats(StorePointer own) {
    HeartbeatMonitor monitor(rank == 0 ? allBut(0, size) : std::vector<int>{0});
    std::unique_lock lock(mutex);
    for (std::int64_t count = 1; !closing; ++count) {
        lock.unlock();
        try {
            put(*own, key("heartbeat", rank), std::to_string(count));
            if (own->check({kBroken})) broken = true;
            if (const auto silent = monitor.check(*own, kSilentBeats)) {
                put(*own, kLost, std::to_string(*silent));
                put(*own, kBroken, "");
                broken = true;
            }
        } catch (const std::exception&) {  // its server is gone
            broken = true;
            return;
        }
        lock.lock();
        wake.wait_for(lock, kBeat, [this] { return closing.load(); });
    }
}

void ProcessGroup::Connection::finish(const c10::intrusive_ptr<c10d::Work>& work) {
    for (bool done = false; !done;) {
        try {
            done = work->wait(kSlice);
        } catch (const std::exception& error) {
            const bool slicePassed = !work->isCompleted() || work->isSuccess();
            if (!slicePassed || broken) fail(firstLine(error.what()));
        }
    }
}

void ProcessGroup::Connection::awaitAll(SharedSlots& slots) {
    while (!slots.await(kLook)) {
        if (broken) fail("while waiting for the others");
        // One that went on, and ended then, has been here.
        if (const auto ended = slots.endedRank(); ended && !slots.await(milliseconds(0)))
            fail("a process has ended", ended);
    }
}

void ProcessGroup::Connection::fail(const std::string& problem, std::optional<int> maybeEnded) {
    const Error error = diagnose(problem, maybeEnded);
    broken = true;
    throw RankLost(error);
}

Error ProcessGroup::Connection::lost(int lostRank) {
    const std::string who = lostRank == 0 ? masterName : take(*store, key("who", lostRank));
    return workError("distributed.rank_lost", fmt::format("rank {} ({}) is lost", lostRank, who))
        .fix("kurve resume goes on from the last checkpoint");
}

// What a rank said before it ended, or who another one found silent.
std::optional<Error> ProcessGroup::Connection::known() {
    if (auto failure = failureIn(*store)) return failure;
    if (store->check({kLost})) return lost(std::stoi(take(*store, kLost)));
    return std::nullopt;
}

Error ProcessGroup::Connection::diagnose(const std::string& problem, std::optional<int> maybeEnded) {
    try {
        put(*store, kBroken, "");
        HeartbeatMonitor monitor(allBut(rank, size));
        for (int i = 0; i < kChecks; ++i) {
            if (auto error = known()) return *error;
            if (const auto gone = maybeEnded ? maybeEnded : monitor.check(*store, kSilent)) {
                put(*store, kLost, std::to_string(*gone));
                if (rank == 0) std::this_thread::sleep_for(2 * kLook);  // the others read it here
                return lost(*gone);
            }
            std::this_thread::sleep_for(kLook);
        }
    } catch (const std::exception&) {  // rank 0 had the store
        if (rank > 0) return lost(0);
    }
    return workError("distributed.rank_lost", "the connection between the ranks broke: " + problem);
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
        connection_->fail(firstLine(error.what()));
    }
    return count;
}

bool ProcessGroup::broken() const {
    return connection_->broken;
}

double ProcessGroup::takeWaiting() {
    return std::exchange(connection_->waited, 0.0);
}

namespace {

/// An operation on a block: its elements in the host's memory, and back. Counts the time that it takes.
class OnHost {
public:
    OnHost(const at::Tensor& block, double& seconds)
        : block_(block), seconds_(seconds), start_(steadySeconds()) {
        KURVE_CHECK(block.is_contiguous(), "an exchange of a tensor that is not contiguous");
        host_ = block.to(at::kCPU).view({-1});
    }
    ~OnHost() { seconds_ += steadySeconds() - start_; }
    OnHost(const OnHost&) = delete;
    OnHost& operator=(const OnHost&) = delete;
    [[nodiscard]] const at::Tensor& elements() const { return host_; }
    void giveBack() {
        if (!block_.is_cpu()) block_.copy_(host_.view(block_.sizes()));
    }

private:
    const at::Tensor& block_;
    at::Tensor host_;
    double& seconds_;
    double start_;
};

}  // namespace

void ProcessGroup::allReduce(const at::Tensor& block) {
    OnHost on(block, connection_->waited);
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size()), block.numel());
    connection_->exchange->allGather(
        on.elements(), counts, [&](int rank, std::int64_t first, const at::Tensor& values) {
            const at::Tensor sum = on.elements().narrow(0, first, values.numel());
            rank == 0 ? sum.copy_(values) : sum.add_(values);
        });
    on.giveBack();
}

void ProcessGroup::reduceScatter(const at::Tensor& block) {
    OnHost on(block, connection_->waited);
    const Shard own = shardOf(block.numel(), rank(), size());
    connection_->exchange->scatter(on.elements(), [&](int, std::int64_t first, const at::Tensor& values) {
        on.elements().narrow(0, own.first + first, values.numel()).add_(values);
    });
    on.giveBack();
}

void ProcessGroup::allGather(const at::Tensor& block) {
    OnHost on(block, connection_->waited);
    const Shard own = shardOf(block.numel(), rank(), size());
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size(); ++r) counts.push_back(shardOf(block.numel(), r, size()).count);
    connection_->exchange->allGather(
        on.elements().narrow(0, own.first, own.count), counts,
        [&](int from, std::int64_t first, const at::Tensor& values) {
            if (from == rank()) return;
            const Shard shard = shardOf(block.numel(), from, size());
            on.elements().narrow(0, shard.first + first, values.numel()).copy_(values);
        });
    on.giveBack();
}

void ProcessGroup::broadcast(const at::Tensor& block, int root) {
    OnHost on(block, connection_->waited);
    if (block.numel() > 0) connection_->exchange->broadcast(on.elements(), root);
    on.giveBack();
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
    const double start = steadySeconds();
    std::vector<std::string> all = connection_->gather(text);
    connection_->waited += steadySeconds() - start;
    return all;
}

void ProcessGroup::announce(const std::string& what) {
    try {
        put(*connection_->store, what, "");
    } catch (const std::exception& error) {
        connection_->fail(firstLine(error.what()));
    }
}

void ProcessGroup::awaitAnnouncement(const std::string& what) {
    try {
        while (!connection_->store->check({what})) {
            if (connection_->broken) connection_->fail("while waiting for rank 0");
            std::this_thread::sleep_for(milliseconds(10));
        }
    } catch (const RankLost&) {
        throw;
    } catch (const std::exception& error) {
        connection_->fail(firstLine(error.what()));
    }
}

void ProcessGroup::abort(const Error& reason) noexcept {
    RankEnvironment at;
    at.rank = rank();
    if (!broken()) noteFailure(*connection_->store, at, reason);
    connection_->broken = true;
}

}  // namespace kurve::distributed
