#include "core/inspect/token_text.h"

#include <string_view>

namespace kurve::inspect {
namespace {

constexpr std::string_view kWordMark = "\xE2\x96\x81";  // U+2581

}  // namespace

TokenText tokenText(const std::string& token) {
    TokenText out;
    std::string_view rest = token;
    if (rest.starts_with(kWordMark)) {
        out.wordStart = true;
        rest.remove_prefix(kWordMark.size());
    }
    out.special = rest.size() >= 3 && rest.front() == '<' && rest.back() == '>';
    out.text = rest;
    // Marks inside a token (rare) are spaces as well.
    for (auto at = out.text.find(kWordMark); at != std::string::npos; at = out.text.find(kWordMark))
        out.text.replace(at, kWordMark.size(), " ");
    return out;
}

std::string shownText(const TokenText& token) {
    return token.text.empty() ? "␣" : token.text;
}

}  // namespace kurve::inspect
