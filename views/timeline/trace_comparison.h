#pragma once

#include <memory>
#include <vector>

#include "views/common/step_link.h"
#include "views/timeline/timeline_model.h"

namespace kurve::views {

/// Two denoisings beside each other: which step of B stands beside a step of A, and in which slots they hold
/// different tokens there. Pure; computed once.
class TraceComparison {
public:
    TraceComparison(std::shared_ptr<const TimelineModel> a, std::shared_ptr<const TimelineModel> b,
                    LinkBy by);

    [[nodiscard]] const TimelineModel& a() const { return *a_; }
    [[nodiscard]] const TimelineModel& b() const { return *b_; }
    [[nodiscard]] LinkBy by() const { return by_; }
    /// The step of B beside a step of A (partnerStep()).
    [[nodiscard]] int partner(int stepOfA) const { return partner_[static_cast<std::size_t>(stepOfA)]; }
    /// The step of A whose partner is nearest to a step of B; the earliest of several.
    [[nodiscard]] int back(int stepOfB) const;

    /// Slots of the longer trace.
    [[nodiscard]] int slots() const { return slots_; }
    [[nodiscard]] bool differs(int stepOfA, int slot) const;
    [[nodiscard]] int count(int stepOfA) const;      ///< slots that differ
    [[nodiscard]] int firstSlot(int stepOfA) const;  ///< the first that differs, -1 = none
    [[nodiscard]] int firstStep() const;             ///< of A, at which any slot differs, -1 = none

private:
    [[nodiscard]] bool compare(int stepOfA, int stepOfB, int slot) const;

    std::shared_ptr<const TimelineModel> a_, b_;
    LinkBy by_;
    bool sameIds_ = false;  ///< one tokenizer: ids mean the same
    int slots_ = 0;
    std::vector<int> partner_;           ///< [A's steps]
    std::vector<std::uint8_t> differs_;  ///< [A's steps, slots]
};

/// What tells the traces apart (run, training step, seed, sampler, prompt, change of a branch), A's then B's;
/// what they share is left out. Never empty.
[[nodiscard]] std::pair<QString, QString> namesApart(const trace::Trace& a, const trace::Trace& b);

}  // namespace kurve::views
