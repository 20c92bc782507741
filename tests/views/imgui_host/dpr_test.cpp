#include <gtest/gtest.h>

#include "tests/support/gui_app.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {

TEST(ImGuiWidgetAtTwoHundredPercent, DrawsTwiceThePixelsAtTheSameLogicalPlace) {
    qputenv("QT_SCALE_FACTOR", "2");
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    ImGuiWidget widget;
    widget.resize(200, 100);
    float glyphs = 0, logical = 0;
    widget.setDraw([&] {
        ImGui::GetWindowDrawList()->AddRectFilled({10, 10}, {20, 20}, IM_COL32(250, 0, 0, 255));
        glyphs = ImGui::GetFont()->FontSize;
        logical = ImGui::GetFontSize();
    });
    const QImage picture = widget.renderNow();
    ASSERT_EQ(widget.devicePixelRatioF(), 2);
    EXPECT_EQ(picture.size(), QSize(400, 200));
    EXPECT_EQ(picture.devicePixelRatio(), 2);
    EXPECT_EQ(picture.pixelColor(39, 39), QColor(250, 0, 0));
    EXPECT_NE(picture.pixelColor(41, 41), QColor(250, 0, 0));
    EXPECT_NEAR(glyphs, 2 * logical, 1)
        << "glyphs are magnified instead of rasterised at the device's resolution";
}

}  // namespace kurve::views
