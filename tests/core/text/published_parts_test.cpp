// What published tokenizers are made from: regular expressions as others read them, and Unicode.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/text/published/byte_alphabet.h"
#include "core/text/published/split_pattern.h"
#include "core/text/published/unicode_text.h"

namespace kurve::text {
namespace {

using nlohmann::json;
using testing::ElementsAre;

// tests/golden/tokenizers/make_tokenizers.py asked `tokenizers` for these.
TEST(PublishedTokenizerParts, PatternsCutAsInTokenizers) {
    const json golden = json::parse(*readFile(KURVE_SOURCE_DIR "/tests/golden/tokenizers/golden.json"));
    for (const json& row : golden["splits"]) {
        const auto dialect =
            row["literal"] ? detail::PatternDialect::Literal : detail::PatternDialect::Oniguruma;
        const auto pattern = detail::SplitPattern::compile(row["pattern"], dialect);
        ASSERT_TRUE(pattern) << pattern.error().text();
        const std::string text = row["text"];
        std::vector<std::string_view> parts;
        pattern->split(text, {.matches = row["matches"], .gaps = row["gaps"]}, parts);
        EXPECT_EQ(std::vector<std::string>(parts.begin(), parts.end()),
                  row["parts"].get<std::vector<std::string>>())
            << row.dump();
    }
}

// tiktoken's regular expressions end with the text, and give nothing back of a bounded repetition.
TEST(PublishedTokenizerParts, PatternsOfTiktokenAreReadAsRustReadsThem) {
    const auto parts = [](const char* expression, std::string_view text) {
        std::vector<std::string_view> found;
        detail::SplitPattern::compile(expression, detail::PatternDialect::Rust)->split(text, {}, found);
        return found;
    };
    EXPECT_THAT(parts("a$", "ba\n"), ElementsAre("ba\n"));
    EXPECT_THAT(parts(R"(\p{N}{1,3}+)", "12345"), ElementsAre("123", "45"));
    EXPECT_THAT(parts(R"(\d{1,3}+\d)", "123 1234"), ElementsAre("123 ", "1234"));
}

// Unicode standard, section 3.9 (U+FFFD in place of maximal subparts) and section 3.11 (canonical ordering).
TEST(PublishedTokenizerParts, UnicodeFormsAreTheStandards) {
    EXPECT_THAT(detail::decompose({U'q', 0x307, 0x323}), ElementsAre(U'q', 0x323, 0x307));
    EXPECT_THAT(detail::decompose({0x1E69}), ElementsAre(U's', 0x323, 0x307));
    EXPECT_THAT(detail::decompose({0xAC01}), ElementsAre(0x1100, 0x1161, 0x11A8));
    EXPECT_EQ(detail::compose("s\u0323\u0307\u212B"), "\u1E69\u00C5");
    EXPECT_EQ(detail::replaceInvalidUtf8("a\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
              "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
    EXPECT_EQ(detail::replaceInvalidUtf8("\xED\xA0\x80\xE0\x80\xF4\x90\xC0"), [] {
        std::string text;
        for (int i = 0; i < 8; ++i) text += "\uFFFD";
        return text;
    }());
}

TEST(PublishedTokenizerParts, LowerCaseIsOfOneCharacter) {
    std::vector<char32_t> lower;
    for (const char32_t p : {U'Σ', U'\u0130', U'Ǆ', U'ẞ', U'5'}) detail::appendLowerCase(p, lower);
    EXPECT_THAT(lower, ElementsAre(U'σ', U'i', 0x307, U'ǆ', U'ß', U'5'));
}

}  // namespace
}  // namespace kurve::text
