#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "views/timeline/timeline_model.h"

namespace kurve::views {

/// Places of a trace that a question means, in the order step, slot. The question is words that must all
/// hold: "slot 7" or "7" (that slot), "changed", "new", "masked", "remasked", "given" (what happened there),
/// "will-mask", "committed" (what the trace declares),
/// "confidence<0.3" (also margin, entropy, and >), anything else: a piece of the token that came there
/// (a place counts where it arrives, not while it stays). A slot alone means its changes. Errors:
/// search.empty, search.number.
[[nodiscard]] Result<std::vector<Edit>> searchTrace(const TimelineModel& model, const QString& question);

}  // namespace kurve::views
