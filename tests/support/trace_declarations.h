#pragma once

#include <algorithm>

#include "core/trace/trace.h"

namespace kurve::test {

/// Declares that the noise is a mask, which the network read where a position is masked, new or remasked.
inline void declareMasks(trace::Trace& trace) {
    using S = trace::TokenState;
    trace::Block found{{trace.steps, trace.positions}, {}, true};
    for (const std::uint8_t state : trace.state) {
        const auto is = static_cast<S>(state);
        found.data.push_back(is == S::Masked || is == S::New || is == S::Remask ? 1.0F : 0.0F);
    }
    trace.blocks["found_masked"] = std::move(found);
}

/// Declares that a step generates one position, in order.
inline void declareOrder(trace::Trace& trace) {
    trace.outerLength = trace.positions;
    trace.inner.assign(static_cast<std::size_t>(trace.steps), 0);
    for (int step = 0; step < trace.steps; ++step) trace.outer.push_back(std::min(step, trace.positions - 1));
}

}  // namespace kurve::test
