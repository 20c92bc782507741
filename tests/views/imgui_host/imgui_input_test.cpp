#include "views/imgui_host/imgui_input.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <QKeyEvent>
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
    void key(QEvent::Type type, int key, const QString& text = {}) {
        input_.key(QKeyEvent(type, key, Qt::NoModifier, text));
    }
    /// What a field reads in the frame that now begins; ImGui 1.90 hands characters over only then.
    static std::vector<ImWchar> charactersOfFrame() {
        ImGuiIO& io = ImGui::GetIO();
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);  // no frame begins without a font
        io.DisplaySize = {100, 100};
        ImGui::NewFrame();
        return {io.InputQueueCharacters.begin(), io.InputQueueCharacters.end()};
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

TEST_F(ImGuiInputTest, DifferentKeysPassInOneFrameTheSameKeyDoesNot) {
    key(QEvent::KeyPress, Qt::Key_A, "a");
    key(QEvent::KeyPress, Qt::Key_B, QString::fromUtf8("λ"));
    key(QEvent::KeyRelease, Qt::Key_A);
    ImGuiIO& io = ImGui::GetIO();
    EXPECT_TRUE(input_.apply(io));
    EXPECT_TRUE(io.KeysDown[ImGuiInput::keyIndexOf(Qt::Key_A)]);
    EXPECT_TRUE(io.KeysDown[ImGuiInput::keyIndexOf(Qt::Key_B)]);
    EXPECT_EQ(charactersOfFrame(), (std::vector<ImWchar>{'a', 0x3BB}));
    EXPECT_FALSE(input_.apply(io));
    EXPECT_FALSE(io.KeysDown[ImGuiInput::keyIndexOf(Qt::Key_A)]);
}

TEST_F(ImGuiInputTest, CommandsAreNotText) {
    input_.key(QKeyEvent(QEvent::KeyPress, Qt::Key_V, Qt::ControlModifier, "v"));
    ImGuiIO& io = ImGui::GetIO();
    input_.apply(io);
    EXPECT_TRUE(io.KeyCtrl);
    EXPECT_TRUE(charactersOfFrame().empty());
}

TEST_F(ImGuiInputTest, LosingTheFocusReleasesAllKeys) {
    button(QEvent::MouseButtonPress, {5, 5});
    key(QEvent::KeyPress, Qt::Key_Left);
    input_.releaseAll();
    ImGuiIO& io = ImGui::GetIO();
    while (input_.apply(io)) {
    }
    EXPECT_FALSE(io.MouseDown[0]);
    EXPECT_FALSE(io.KeysDown[ImGuiInput::keyIndexOf(Qt::Key_Left)]);
}

TEST_F(ImGuiInputTest, SpecialKeysHaveTheirOwnIndices) {
    EXPECT_EQ(ImGuiInput::keyIndexOf(Qt::Key_Left), 256 + 0x12);
    EXPECT_EQ(ImGuiInput::keyIndexOf(Qt::Key_A), 'A');
    EXPECT_EQ(ImGuiInput::keyIndexOf(0x1100), -1);
}

}  // namespace
}  // namespace kurve::views
