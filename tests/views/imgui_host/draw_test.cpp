#include "views/imgui_host/draw.h"

#include <gtest/gtest.h>

#include "views/imgui_host/token_text.h"

namespace kurve::views {

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

class DrawDashed : public testing::Test {
protected:
    void SetUp() override {
        context_ = ImGui::CreateContext();
        ImGui::GetIO().Fonts->AddFontDefault();
        ImGui::GetIO().Fonts->Build();
    }
    void TearDown() override { ImGui::DestroyContext(context_); }
    ImGuiContext* context_ = nullptr;
};

TEST_F(DrawDashed, DashesCoverHalfOfALineAndKeepTheirPhaseRoundCorners) {
    ImGui::GetIO().DisplaySize = {200, 200};
    ImDrawList list(ImGui::GetDrawListSharedData());
    list._ResetForNewFrame();
    list.PushClipRect({0, 0}, {200, 200});
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    list.Flags = ImDrawListFlags_None;  // plain quads: four corners a dash
    const ImVec2 corner[] = {{0, 0}, {15, 0}, {15, 25}};
    drawDashed(list, corner, IM_COL32_WHITE, 1, 10);
    // 40 px of line: dashes at 0-10 and 20-30 of its length, the second one past the corner.
    EXPECT_EQ(list.VtxBuffer.Size, 2 * 4);
    EXPECT_NEAR(list.VtxBuffer[4].pos.y, 5, 1.1F);
    EXPECT_NEAR(list.VtxBuffer[6].pos.y, 15, 1.1F);
}

}  // namespace kurve::views
