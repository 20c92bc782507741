#include "core/base/printable.h"

#include <gtest/gtest.h>

#include "core/base/text.h"

namespace kurve {
namespace {

TEST(Printable, NothingThatSteersATerminalIsLeft) {
    for (char32_t p = 0; p < 0x3000; ++p) {
        const bool control = p < 0x20 || (p >= 0x7F && p <= 0x9F);
        const bool turns = p == 0x061C || p == 0x200E || p == 0x200F || (p >= 0x202A && p <= 0x202E) ||
                           (p >= 0x2066 && p <= 0x2069);
        const bool breaks = p == 0x2028 || p == 0x2029;
        const std::string text = toUtf8({&p, 1});
        const bool changed = control || turns || breaks;
        EXPECT_EQ(printableLine("a" + text + "b") != "a" + text + "b", changed) << static_cast<unsigned>(p);
        EXPECT_EQ(printable(text) != text, changed && p != '\n' && p != '\t') << static_cast<unsigned>(p);
    }
    EXPECT_EQ(printable("\x1b[31mred\x7f \xc2\x9b\n\xe2\x80\xae"), "\\x1b[31mred\\x7f \\u009b\n\\u202e");
    EXPECT_EQ(printableLine("two\nlines\t"), "two\\nlines\\t");
    EXPECT_EQ(printable("\x9b"), "\xef\xbf\xbd") << "no UTF-8, but C1 to a terminal that takes bytes";
    EXPECT_EQ(printable("naïve λ 漢字 \U0001F600\n\n"), "naïve λ 漢字 \U0001F600\n\n");
}

TEST(Printable, AJsonDocumentKeepsItsValue) {
    EXPECT_EQ(printableJson("{\n \"a\": \"\\u001b\x7f\xc2\x9b\xe2\x80\xae\"\n}"),
              "{\n \"a\": \"\\u001b\\u007f\\u009b\\u202e\"\n}");
}

}  // namespace
}  // namespace kurve
