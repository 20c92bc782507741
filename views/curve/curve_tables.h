#pragma once

#include <vector>

#include "core/inspect/curve_model.h"
#include "views/common/table/view_table.h"

namespace kurve::views {

/// The data of the sentence-curve view at all steps: control points, tokens and the curve on the axes of its
/// basis, and the statistics per step. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(const inspect::CurveModel& model);

}  // namespace kurve::views
