#pragma once

#include <vector>

#include "views/common/view_table.h"
#include "views/timeline/timeline_model.h"

namespace kurve::views {

/// A denoising as data: a row per step and slot, and one per step. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(const TimelineModel& model);

}  // namespace kurve::views
