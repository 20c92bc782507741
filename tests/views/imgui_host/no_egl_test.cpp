#include <gtest/gtest.h>

#include "tests/support/gui_app.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {

TEST(ImGuiWidgetWithoutOpenGl, SaysWhatIsMissingAndPaintsIt) {
    // The dispatcher of EGL finds no vendor, as on a machine without any OpenGL driver.
    qputenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/dev/null");
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    ImGuiWidget widget;
    widget.resize(400, 200);
    int draws = 0;
    widget.setDraw([&] { ++draws; });
    const QImage picture = widget.grab().toImage();
    EXPECT_EQ(draws, 0);
    EXPECT_TRUE(widget.problem().contains("OpenGL")) << widget.problem().toStdString();
    EXPECT_TRUE(widget.problem().contains("install")) << "names no remedy";
    bool written = false;  // some pixel differs from the background: the text is there
    for (int x = 0; x < picture.width() && !written; ++x)
        for (int y = 0; y < picture.height() && !written; ++y)
            written = picture.pixel(x, y) != picture.pixel(0, 0);
    EXPECT_TRUE(written);
}

}  // namespace kurve::views
