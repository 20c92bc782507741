#pragma once

#include <vector>

#include "views/common/table/view_table.h"
#include "views/curve/curve_model.h"

namespace kurve::views {

/// The data of the sentence-curve view at all steps: control points, tokens and the curve on the axes of its
/// basis, and the statistics per step. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(const CurveModel& model);

}  // namespace kurve::views
