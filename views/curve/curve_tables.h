#pragma once

#include <vector>

#include "views/common/view_table.h"
#include "views/curve/curve_model.h"

namespace kurve::views {

/// What the sentence-curve view shows at all steps: control points, words and the curve on the axes of its
/// basis, and the numbers of each step. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(const CurveModel& model);

}  // namespace kurve::views
