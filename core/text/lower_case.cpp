#include "core/text/lower_case.h"

#include "core/base/text.h"

namespace kurve::text {
namespace {

bool within(char32_t p, char32_t low, char32_t high) {
    return p >= low && p <= high;
}

char32_t lowerPoint(char32_t p) {
    if (within(p, U'A', U'Z')) return p + 32;
    if (p < 0xC0) return p;
    if (within(p, 0xC0, 0xDE)) return p == 0xD7 ? p : p + 32;
    if (p == 0x130) return U'i';
    if (p == 0x178) return 0xFF;
    // Latin Extended-A: capital and small letter alternate, the capital even, or odd where marked.
    const bool oddCapital = within(p, 0x139, 0x148) || within(p, 0x179, 0x17E);
    if (within(p, 0x100, 0x17E) && p != 0x131 && p != 0x138 && p != 0x149)
        return (p % 2 == 1) == oddCapital ? p + 1 : p;
    if (p == 0x386) return 0x3AC;
    if (within(p, 0x388, 0x38A)) return p + 37;
    if (p == 0x38C) return 0x3CC;
    if (p == 0x38E || p == 0x38F) return p + 63;
    if (within(p, 0x391, 0x3AB) && p != 0x3A2) return p + 32;
    if (within(p, 0x410, 0x42F)) return p + 32;
    if (within(p, 0x400, 0x40F)) return p + 80;
    if (p == 0x1E9E) return 0xDF;
    return p;
}

}  // namespace

std::string lowerCase(std::string_view text) {
    std::vector<char32_t> points = codePoints(text);
    for (char32_t& p : points) p = lowerPoint(p);
    return toUtf8(points);
}

bool isPunctuation(char32_t p) {
    if (p < 0x80) return !(within(p, U'0', U'9') || within(p, U'A', U'Z') || within(p, U'a', U'z'));
    return within(p, 0x80, 0xBF) || p == 0xD7 || p == 0xF7 || within(p, 0x2000, 0x2BFF) ||
           within(p, 0x3000, 0x303F);
}

}  // namespace kurve::text
