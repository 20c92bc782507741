#include "core/inspect/token_text.h"

#include <gtest/gtest.h>

namespace kurve::inspect {

TEST(TokenText, WordMarkBecomesASpaceBefore) {
    EXPECT_EQ(tokenText("▁the").text, "the");
    EXPECT_TRUE(tokenText("▁the").wordStart);
    EXPECT_EQ(tokenText("ing").text, "ing");
    EXPECT_FALSE(tokenText("ing").wordStart);
    EXPECT_EQ(tokenText("▁a▁b").text, "a b");
    EXPECT_EQ(tokenText("▁").text, "");
}

TEST(TokenText, SpecialsAreRecognised) {
    EXPECT_TRUE(tokenText("</s>").special);
    EXPECT_TRUE(tokenText("<mask>").special);
    EXPECT_FALSE(tokenText("<").special);
    EXPECT_FALSE(tokenText("<>").special);
}

}  // namespace kurve::inspect
