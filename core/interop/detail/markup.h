#pragma once

#include <string>
#include <string_view>

namespace kurve::interop::detail {

/// Text as it stands between the tags of HTML or SVG. Control characters are left out: XML knows none.
[[nodiscard]] std::string markupText(std::string_view text);

}  // namespace kurve::interop::detail
