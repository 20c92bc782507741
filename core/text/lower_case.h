#pragma once

#include <string>
#include <string_view>

namespace kurve::text {

/// Lower-cases the letters of valid UTF-8 in every script, one code point for one; independent of the locale.
[[nodiscard]] std::string lowerCase(std::string_view text);
/// Whether the code point is punctuation, a symbol or a space; of ASCII, Latin-1 and U+2000 to U+303F.
[[nodiscard]] bool isPunctuation(char32_t point);

}  // namespace kurve::text
