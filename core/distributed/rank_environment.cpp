#include "core/distributed/rank_environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "core/base/hash.h"

namespace kurve::distributed {
namespace {

constexpr std::uint64_t kFirstPort = 20000, kPorts = 10000;  // below those that Linux gives to clients

/// The names under which a launcher says it; the last two may be missing.
struct Launcher {
    const char *rank, *size, *localRank;
    const char* nodes;      ///< how many machines there are; null: MASTER_ADDR is always needed
    const char* localSize;  ///< of a launcher that does not say it: how many ranks this machine has
    const char* job;        ///< a text that no other job has
};
constexpr Launcher kTorchrun{"RANK", "WORLD_SIZE", "LOCAL_RANK", nullptr, nullptr, nullptr};
constexpr Launcher kSlurm{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_NUM_NODES",
                          nullptr,        "SLURM_JOB_ID"};
constexpr Launcher kOpenMpi{"OMPI_COMM_WORLD_RANK",       "OMPI_COMM_WORLD_SIZE",
                            "OMPI_COMM_WORLD_LOCAL_RANK", nullptr,
                            "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"};

Error wrong(const char* name, const std::string& message) {
    return requestError("distributed.environment", message)
        .at(name)
        .fix("start the ranks by torchrun, srun, mpirun or --nproc");
}

Result<int> number(const EnvironmentLookup& lookup, const char* name, int lowest, int highest) {
    const auto text = lookup(name);
    if (!text) return wrong(name, "is not set");
    int value = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (problem != std::errc() || end != text->data() + text->size())
        return wrong(name, fmt::format("\"{}\" is not a whole number", *text));
    if (value < lowest || value > highest)
        return wrong(name, fmt::format("{} is not in {} to {}", value, lowest, highest));
    return value;
}

constexpr int kMostRanks = 65535;

bool isOneMachine(const EnvironmentLookup& lookup, const Launcher& launcher, int size) {
    const char* name = launcher.nodes != nullptr ? launcher.nodes : launcher.localSize;
    return name != nullptr && lookup(name) == std::to_string(launcher.nodes != nullptr ? 1 : size);
}

// Ranks that cannot talk yet agree on it, and two jobs of one machine take different ones.
std::uint16_t portOfJob(const std::string& job) {
    return static_cast<std::uint16_t>(kFirstPort + fnv1a(job) % kPorts);
}

Status addMaster(const EnvironmentLookup& lookup, const Launcher& launcher, RankEnvironment& found) {
    const bool alone = isOneMachine(lookup, launcher, found.size);
    const auto host = lookup("MASTER_ADDR");
    if ((!host || host->empty()) && !alone)
        return wrong("MASTER_ADDR", "is not set: the ranks are on several machines")
            .fix("set it to the host of rank 0, and MASTER_PORT to a free port there");
    found.host = host && !host->empty() ? *host : kLoopback;
    const auto job = launcher.job != nullptr ? lookup(launcher.job) : std::nullopt;
    if (!lookup("MASTER_PORT") && job) {
        found.port = portOfJob(*job + lookup("SLURM_STEP_ID").value_or(""));
        return {};
    }
    KURVE_TRY(const int port, number(lookup, "MASTER_PORT", 1, 65535));
    found.port = static_cast<std::uint16_t>(port);
    return {};
}

Result<std::optional<RankEnvironment>> read(const EnvironmentLookup& lookup, const Launcher& launcher) {
    RankEnvironment found;
    KURVE_TRY(found.size, number(lookup, launcher.size, 1, kMostRanks));
    KURVE_TRY(found.rank, number(lookup, launcher.rank, 0, kMostRanks));
    if (found.rank >= found.size)
        return wrong(launcher.rank,
                     fmt::format("{} is no rank of {} ({})", found.rank, found.size, launcher.size));
    if (found.size == 1) return std::optional<RankEnvironment>();
    if (lookup(launcher.localRank)) {
        KURVE_TRY(found.localRank, number(lookup, launcher.localRank, 0, kMostRanks));
    }
    KURVE_CHECKED(addMaster(lookup, launcher, found));
    if (lookup("TORCHELASTIC_USE_AGENT_STORE") == "True")
        found.agentPrefix = "/worker/attempt_" + lookup("TORCHELASTIC_RESTART_COUNT").value_or("0");
    return std::optional(found);
}

}  // namespace

bool isLoopback(const std::string& host) {
    return host == kLoopback || host == "localhost";
}

std::optional<std::string> environmentVariable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::optional<RankEnvironment>> rankEnvironment(const EnvironmentLookup& lookup) {
    // Of WORLD_SIZE alone a container may tell; of a batch script SLURM_PROCID.
    if (lookup(kTorchrun.rank)) return read(lookup, kTorchrun);
    if (lookup(kSlurm.rank) && lookup(kSlurm.size)) return read(lookup, kSlurm);
    if (lookup(kOpenMpi.rank)) return read(lookup, kOpenMpi);
    return std::optional<RankEnvironment>();
}

namespace {

std::string countedGpus(int gpus) {
    return gpus == 1 ? "GPU 0 alone" : fmt::format("{} GPUs", gpus);
}

}  // namespace

Result<int> gpuOfRank(const EnvironmentLookup& lookup, const RankEnvironment& at, int gpus) {
    const bool bySrun = !lookup(kTorchrun.rank) && lookup(kSlurm.size);
    if (gpus == 1 && bySrun) return 0;
    if (at.localRank >= gpus)
        return requestError("device.no_such_gpu",
                            fmt::format("rank {} needs GPU {} of its machine, which has {}", at.rank,
                                        at.localRank, countedGpus(gpus)))
            .at("LOCAL_RANK")
            .fix("start no more ranks on a machine than it has GPUs, or use --device cpu");
    return at.localRank;
}

Status checkGpusFor(int processes, int gpus) {
    if (processes <= gpus) return {};
    return requestError("device.no_such_gpu", fmt::format("{} processes need a GPU each; this one sees {}",
                                                          processes, countedGpus(gpus)))
        .at("--nproc")
        .fix("start no more processes than there are GPUs, or use --device cpu");
}

}  // namespace kurve::distributed
