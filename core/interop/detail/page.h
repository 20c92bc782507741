#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace kurve::interop::detail {

/// A page that is whole in itself: style, data as JSON in #data, the scripts that draw them; a policy in it
/// forbids the browser any request. The data gain `title`, `written` (UTC) and `version`.
[[nodiscard]] std::string htmlPage(const std::string& title, nlohmann::json data, std::string_view script);

}  // namespace kurve::interop::detail
