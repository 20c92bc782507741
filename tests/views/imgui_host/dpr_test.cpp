#include <gtest/gtest.h>

#include "tests/support/gui_app.h"
#include "tests/support/qt_text.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {

TEST(ImGuiWidgetAtTwoHundredPercent, DrawsTwiceThePixelsAtTheSameLogicalPlace) {
    qputenv("QT_SCALE_FACTOR", "2");
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    ImGuiWidget widget;
    widget.resize(200, 100);
    const TextFace* face = nullptr;
    widget.setDraw([&] {
        ImGui::GetWindowDrawList()->AddRectFilled({10, 10}, {20, 20}, IM_COL32(250, 0, 0, 255));
        face = widget.fonts().text;
        drawText(*ImGui::GetWindowDrawList(), face, {30, 40.5F}, IM_COL32_BLACK, "शब्द word 中文");
        EXPECT_NEAR(2 * ImGui::GetFontSize(), static_cast<float>(face->line), 1);
    });
    const QImage picture = widget.renderNow();
    ASSERT_EQ(widget.devicePixelRatioF(), 2);
    EXPECT_EQ(picture.size(), QSize(400, 200));
    EXPECT_EQ(picture.devicePixelRatio(), 2);
    EXPECT_EQ(picture.pixelColor(39, 39), QColor(250, 0, 0));
    EXPECT_NE(picture.pixelColor(41, 41), QColor(250, 0, 0));
    // Texts are rasterised at the device's resolution and stand on its pixels.
    const QRect part(50, 60, 300, 80);
    const QImage expected = test::qtText(picture.size(), theme().surface, QStringLiteral("शब्द word 中文"),
                                         face->font, {60, 81.0 + face->ascent}, Qt::black);
    EXPECT_LE(test::greatestDifference(picture.copy(part), expected.copy(part)), 2);
}

}  // namespace kurve::views
