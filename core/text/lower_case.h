#pragma once

#include <string>
#include <string_view>

namespace kurve::text {

/// Lower-cases Latin, Greek and Cyrillic letters of valid UTF-8, one code point for one; independent of the
/// locale.
[[nodiscard]] std::string lowerCase(std::string_view text);
/// Whether the code point is punctuation, a symbol or a space, for the scripts that lowerCase() knows.
[[nodiscard]] bool isPunctuation(char32_t point);

}  // namespace kurve::text
