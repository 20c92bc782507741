#include "core/distributed/detail/rendezvous.h"

#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/clock.h"
#include "core/base/printable.h"
#include "core/base/text.h"

namespace kurve::distributed::detail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUntilRead{2000};  // what rank 0's store says when it ends

milliseconds inMilliseconds(double seconds) {
    return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// c10d writes stack traces about what is reported here in a line.
void quietenLog() {
    if (!environmentVariable("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
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

std::string rankList(const std::vector<int>& ranks) {
    std::vector<std::string> names;
    for (const int rank : ranks) names.push_back(std::to_string(rank));
    return (ranks.size() == 1 ? "rank " : "ranks ") + join(names, ", ");
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

}  // namespace

Error unreachable(const RankEnvironment& at, double seconds, const std::string& problem) {
    return workError("distributed.unreachable",
                     fmt::format("rank {} cannot reach rank 0 at {}:{} within {:g} s: {}", at.rank, at.host,
                                 at.port, seconds, problem))
        .fix("start all ranks, check MASTER_ADDR and MASTER_PORT and the firewall between the machines");
}

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

Status checkIn(c10d::Store& store, const RankEnvironment& at) {
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
    return {};
}

std::optional<Error> failureIn(c10d::Store& store) {
    if (!store.check({kFailure})) return std::nullopt;
    return workError("distributed.rank_lost", take(store, kFailure));
}

std::optional<Error> reasonIn(c10d::Store& store) noexcept try {
    return failureIn(store);
} catch (const std::exception&) {
    return std::nullopt;
}

void noteFailure(c10d::Store& store, const RankEnvironment& at, const Error& error) noexcept {
    try {
        if (store.add("failures", 1) == 1)
            put(store, kFailure, fmt::format("rank {} ({}) ended: {}", at.rank, ownName(), error.text()));
        put(store, kBroken, "");
        // The others read it here.
        if (at.rank == 0 && !at.agentPrefix) std::this_thread::sleep_for(kUntilRead);
    } catch (const std::exception&) {  // nobody is left to hear it
    }
}

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

}  // namespace kurve::distributed::detail
