#include "views/imgui_host/piece_text.h"

#include <string_view>

namespace kurve::views {
namespace {

constexpr std::string_view kWordMark = "\xE2\x96\x81";  // U+2581

}  // namespace

PieceText pieceText(const std::string& piece) {
    PieceText out;
    std::string_view rest = piece;
    if (rest.starts_with(kWordMark)) {
        out.wordStart = true;
        rest.remove_prefix(kWordMark.size());
    }
    out.special = rest.size() >= 3 && rest.front() == '<' && rest.back() == '>';
    out.text = rest;
    // Marks inside a piece (rare) are spaces as well.
    for (auto at = out.text.find(kWordMark); at != std::string::npos; at = out.text.find(kWordMark))
        out.text.replace(at, kWordMark.size(), " ");
    return out;
}

std::string shownText(const PieceText& piece) {
    return piece.text.empty() ? "␣" : piece.text;
}

}  // namespace kurve::views
