#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/interop/detail/report_data.h"

namespace kurve::interop::detail {

/// Accuracy against diversity of the runs' sweeps, a plane for each pair of `planes` (none: the pair of
/// metrics that most points have): what report.js draws, with intervals, seed ellipses, fronts and notes on
/// comparability. Empty where no run was swept.
[[nodiscard]] nlohmann::json frontsJson(const store::Project& project, const std::vector<ReportRun>& runs,
                                        std::span<const ReportPlane> planes);

}  // namespace kurve::interop::detail
