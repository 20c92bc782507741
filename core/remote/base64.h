#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kurve::remote {

/// Bytes as text of a message (RFC 4648, section 4).
[[nodiscard]] std::string toBase64(std::string_view bytes);
/// Errors: remote.damaged.
Result<std::string> fromBase64(std::string_view text);

}  // namespace kurve::remote
