#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/distributed/process_group.h"
#include "core/text/dataset.h"

namespace kurve::train {

/// What rank 0 tells the others to do next.
struct RankCommand {
    enum class Kind : std::uint8_t { Step, ClearNonFinite, Configure, GiveAverage, GiveMoments, End };
    Kind kind = Kind::Step;
    double learningRate = 0;
    text::BatchStream::Position data = {};  ///< the first batch
    std::int64_t batches = 0;
    bool buffers = false;     ///< the module's buffers follow
    bool gradients = false;   ///< Trainer::keepGradients()
    std::string config = {};  ///< canonical text
};
/// Both throw RankLost.
void sendCommand(distributed::ProcessGroup& group, const RankCommand& command);
[[nodiscard]] RankCommand receiveCommand(distributed::ProcessGroup& group);

/// What must be the same on all ranks. Errors, on every rank alike: distributed.differs, which names the
/// first rank that differs from rank 0, and in what. Throws RankLost.
struct RankIdentity {
    std::string experimentHash, dataHash;
    c10::Device device;
    int replicas = 1;
};
Status checkSameExperiment(distributed::ProcessGroup& group, const RankIdentity& own);

}  // namespace kurve::train
