#pragma once

#include <vector>

#include "views/common/table/view_table.h"
#include "views/timeline/timeline_model.h"

namespace kurve::views {

/// A trace as tables: a row per step and position, and a row per step. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(const TimelineModel& model);

}  // namespace kurve::views
