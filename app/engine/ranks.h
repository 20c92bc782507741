#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "app/engine/command.h"
#include "core/distributed/process_group.h"

namespace kurve::engine {

/// Options of commands that train.
struct RankOptions {
    int processes = 0;         ///< --nproc; 0: as the environment says
    double joinSeconds = 300;  ///< --join-timeout
};
/// Returns --nproc.
CLI::Option* addRankOptions(CLI::App& app, RankOptions& options);

/// Children of this process: the same command, once for each further rank. They end with this process,
/// however it ends.
class LocalRanks {
public:
    LocalRanks() = default;
    ~LocalRanks();  ///< gives them a moment to end by themselves
    LocalRanks(const LocalRanks&) = delete;
    LocalRanks& operator=(const LocalRanks&) = delete;
    /// Ranks 1 … size - 1, which find rank 0 at that port. Errors: distributed.start.
    Status start(int size, std::uint16_t port);
    /// Errors: distributed.start where one has ended already.
    Status checkAlive();

private:
    std::vector<pid_t> pids_;  // of ranks 1, 2, …; -1: ended
};

/// The processes of a training.
struct RankWorld {
    std::unique_ptr<LocalRanks> children;              // outlives the group
    std::shared_ptr<distributed::ProcessGroup> group;  ///< null in one process
    c10::Device device = c10::kCPU;
    [[nodiscard]] bool follows() const { return group && group->rank() > 0; }
};
/// What --nproc or a launcher's environment asks for; the device is the one of --device, with several ranks
/// on GPUs that of LOCAL_RANK. Errors: device.*, distributed.*.
Result<RankWorld> joinRanks(const CommonOptions& common, const RankOptions& options);

}  // namespace kurve::engine
