#pragma once

#include <string>

namespace kurve::views {

/// How a piece is shown: SentencePiece's word mark becomes the space before it.
struct PieceText {
    std::string text;        ///< without the mark
    bool wordStart = false;  ///< a space stands before it
    bool special = false;    ///< <s>, </s>, <pad>, <mask>, …
};
[[nodiscard]] PieceText pieceText(const std::string& piece);
/// Where a piece stands alone: ␣ for one that is a space and nothing else.
[[nodiscard]] std::string shownText(const PieceText& piece);

}  // namespace kurve::views
