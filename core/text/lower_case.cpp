#include "core/text/lower_case.h"

#include <utf8proc.h>

#include "core/base/text.h"

namespace kurve::text {
namespace {

bool within(char32_t p, char32_t low, char32_t high) {
    return p >= low && p <= high;
}

}  // namespace

std::string lowerCase(std::string_view text) {
    std::vector<char32_t> points = codePoints(text);
    for (char32_t& p : points) p = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(p)));
    return toUtf8(points);
}

bool isPunctuation(char32_t p) {
    if (p < 0x80) return !(within(p, U'0', U'9') || within(p, U'A', U'Z') || within(p, U'a', U'z'));
    return within(p, 0x80, 0xBF) || p == 0xD7 || p == 0xF7 || within(p, 0x2000, 0x2BFF) ||
           within(p, 0x3000, 0x303F);
}

}  // namespace kurve::text
