#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/config/run_config.h"

namespace kurve::train {

/// The last step of a run, which the learning-rate schedule needs to know from the start.
///
/// With train.steps it is that number. A run planned by time starts with train.expected_steps and corrects
/// the number by the measured speed about every twentieth of its time, or of its steps where that is sooner;
/// each correction holds from the step on at which it was made and is part of the checkpoint, so that a
/// replay uses the same numbers and needs no clock.
class StepPlan {
public:
    StepPlan() = default;
    /// Of a run that begins with `from` steps done (a fork): its time, and the steps expected in it, are its
    /// own.
    explicit StepPlan(const RunConfig& config, std::int64_t from = 0);
    explicit StepPlan(std::vector<std::pair<std::int64_t, std::int64_t>> corrections)
        : corrections_(std::move(corrections)) {}

    /// The total that holds for the step after `done` steps.
    [[nodiscard]] std::int64_t total(std::int64_t done) const;
    /// From `done` steps on the run ends at `total` or later; returns true if that is news. A learning rate
    /// that falls until the end would else be zero for the additional steps.
    bool lengthen(std::int64_t done, std::int64_t total);
    /// Called after every step of a run planned by time: `seconds` of `limit` passed in `done` steps.
    /// Returns true if the plan was corrected.
    struct Measured {
        std::int64_t done = 0;
        double seconds = 0, limit = 0;
    };
    bool correct(const Measured& now);
    [[nodiscard]] const std::vector<std::pair<std::int64_t, std::int64_t>>& corrections() const {
        return corrections_;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> corrections_;  // (from this many steps done, total)
    Measured last_;
    bool measuring_ = false;
};

/// The learning rate of the step after `done` steps.
[[nodiscard]] double learningRateAt(const RunConfig& config, const StepPlan& plan, std::int64_t done);

}  // namespace kurve::train
