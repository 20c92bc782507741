#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kurve::text::detail {

/// Properties and normal forms of Unicode 15 (utf8proc).
[[nodiscard]] bool isWhiteSpace(char32_t p);          ///< White_Space
[[nodiscard]] bool isUnicodeControl(char32_t p);      ///< general categories Cc, Cf and Co
[[nodiscard]] bool isUnicodePunctuation(char32_t p);  ///< general categories P*
[[nodiscard]] bool isNonSpacingMark(char32_t p);      ///< general category Mn
/// Appends the lower case of one character, without its surroundings: "i̇" for "İ", never a final sigma.
void appendLowerCase(char32_t p, std::vector<char32_t>& out);
/// Canonical decomposition, NFD.
[[nodiscard]] std::vector<char32_t> decompose(const std::vector<char32_t>& text);
/// Canonical composition, NFC, of valid UTF-8.
[[nodiscard]] std::string compose(std::string_view text);

}  // namespace kurve::text::detail
