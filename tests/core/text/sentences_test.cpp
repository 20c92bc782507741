#include "core/text/sentences.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace kurve::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Sentences, EndAtMarksOfEveryScript) {
    EXPECT_THAT(sentencesOf("He came. She left!  Why?\nNobody knows"),
                ElementsAre("He came.", "She left!", "Why?", "Nobody knows"));
    EXPECT_THAT(sentencesOf("第一章。他来了！“好的。”他说。"),
                ElementsAre("第一章。", "他来了！", "“好的。”", "他说。"));
    EXPECT_THAT(sentencesOf("यह पहला है। यह दूसरा है॥ نعم؟ هذا جيد۔ لا"),
                ElementsAre("यह पहला है।", "यह दूसरा है॥", "نعم؟", "هذا جيد۔", "لا"));
    EXPECT_THAT(sentencesOf("Լավ։ ሰላም። ទៅ។ ဟုတ်ကဲ့။"), ElementsAre("Լավ։", "ሰላም።", "ទៅ។", "ဟုတ်ကဲ့။"));
    EXPECT_THAT(sentencesOf("»Ja.« Sie ging … und kam. „Gut.“ ¿Qué?"),
                ElementsAre("»Ja.«", "Sie ging … und kam.", "„Gut.“", "¿Qué?"));
}

TEST(Sentences, GoOnBehindAbbreviationsInitialsNumbersAndSmallLetters) {
    EXPECT_THAT(
        sentencesOf("Mr. J. Smith of the U.S. Army paid 3.14, e.g. Monday. So did I. He left."),
        ElementsAre("Mr. J. Smith of the U.S. Army paid 3.14, e.g. Monday.", "So did I.", "He left."));
    EXPECT_THAT(sentencesOf("\"Stop!\" he said. 1. Moses went (see Vol. 3). No. He sat..."),
                ElementsAre("\"Stop!\" he said.", "1. Moses went (see Vol. 3).", "No.", "He sat..."));
    EXPECT_THAT(sentencesOf("www.example.org?a=b is 三．一四。"),
                ElementsAre("www.example.org?a=b is 三．", "一四。"));
}

TEST(Sentences, WithoutALetterOrDigitAreNone) {
    EXPECT_THAT(sentencesOf(""), IsEmpty());
    EXPECT_THAT(sentencesOf(" \n\t "), IsEmpty());
    EXPECT_THAT(sentencesOf("*** ! — ..."), IsEmpty());
}

TEST(Sentences, AboveTheCapAreCutWhereItHurtsLeast) {
    EXPECT_THAT(sentencesOf("He came, saw and won; then he left: home, it seems", 22),
                ElementsAre("He came, saw and won;", "then he left:", "home, it seems"));
    EXPECT_THAT(capped("one two three four", 9), ElementsAre("one two", "three", "four"));
    EXPECT_THAT(capped("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij"));
    EXPECT_THAT(capped("e\u0301e\u0301e\u0301", 3), ElementsAre("e\u0301", "e\u0301", "e\u0301"))
        << "a letter keeps its accent";
    EXPECT_THAT(capped("nothing to cut. Here", 20), ElementsAre("nothing to cut. Here"));
}

// tests/golden/text/make_sentences.py wrote them: the same rules in another program.
TEST(Sentences, EqualAnIndependentProgram) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/text/sentences.json");
    const auto cases = nlohmann::json::parse(file);
    ASSERT_GT(cases.size(), 250U);
    for (const auto& one : cases) {
        const std::string text = one["text"];
        const std::size_t cap = one["cap"];
        const auto found = sentencesOf(text, cap);
        EXPECT_EQ(found, one["sentences"].get<std::vector<std::string>>()) << text << " cap " << cap;
        for (const std::string& sentence : found) EXPECT_LE(codePoints(sentence).size(), cap);
    }
}

}  // namespace
}  // namespace kurve::text
