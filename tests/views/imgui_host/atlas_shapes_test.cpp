#include <gtest/gtest.h>

#include <QImage>
#include <cmath>
#include <numbers>

#include "tests/support/gui_app.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {
namespace {

/// Where the ink of a black shape on the paper lies, and how much of it there is in full pixels.
struct Ink2D {
    double area = 0, x = 0, y = 0;
    int left = 1000, right = -1;
};
Ink2D inkOf(const QImage& picture) {
    const double paper = theme().surface.red();
    Ink2D ink;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const double fraction = 1 - picture.pixelColor(x, y).red() / paper;
            if (fraction < 0.02) continue;
            ink.area += fraction;
            ink.x += fraction * (x + 0.5);
            ink.y += fraction * (y + 0.5);
            ink.left = std::min(ink.left, x);
            ink.right = std::max(ink.right, x);
        }
    ink.x /= ink.area;
    ink.y /= ink.area;
    return ink;
}

class AtlasShapesTest : public testing::TestWithParam<TextAtlas::Shape> {
protected:
    AtlasShapesTest() {
        applyTheme(ThemeMode::Light, 1.0);
        widget_.resize(120, 100);
    }
    Ink2D drawn(float radius, ImVec2 at = {60, 50}) {
        widget_.setDraw([this, radius, at] {
            widget_.fonts().texts->draw(*ImGui::GetWindowDrawList(), GetParam(), at, radius,
                                        IM_COL32(0, 0, 0, 255));
        });
        return inkOf(widget_.renderNow());
    }
    QApplication& app_ = test::guiApp();  // before the widget
    ImGuiWidget widget_;
};

TEST_P(AtlasShapesTest, HasTheAreaOfItsGeometryAndTheAskedPlace) {
    for (const float radius : {1.0F, 2.5F, 4.0F, 7.5F, 12.0F, 16.0F, 30.0F}) {
        SCOPED_TRACE(radius);
        const Ink2D ink = drawn(radius);
        const double r = radius, area = GetParam() == TextAtlas::Disc ? std::numbers::pi * r * r : 2 * r * r;
        EXPECT_NEAR(ink.area, area, 0.04 * area + 0.35);
        EXPECT_NEAR(ink.x, 60, 0.05);
        EXPECT_NEAR(ink.y, 50, 0.05);
        EXPECT_LE(ink.right - ink.left + 1, 2 * std::ceil(r));
    }
}

TEST_P(AtlasShapesTest, StandsOnWholePixels) {
    const Ink2D between = drawn(5, {60.4F, 50.4F}), exact = drawn(5);
    EXPECT_DOUBLE_EQ(between.x, exact.x);
    EXPECT_DOUBLE_EQ(between.area, exact.area);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AtlasShapesTest, testing::Values(TextAtlas::Disc, TextAtlas::Diamond),
                         [](const auto& kind) { return kind.param == TextAtlas::Disc ? "Disc" : "Diamond"; });

TEST(AtlasShapesCost, ASmallShapeIsTwoTriangles) {
    test::guiApp();
    ImGuiWidget widget;
    widget.resize(100, 100);
    int indices = 0;
    widget.setDraw([&] {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const int before = list.IdxBuffer.Size;
        widget.fonts().texts->draw(list, TextAtlas::Disc, {50, 50}, 4, IM_COL32_WHITE);
        indices = list.IdxBuffer.Size - before;
    });
    widget.renderNow();
    EXPECT_EQ(indices, 6);
}

}  // namespace
}  // namespace kurve::views
