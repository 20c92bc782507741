#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/inspect/timeline_model.h"

namespace kurve::inspect {

/// Cells of a trace that match a query, in the order step, position. All terms must match: "position 7" or
/// "7" (that position, where there is one), "changed", "new", "masked", "remasked", "given" (its state),
/// "will-mask", "committed" (marks of the trace), "confidence<0.3" (also margin, entropy, norm, and >),
/// anything else: part of a new token (a cell matches where the token is new, not while it stays). A position
/// alone matches its changes. Errors: search.empty, search.number.
[[nodiscard]] Result<std::vector<TraceCell>> searchTrace(const TimelineModel& model,
                                                         const std::string& query);

}  // namespace kurve::inspect
