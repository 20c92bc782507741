#pragma once

#include <string_view>

namespace kurve::interop::detail {

// The files of assets/pages.
extern const std::string_view kPageStyle, kPageScript, kReportScript, kPlayerScript;

}  // namespace kurve::interop::detail
