#include "core/base/printable.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace kurve {
namespace {

bool steers(char32_t p) {
    return p < 0x20 || (p >= 0x7F && p < 0xA0) || p == 0x061C || p == 0x200E || p == 0x200F ||
           (p >= 0x2028 && p <= 0x202E) || (p >= 0x2066 && p <= 0x2069);
}

template <class Escape>
std::string escaped(std::string_view text, std::string_view allowed, Escape escape) {
    const auto stays = [&](char32_t p) {
        return !steers(p) || (p < 0x80 && allowed.find(static_cast<char>(p)) != allowed.npos);
    };
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {  // line by line: a result may be large
        const std::size_t end = text.find('\n', at);
        const std::string_view line = text.substr(at, end == text.npos ? end : end - at + 1);
        for (const char32_t p : codePoints(line))
            out += stays(p) ? toUtf8({&p, 1}) : escape(static_cast<unsigned>(p));
        at += line.size();
    }
    return out;
}

std::string named(unsigned p) {
    if (p == '\n') return "\\n";
    if (p == '\t') return "\\t";
    return p < 0x80 ? fmt::format("\\x{:02x}", p) : fmt::format("\\u{:04x}", p);
}

}  // namespace

std::string printable(std::string_view text) {
    return escaped(text, "\n\t", named);
}

std::string printableLine(std::string_view text) {
    return escaped(text, "", named);
}

std::string printableJson(std::string_view document) {
    return escaped(document, "\n", [](unsigned p) { return fmt::format("\\u{:04x}", p); });
}

std::string firstLine(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

}  // namespace kurve
