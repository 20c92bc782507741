#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "core/distributed/process_group.h"

namespace kurve::train {

/// Of the rows of a part, [B] each.
struct PartRows {
    at::Tensor logSnr, loss;
    at::Tensor noiseStep;  ///< i64; undefined: LossReport has none
};

/// What a step's losses add up to; tensors are on the device.
struct StepSums {
    at::Tensor loss;                          ///< scalar; undefined of a rank that had no rows
    std::map<std::string, at::Tensor> parts;  ///< scalars, weighted like the loss
    std::map<std::size_t, PartRows> rows;     ///< by part
    at::Tensor gradientSquare;                ///< |gradient|^2, scalar; one process needs no sum of it
};

/// How long the ranks of a step took, by rank, in seconds.
struct RankTimes {
    std::vector<double> computing;
    std::vector<double> waiting;  ///< of the step before: for the others and the network
};

/// Brings the sums of all ranks together, in one exchange. Used from one thread, by all ranks alike, in this
/// order.
class StepExchange {
public:
    explicit StepExchange(distributed::ProcessGroup& group) : group_(group) {}
    void beginStep();
    void endComputing();
    /// Of a rank's sums (those of rows on the host) the sums of all, added in the order of the ranks. Throws
    /// RankLost.
    void combine(StepSums& sums);
    void endStep();
    [[nodiscard]] const RankTimes& times() const { return times_; }

private:
    distributed::ProcessGroup& group_;
    RankTimes times_;
    double began_ = 0, computed_ = 0, waited_ = 0;
};

}  // namespace kurve::train
