#include "core/text/published/unicode_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/base/check.h"

namespace kurve::text::detail {
namespace {

constexpr auto kDecompose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
constexpr auto kCompose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

utf8proc_category_t category(char32_t p) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(p));
}

bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

int combiningClass(char32_t p) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(p))->combining_class;
}

/// Canonical ordering: marks that follow each other stand in the order of their classes.
void orderMarks(std::vector<char32_t>& text) {
    const auto isMark = [](char32_t p) { return combiningClass(p) != 0; };
    const auto before = [](char32_t a, char32_t b) { return combiningClass(a) < combiningClass(b); };
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = std::find_if(at, text.end(), isMark);
        at = std::find_if_not(begin, text.end(), isMark);
        std::stable_sort(begin, at, before);
    }
}

}  // namespace

bool isWhiteSpace(char32_t p) {
    return (p >= 0x9 && p <= 0xD) || p == 0x20 || p == 0x85 || p == 0xA0 || p == 0x1680 ||
           (p >= 0x2000 && p <= 0x200A) || p == 0x2028 || p == 0x2029 || p == 0x202F || p == 0x205F ||
           p == 0x3000;
}

bool isUnicodeControl(char32_t p) {
    const auto c = category(p);
    return c == UTF8PROC_CATEGORY_CC || c == UTF8PROC_CATEGORY_CF || c == UTF8PROC_CATEGORY_CO;
}

bool isUnicodePunctuation(char32_t p) {
    const auto c = category(p);
    return c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_PO;
}

bool isNonSpacingMark(char32_t p) {
    return category(p) == UTF8PROC_CATEGORY_MN;
}

void appendLowerCase(char32_t p, std::vector<char32_t>& out) {
    if (p == 0x130) {  // the only character whose lower case is two
        out.push_back(U'i');
        out.push_back(0x307);
        return;
    }
    out.push_back(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(p))));
}

std::vector<char32_t> decompose(const std::vector<char32_t>& text) {
    // One character becomes four at most (Unicode standard annex 15, the stream-safe bound of NFD).
    constexpr std::size_t kMost = 4;
    std::vector<char32_t> out(text.size() * kMost);
    std::size_t used = 0;
    for (const char32_t p : text) {
        int boundary = 0;
        const auto written = utf8proc_decompose_char(
            static_cast<utf8proc_int32_t>(p), reinterpret_cast<utf8proc_int32_t*>(out.data() + used),
            static_cast<utf8proc_ssize_t>(out.size() - used), kDecompose, &boundary);
        KURVE_CHECK(written > 0, "no decomposition of U+{:04X}", static_cast<unsigned>(p));
        used += static_cast<std::size_t>(written);
    }
    out.resize(used);
    orderMarks(out);
    return out;
}

std::string compose(std::string_view text) {
    if (isAscii(text)) return std::string(text);
    utf8proc_uint8_t* composed = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &composed, kCompose);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
    KURVE_CHECK(size >= 0, "{}", utf8proc_errmsg(size));
    return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size)};
}

}  // namespace kurve::text::detail
