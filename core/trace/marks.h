#pragma once

#include "core/trace/trace.h"

namespace kurve::trace {

/// Whether the model found the mask in a slot when it computed this step: what it holds there (states,
/// attention) is the mask's, not a word's. True of padding as well; never of a continuous model's words.
[[nodiscard]] bool foundMasked(const Trace& trace, int step, int slot);

/// What a trace declares of a slot at a step beside its SlotState, as blocks [S, N] with 1 = yes:
///   "will_mask"  the slot is masked again by the next step, whatever it holds now
///   "committed"  its block is finished: the sampler will not touch it any more
/// A family that works by blocks or masks records them; nothing has to be known of it to draw them. Refers to
/// the trace.
class SlotMarks {
public:
    explicit SlotMarks(const Trace& trace);
    /// Declared, or seen in the next step's state.
    [[nodiscard]] bool willMask(int step, int slot) const;
    [[nodiscard]] bool committed(int step, int slot) const;
    [[nodiscard]] bool anyWillMask() const { return anyWillMask_; }  ///< somewhere in the trace
    [[nodiscard]] bool anyCommitted() const { return anyCommitted_; }

private:
    const Trace* trace_;
    const Block *willMask_, *committed_;  ///< null = not declared, or of another shape
    bool anyWillMask_ = false, anyCommitted_ = false;
};

}  // namespace kurve::trace
