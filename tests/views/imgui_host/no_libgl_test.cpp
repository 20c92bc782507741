#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/gui_app.h"
#include "views/imgui_host/imgui_widget.h"

// A machine with EGL, but without the package libgl1, whose library Dear ImGui's loader opens by name.
extern "C" void* dlopen(const char* file, int mode) noexcept {
    if (file != nullptr && std::string_view(file).starts_with("libGL.so")) return nullptr;
    static const auto real = reinterpret_cast<void* (*)(const char*, int)>(::dlsym(RTLD_NEXT, "dlopen"));
    return real(file, mode);
}

namespace kurve::views {

TEST(ImGuiWidgetWithoutLibGl, SaysWhatIsMissingAtEveryFrame) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    ImGuiWidget widget;
    widget.resize(400, 200);
    int draws = 0;
    widget.setDraw([&] { ++draws; });
    for (int frame = 0; frame < 3; ++frame) {
        (void)widget.grab();
        EXPECT_EQ(draws, 0);
        EXPECT_TRUE(widget.problem().contains("libgl1")) << widget.problem().toStdString();
        widget.requestFrame();
    }
}

}  // namespace kurve::views
