#pragma once

#include <vector>

#include "core/inspect/timeline_model.h"
#include "views/common/table/view_table.h"

namespace kurve::views {

/// A trace as tables: a row per step and position, and a row per step. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(const inspect::TimelineModel& model);

}  // namespace kurve::views
