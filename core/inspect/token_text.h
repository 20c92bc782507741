#pragma once

#include <string>

namespace kurve::inspect {

/// How a token is shown: SentencePiece's word mark becomes the space before it.
struct TokenText {
    std::string text;        ///< without the mark
    bool wordStart = false;  ///< a space stands before it
    bool special = false;    ///< <s>, </s>, <pad>, <mask>, …
};
[[nodiscard]] TokenText tokenText(const std::string& token);
/// A token shown alone: ␣ for a space.
[[nodiscard]] std::string shownText(const TokenText& token);

}  // namespace kurve::inspect
