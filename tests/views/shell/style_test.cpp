// What the style sheet draws, by its pixels.
#include <gtest/gtest.h>

#include <QSlider>
#include <QTabBar>
#include <QToolButton>
#include <cstdlib>

#include "tests/support/gui_app.h"
#include "views/common/theme.h"

namespace kurve::views {
namespace {

class StyleAtScale : public testing::TestWithParam<double> {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, GetParam());
    }
    void TearDown() override { applyTheme(ThemeMode::Light, 1.0); }
};

TEST_P(StyleAtScale, AHandleIsRound) {
    QSlider slider(Qt::Horizontal);
    slider.setRange(0, 2);
    slider.resize(px(200), px(24));
    slider.setValue(0);  // at the left end: nothing of the coloured part of the groove is seen
    const QImage picture = slider.grab().toImage();
    QRect handle;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            if (picture.pixelColor(x, y) == theme().accent) handle |= QRect(x, y, 1, 1);
    ASSERT_GE(handle.width(), px(10));
    EXPECT_LE(std::abs(handle.width() - handle.height()), 1);
    for (const QPoint corner :
         {handle.topLeft(), handle.topRight(), handle.bottomLeft(), handle.bottomRight()})
        EXPECT_NE(picture.pixelColor(corner), theme().accent);
}

TEST_P(StyleAtScale, TabsWithoutRoomCanBeScrolledByAnArrow) {
    QTabBar tabs;
    for (const char* name : {"Settings", "Checkpoints", "Scores", "Queue"}) tabs.addTab(QLatin1String(name));
    tabs.resize(px(150), tabs.sizeHint().height());
    tabs.show();
    int arrows = 0;
    for (const auto* button : tabs.findChildren<QToolButton*>()) {
        if (!button->isVisible() || !button->isEnabled()) continue;
        const QImage all = tabs.grab().toImage();
        const QImage picture = all.copy(button->geometry());
        int drawn = 0;
        for (int y = 2; y < picture.height() - 2; ++y)
            for (int x = 2; x < picture.width() - 2; ++x)
                drawn += std::abs(picture.pixelColor(x, y).lightness() - theme().surface.lightness()) > 60;
        EXPECT_GT(drawn, px(4)) << button->objectName().toStdString();
        ++arrows;
    }
    EXPECT_EQ(arrows, 1) << "to the right";
}

INSTANTIATE_TEST_SUITE_P(Scales, StyleAtScale, testing::Values(1.0, 1.1, 1.25, 1.35, 1.5, 1.75, 2.0, 3.0));

}  // namespace
}  // namespace kurve::views
