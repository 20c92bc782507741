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
};

/// How long the ranks of a step took, by rank, in seconds.
struct RankTimes {
    std::vector<double> computing;
    std::vector<double> waiting;  ///< of the step before: for the others and the network
};

/// Brings the sums of all ranks together. Used from one thread, by all ranks alike.
class StepExchange {
public:
    explicit StepExchange(distributed::ProcessGroup& group) : group_(group) {}
    void beginStep();
    /// Afterwards every rank has the sums of all `parts` parts, and the rows of each. Throws RankLost.
    void combine(StepSums& sums, std::size_t parts);
    void endStep();
    [[nodiscard]] const RankTimes& times() const { return times_; }

private:
    [[nodiscard]] at::Tensor message(const StepSums& sums, std::size_t parts, double computing) const;
    void learnNames(const StepSums& sums);
    void takeScalars(const at::Tensor& message, StepSums& sums);
    void combineRows(const at::Tensor& counts, StepSums& sums);

    distributed::ProcessGroup& group_;
    std::vector<std::string> names_;  // of the parts, the same on all ranks
    RankTimes times_;
    double began_ = 0, waited_ = 0;
};

}  // namespace kurve::train
