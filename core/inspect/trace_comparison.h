#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/inspect/step_link.h"
#include "core/inspect/timeline_model.h"

namespace kurve::inspect {

/// Two traces: the step of B for each step of A, and the positions with different tokens. Computed once.
class TraceComparison {
public:
    TraceComparison(std::shared_ptr<const TimelineModel> a, std::shared_ptr<const TimelineModel> b,
                    LinkBy by);

    [[nodiscard]] const TimelineModel& a() const { return *a_; }
    [[nodiscard]] const TimelineModel& b() const { return *b_; }
    [[nodiscard]] LinkBy by() const { return by_; }
    /// The step of B for a step of A (partnerStep()).
    [[nodiscard]] int partner(int stepOfA) const { return partner_[static_cast<std::size_t>(stepOfA)]; }
    /// The step of A whose partner is nearest to a step of B; the earliest of several.
    [[nodiscard]] int back(int stepOfB) const;

    /// Positions of the longer trace.
    [[nodiscard]] int positions() const { return positions_; }
    [[nodiscard]] bool differs(int stepOfA, int position) const;
    [[nodiscard]] int count(int stepOfA) const;          ///< positions that differ
    [[nodiscard]] int firstPosition(int stepOfA) const;  ///< the first that differs, -1 = none
    [[nodiscard]] int firstStep() const;                 ///< of A, at which any position differs, -1 = none

private:
    [[nodiscard]] bool compare(int stepOfA, int stepOfB, int position) const;

    std::shared_ptr<const TimelineModel> a_, b_;
    LinkBy by_;
    bool sameIds_ = false;  ///< one tokenizer: ids mean the same
    int positions_ = 0;
    std::vector<int> partner_;           ///< [A's steps]
    std::vector<std::uint8_t> differs_;  ///< [A's steps, positions]
};

/// Names of A and B from what differs (run, training step, seed, prompt, change of a branch). Never empty.
[[nodiscard]] std::pair<std::string, std::string> distinguishingNames(const trace::Trace& a,
                                                                      const trace::Trace& b);

}  // namespace kurve::inspect
