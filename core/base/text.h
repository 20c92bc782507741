#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kurve {

/// Byte offset of the first byte that is not valid UTF-8 (overlong forms and surrogates included), if any.
[[nodiscard]] std::optional<std::size_t> firstInvalidUtf8(std::string_view text);
/// Code points of valid UTF-8 text.
[[nodiscard]] std::vector<char32_t> codePoints(std::string_view text);
[[nodiscard]] std::string toUtf8(std::span<const char32_t> codePoints);

[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
/// Words separated by any run of ASCII white space.
[[nodiscard]] std::vector<std::string> splitWords(std::string_view text);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// The candidate with the smallest edit distance to `word`, if it is near enough to be a misspelling (<= 1/3
/// of the length, at least 2).
[[nodiscard]] std::optional<std::string> nearestWord(std::string_view word,
                                                     std::span<const std::string> candidates);

}  // namespace kurve
