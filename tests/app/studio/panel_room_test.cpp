// A panel that needs less height where it is narrower, in a room whose scroll bar makes it narrower.
#include "app/studio/panel_room.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/studio/window_frame.h"
#include "tests/support/gui_app.h"
#include "views/common/theme.h"

namespace kurve::studio {
namespace {

constexpr int kWide = 400;

/// Wide: two parts beside each other, that need 300 in height; else one above the other, in 200.
class TwoArrangements : public views::Panel {
public:
    TwoArrangements() : Panel(QStringLiteral("two"), QStringLiteral("Two"), views::StudioContext()) {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(part_);
        part_->setMinimumHeight(200);
    }
    [[nodiscard]] bool hasData() const override { return true; }
    void need(int wide, int narrow) {
        wide_ = wide;
        narrow_ = narrow;
        part_->setMinimumHeight(width() >= kWide ? wide_ : narrow_);
    }
    int arranged = 0;

protected:
    void resizeEvent(QResizeEvent* event) override {
        Panel::resizeEvent(event);
        const int height = width() >= kWide ? wide_ : narrow_;
        if (height == part_->minimumHeight()) return;
        part_->setMinimumHeight(height);
        ++arranged;
    }

private:
    QWidget* part_ = new QWidget;
    int wide_ = 300, narrow_ = 200;
};

class PanelRoomTest : public ::testing::Test {
protected:
    PanelRoomTest() {
        views::applyTheme(views::ThemeMode::Light, 1.0);
        window_.resize(kWide + 2, 250);
        room_.setParent(&window_);
        room_.setGeometry(window_.rect());
        window_.show();
    }
    /// How often the panel is arranged anew until nothing is left to do, or for ever.
    int settle() {
        panel_->arranged = 0;
        for (int i = 0; i < 200; ++i) {
            QCoreApplication::sendPostedEvents();
            QCoreApplication::processEvents();
        }
        return panel_->arranged;
    }
    [[nodiscard]] bool hasBar() const { return room_.verticalScrollBar()->isVisible(); }

    QApplication& app_ = test::guiApp();  // before the widgets
    QWidget window_;
    TwoArrangements* panel_ = new TwoArrangements;
    PanelRoom room_{panel_};
};

TEST_F(PanelRoomTest, TwoArrangementsDoNotTakeTurnsForEver) {
    EXPECT_LE(settle(), 4);
    EXPECT_EQ(settle(), 0);
    EXPECT_TRUE(hasBar());
    EXPECT_LT(panel_->width(), kWide);
    EXPECT_EQ(panel_->height(), 250) << "narrow, it has room enough";
}

TEST_F(PanelRoomTest, TheBarGoesWithItsReason) {
    settle();
    ASSERT_TRUE(hasBar());
    panel_->need(180, 180);  // the panel itself changes
    EXPECT_LE(settle(), 4);
    EXPECT_FALSE(hasBar());
    EXPECT_EQ(panel_->width(), kWide + 2);
    panel_->need(300, 200);
    EXPECT_LE(settle(), 4);
    EXPECT_TRUE(hasBar());
    room_.resize(kWide + 2, 320);  // the room does
    EXPECT_LE(settle(), 4);
    EXPECT_FALSE(hasBar());
    EXPECT_EQ(panel_->width(), kWide + 2);
}

TEST_F(PanelRoomTest, WhatIsTooHighScrolls) {
    panel_->need(300, 600);
    settle();
    EXPECT_TRUE(hasBar());
    EXPECT_EQ(panel_->height(), 600);
    EXPECT_EQ(room_.verticalScrollBar()->maximum(), 350);
}

TEST(WindowFrame, AFoldedSideNeedsNoRoom) {
    test::guiApp();
    views::applyTheme(views::ThemeMode::Light, 1.0);
    auto* centre = new QWidget;
    centre->setMinimumWidth(300);
    WindowFrame frame({new TwoArrangements, centre, new TwoArrangements});
    frame.resize(900, 400);
    frame.show();
    frame.setSizes({200, 500, 200});
    const int open = frame.minimumSizeHint().width(), side = frame.widget(2)->minimumSizeHint().width();
    ASSERT_GT(side, 0);
    EXPECT_GT(open, 300 + side);
    frame.toggle(WindowFrame::Inspector);
    EXPECT_EQ(frame.sizes()[2], 0);
    EXPECT_EQ(frame.minimumSizeHint().width(), open - side);
    frame.toggle(WindowFrame::Inspector);
    EXPECT_EQ(frame.minimumSizeHint().width(), open);
}

}  // namespace
}  // namespace kurve::studio
