#include "core/trace/marks.h"

namespace kurve::trace {
namespace {

const Block* marksIn(const Trace& trace, const char* name) {
    const Block* block = trace.block(name);
    const bool fits = block != nullptr &&
                      block->shape == std::vector<std::int64_t>{trace.steps, trace.positions} &&
                      block->data.size() == trace.cell(trace.steps, 0);
    return fits ? block : nullptr;
}

}  // namespace

bool foundMasked(const Trace& trace, int step, int position) {
    const TokenState state = trace.stateAt(step, position);
    if (state == TokenState::Pad) return true;
    if (const Block* found = marksIn(trace, "found_masked"))
        return found->data[trace.cell(step, position)] > 0.5F;
    return state == TokenState::Masked || state == TokenState::Remask;
}

TokenMarks::TokenMarks(const Trace& trace)
    : trace_(&trace), willMask_(marksIn(trace, "will_mask")), committed_(marksIn(trace, "committed")) {
    for (int step = 0; step < trace.steps; ++step)
        for (int position = 0; position < trace.positions; ++position) {
            anyWillMask_ = anyWillMask_ || willMask(step, position);
            anyCommitted_ = anyCommitted_ || committed(step, position);
        }
}

bool TokenMarks::willMask(int step, int position) const {
    if (willMask_ != nullptr && willMask_->data[trace_->cell(step, position)] > 0.5F) return true;
    return step + 1 < trace_->steps && trace_->stateAt(step + 1, position) == TokenState::Remask;
}

bool TokenMarks::committed(int step, int position) const {
    return committed_ != nullptr && committed_->data[trace_->cell(step, position)] > 0.5F;
}

}  // namespace kurve::trace
