#pragma once

#include <string_view>

namespace kurve::interop::detail {

// The files of assets/pages.
extern const std::string_view kPageStyle, kPageScript, kPlayerScript;
// Of a report, in the order in which they follow each other.
extern const std::string_view kReportCharts, kReportFronts, kReportGroups, kReportScript;

}  // namespace kurve::interop::detail
