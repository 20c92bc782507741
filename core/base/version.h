#pragma once

namespace kurve {

[[nodiscard]] const char* versionText();  ///< "0.1.0"
[[nodiscard]] const char* commitText();   ///< short git hash, with -dirty; "unknown" outside a checkout

}  // namespace kurve
