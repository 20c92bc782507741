#include "core/trace/marks.h"

namespace kurve::trace {
namespace {

const Block* marksIn(const Trace& trace, const char* name) {
    const Block* block = trace.block(name);
    const bool fits = block != nullptr &&
                      block->shape == std::vector<std::int64_t>{trace.steps, trace.slots} &&
                      block->data.size() == trace.tokens.size();
    return fits ? block : nullptr;
}

}  // namespace

bool foundMasked(const Trace& trace, int step, int slot) {
    const auto state = static_cast<SlotState>(trace.state[trace.cell(step, slot)]);
    if (state == SlotState::New) return trace.metaText("kind") == "discrete";  // filled at this very step
    return state == SlotState::Masked || state == SlotState::Remask || state == SlotState::Pad;
}

SlotMarks::SlotMarks(const Trace& trace)
    : trace_(&trace), willMask_(marksIn(trace, "will_mask")), committed_(marksIn(trace, "committed")) {
    for (int step = 0; step < trace.steps; ++step)
        for (int slot = 0; slot < trace.slots; ++slot) {
            anyWillMask_ = anyWillMask_ || willMask(step, slot);
            anyCommitted_ = anyCommitted_ || committed(step, slot);
        }
}

bool SlotMarks::willMask(int step, int slot) const {
    if (willMask_ != nullptr && willMask_->data[trace_->cell(step, slot)] > 0.5F) return true;
    return step + 1 < trace_->steps &&
           trace_->state[trace_->cell(step + 1, slot)] == static_cast<std::uint8_t>(SlotState::Remask);
}

bool SlotMarks::committed(int step, int slot) const {
    return committed_ != nullptr && committed_->data[trace_->cell(step, slot)] > 0.5F;
}

}  // namespace kurve::trace
