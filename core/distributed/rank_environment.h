#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace kurve::distributed {

/// Where rank 0 is on one machine.
inline constexpr const char* kLoopback = "127.0.0.1";
/// By its address or its name.
[[nodiscard]] bool isLoopback(const std::string& host);

/// Which of several processes this one is, and where rank 0 is found.
struct RankEnvironment {
    int rank = 0, size = 1;
    int localRank = 0;  ///< among those of its machine
    std::string host;   ///< of the store, which rank 0 serves: to its own machine alone if that is loopback
    std::uint16_t port = 0;
    /// torchrun's agent serves the store: rank 0 does not. Keys begin with that of the attempt.
    std::optional<std::string> agentPrefix = std::nullopt;
};

using EnvironmentLookup = std::function<std::optional<std::string>(const char* name)>;
/// getenv().
[[nodiscard]] std::optional<std::string> environmentVariable(const char* name);

/// What torchrun (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT), srun (SLURM_PROCID,
/// SLURM_STEP_NUM_TASKS, SLURM_LOCALID) or Open MPI's mpirun (OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK) set,
/// in this order; nothing in a process alone. The last two name no rank 0: on one machine it is this one,
/// with a port made of the job's number, else MASTER_ADDR is needed. Errors: distributed.environment.
Result<std::optional<RankEnvironment>> rankEnvironment(const EnvironmentLookup& lookup);

/// Which of a machine's `gpus` GPUs is a rank's: the one of its local rank; under srun the only one that it
/// is shown (--gpus-per-task=1). Errors: device.no_such_gpu.
Result<int> gpuOfRank(const EnvironmentLookup& lookup, const RankEnvironment& at, int gpus);
/// Whether each process of --nproc gets one of the GPUs that this process is shown. Errors:
/// device.no_such_gpu.
Status checkGpusFor(int processes, int gpus);

}  // namespace kurve::distributed
