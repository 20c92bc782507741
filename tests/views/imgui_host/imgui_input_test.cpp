#include "views/imgui_host/imgui_input.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <QMouseEvent>
#include <vector>

#include "tests/support/gui_app.h"

namespace kurve::views {
namespace {

class ImGuiInputTest : public testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        context_ = ImGui::CreateContext();
    }
    void TearDown() override { ImGui::DestroyContext(context_); }
    void button(QEvent::Type type, QPointF at) {
        input_.mouse(QMouseEvent(type, at, at, Qt::LeftButton, Qt::LeftButton, Qt::NoModifier));
    }
    void move(QPointF at) {
        input_.mouse(QMouseEvent(QEvent::MouseMove, at, at, Qt::NoButton, Qt::LeftButton, Qt::NoModifier));
    }
    ImGuiContext* context_ = nullptr;
    ImGuiInput input_;
};

TEST_F(ImGuiInputTest, FastClickIsSpreadOverTwoFrames) {
    button(QEvent::MouseButtonPress, {5, 5});
    button(QEvent::MouseButtonRelease, {5, 5});
    ImGuiIO& io = ImGui::GetIO();
    EXPECT_TRUE(input_.apply(io));
    EXPECT_TRUE(io.MouseDown[0]);
    EXPECT_FALSE(input_.apply(io));
    EXPECT_FALSE(io.MouseDown[0]);
}

TEST_F(ImGuiInputTest, DoubleClickIsTwoPresses) {
    button(QEvent::MouseButtonPress, {5, 5});
    button(QEvent::MouseButtonRelease, {5, 5});
    button(QEvent::MouseButtonDblClick, {5, 5});
    button(QEvent::MouseButtonRelease, {5, 5});
    ImGuiIO& io = ImGui::GetIO();
    std::vector<bool> seen;
    for (int frame = 0; frame < 4; ++frame) {
        input_.apply(io);
        seen.push_back(io.MouseDown[0]);
    }
    EXPECT_EQ(seen, (std::vector<bool>{true, false, true, false}));
    EXPECT_TRUE(input_.empty());
}

TEST_F(ImGuiInputTest, PointerStaysAtThePressForItsFrame) {
    button(QEvent::MouseButtonPress, {5, 5});
    move({50, 60});
    ImGuiIO& io = ImGui::GetIO();
    input_.apply(io);
    EXPECT_EQ(io.MousePos.x, 5);
    input_.apply(io);
    EXPECT_EQ(io.MousePos.x, 50);
    EXPECT_TRUE(io.MouseDown[0]);
}

TEST_F(ImGuiInputTest, AnEventBringsItsModifiers) {
    input_.mouse(QMouseEvent(QEvent::MouseMove, QPointF(5, 5), QPointF(5, 5), Qt::NoButton, Qt::NoButton,
                             Qt::ControlModifier));
    ImGuiIO& io = ImGui::GetIO();
    input_.apply(io);
    EXPECT_TRUE(io.KeyCtrl);
    EXPECT_FALSE(io.KeyShift);
    move({6, 6});
    input_.apply(io);
    EXPECT_FALSE(io.KeyCtrl);
}

TEST_F(ImGuiInputTest, LosingTheFocusReleasesAllButtons) {
    button(QEvent::MouseButtonPress, {5, 5});
    input_.releaseAll();
    ImGuiIO& io = ImGui::GetIO();
    while (input_.apply(io)) {
    }
    EXPECT_FALSE(io.MouseDown[0]);
}

}  // namespace
}  // namespace kurve::views
