#include "views/imgui_host/ink.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/gui_app.h"

namespace kurve::views {

// Published values of the OKLab definition: white is L = 1, sRGB blue is about L = 0.452.
TEST(Ink, LightnessIsOklab) {
    EXPECT_NEAR(lightness(IM_COL32(255, 255, 255, 255)), 1.0F, 2e-3F);
    EXPECT_NEAR(lightness(IM_COL32(0, 0, 255, 255)), 0.452F, 2e-3F);
    EXPECT_NEAR(lightness(IM_COL32(255, 0, 0, 255)), 0.628F, 2e-3F);
    EXPECT_NEAR(lightness(oklch(0.5F, 0.05F, 250)), 0.5F, 5e-3F);
}

class InkInTheme : public testing::TestWithParam<ThemeMode> {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(GetParam(), 1.0);
        ink_ = Ink::fromTheme(theme());
    }
    Ink ink_;
};

TEST_P(InkInTheme, RampChangesInEvenStepsOfLightness) {
    const float whole = lightness(ink_.at(1)) - lightness(ink_.at(0));
    EXPECT_GT(std::abs(whole), 0.5F);
    for (int i = 0; i < 8; ++i) {
        const float step =
            lightness(ink_.at(static_cast<float>(i + 1) / 8)) - lightness(ink_.at(static_cast<float>(i) / 8));
        EXPECT_NEAR(step, whole / 8, std::abs(whole) * 0.02F) << i;
    }
}

TEST_P(InkInTheme, TextOnTheRampIsAlwaysReadable) {
    for (int i = 0; i <= 20; ++i) {
        const float v = static_cast<float>(i) / 20;
        EXPECT_GT(std::abs(lightness(ink_.at(v)) - lightness(ink_.onRamp(v))), 0.34F) << v;
    }
    EXPECT_EQ(ink_.at(std::nanf("")), ink_.paper);
}

INSTANTIATE_TEST_SUITE_P(Themes, InkInTheme, testing::Values(ThemeMode::Light, ThemeMode::Dark));

}  // namespace kurve::views
