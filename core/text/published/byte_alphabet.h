#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kurve::text::detail {

/// Bytes as the printable characters that stand for them in vocabularies of byte tokens: " the" is "Ġthe"
/// (bytes_to_unicode of GPT-2's encoder.py).
[[nodiscard]] std::string spellBytes(std::string_view bytes);
/// The bytes of such a spelling (valid UTF-8); nothing where a character stands for no byte.
[[nodiscard]] std::optional<std::string> bytesOfSpelling(std::string_view spelling);

/// Each sequence that is no UTF-8, as long as it could still have become a character, replaced by U+FFFD
/// (Unicode standard, 3.9: maximal subparts).
[[nodiscard]] std::string replaceInvalidUtf8(std::string bytes);

}  // namespace kurve::text::detail
