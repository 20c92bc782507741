#pragma once

#include "core/trace/trace.h"

namespace kurve::trace {

/// Whether the model's input had the mask at a position when it computed this step: its states and attention
/// there are the mask's, not a token's. As the layer "found_masked" says, else by the state. True of padding
/// as well.
[[nodiscard]] bool foundMasked(const Trace& trace, int step, int position);

/// What a trace declares of a position at a step beside its TokenState, as blocks [S, N] with 1 = yes:
///   "will_mask"  the position is masked again by the next step, whatever it holds now
///   "committed"  its block is finished: the sampler will not touch it any more
/// A family that works by blocks or masks records them; nothing has to be known of it to draw them. Refers to
/// the trace.
class TokenMarks {
public:
    explicit TokenMarks(const Trace& trace);
    /// Declared, or derived from the next step's state.
    [[nodiscard]] bool willMask(int step, int position) const;
    [[nodiscard]] bool committed(int step, int position) const;
    [[nodiscard]] bool anyWillMask() const { return anyWillMask_; }  ///< somewhere in the trace
    [[nodiscard]] bool anyCommitted() const { return anyCommitted_; }

private:
    const Trace* trace_;
    const Block *willMask_, *committed_;  ///< null = not declared, or of another shape
    bool anyWillMask_ = false, anyCommitted_ = false;
};

}  // namespace kurve::trace
