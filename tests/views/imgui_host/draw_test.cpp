#include "views/imgui_host/draw.h"

#include <gtest/gtest.h>

namespace kurve::views {

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
