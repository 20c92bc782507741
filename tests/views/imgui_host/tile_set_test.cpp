#include "views/imgui_host/tile_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "views/imgui_host/imgui_version.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TileSetTest : public testing::Test {
protected:
    void SetUp() override {
        context_ = ImGui::CreateContext();
        ImGui::GetIO().Fonts->AddFontDefault();
        ImGui::GetIO().Fonts->Build();
    }
    void TearDown() override { ImGui::DestroyContext(context_); }
    /// The rectangles of what is drawn on a picture of 200 x 100 units at a device pixel ratio.
    static std::vector<QRect> drawn(const std::function<void(ImDrawList&)>& draw, float ratio = 1) {
        ImDrawList list(ImGui::GetDrawListSharedData());
        list._ResetForNewFrame();
        list.PushClipRect({0, 0}, {200, 100});
        list.PushTextureID(ImGui::GetIO().Fonts->TexID);
        draw(list);
        ImDrawList* only = &list;
        ImDrawData data;
        data.Valid = true;
        setDrawList(data, only);
        data.FramebufferScale = {ratio, ratio};
        TileSet tiles(QSize(static_cast<int>(200 * ratio), static_cast<int>(100 * ratio)));
        tiles.add(data);
        return tiles.rectangles();
    }
    ImGuiContext* context_ = nullptr;
};

TEST_F(TileSetTest, NothingDrawnMarksNothing) {
    EXPECT_THAT(drawn([](ImDrawList&) {}), IsEmpty());
}

TEST_F(TileSetTest, MarksTheSquaresUnderAShape) {
    const auto box = [](ImDrawList& list) { list.AddRectFilled({40, 40}, {50, 60}, IM_COL32_WHITE); };
    EXPECT_THAT(drawn(box), ElementsAre(QRect(32, 32, 32, 32)));
    EXPECT_THAT(drawn(box, 2), ElementsAre(QRect(64, 64, 64, 64)));
}

TEST_F(TileSetTest, KeepsToTheClipRectangleAndThePicture) {
    EXPECT_THAT(drawn([](ImDrawList& list) {
                    list.PushClipRect({70, 70}, {80, 80}, true);
                    list.AddRectFilled({-500, -500}, {500, 500}, IM_COL32_WHITE);
                }),
                ElementsAre(QRect(64, 64, 32, 32)));
    EXPECT_THAT(drawn([](ImDrawList& list) {
                    list.AddRectFilled({-500, 70}, {500, 500}, IM_COL32_WHITE);
                }),
                ElementsAre(QRect(0, 64, 200, 36)));
}

TEST_F(TileSetTest, JoinsRowsOfTheSameExtentAndNoOthers) {
    const auto shapes = [](ImDrawList& list) {
        list.AddRectFilled({5, 5}, {50, 50}, IM_COL32_WHITE);    // two rows of two squares
        list.AddRectFilled({10, 70}, {20, 80}, IM_COL32_WHITE);  // one below, narrower
        list.AddRectFilled({130, 5}, {150, 80}, IM_COL32_WHITE);
    };
    EXPECT_THAT(drawn(shapes), testing::UnorderedElementsAre(QRect(0, 0, 64, 64), QRect(0, 64, 32, 32),
                                                             QRect(128, 0, 32, 96)));
}

}  // namespace
}  // namespace kurve::views
