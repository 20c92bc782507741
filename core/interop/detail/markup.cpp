#include "core/interop/detail/markup.h"

namespace kurve::interop::detail {

std::string markupText(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20)  // XML knows no control characters
            out += c;
    }
    return out;
}

}  // namespace kurve::interop::detail
