#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/interop/detail/report_data.h"
#include "core/interop/report.h"

namespace kurve::interop::detail {

/// What report.js draws a view by: the choices, and the table of groups with means, intervals (Student) and
/// differences (Welch) to the first run's group.
[[nodiscard]] nlohmann::json viewJson(const std::vector<ReportRun>& runs, const ReportView& view);

}  // namespace kurve::interop::detail
