// A panel that needs less height where it is narrower, in a room whose scroll bar makes it narrower.
#include "app/studio/window/panel_scroll_area.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QScrollBar>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "app/studio/window/window_frame.h"
#include "tests/support/gui_app.h"
#include "views/common/text/statement_line.h"
#include "views/common/theme/theme.h"

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

class PanelScrollAreaTest : public ::testing::Test {
protected:
    PanelScrollAreaTest() {
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
    PanelScrollArea room_{panel_};
};

TEST_F(PanelScrollAreaTest, TwoLayoutsDoNotAlternateForEver) {
    EXPECT_LE(settle(), 4);
    EXPECT_EQ(settle(), 0);
    EXPECT_TRUE(hasBar());
    EXPECT_LT(panel_->width(), kWide);
    EXPECT_EQ(panel_->height(), 250) << "narrow, it has room enough";
}

TEST_F(PanelScrollAreaTest, TheBarIsHiddenWhenItIsNotNeeded) {
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

TEST_F(PanelScrollAreaTest, WhatIsTooHighScrolls) {
    panel_->need(300, 600);
    settle();
    EXPECT_TRUE(hasBar());
    EXPECT_EQ(panel_->height(), 600);
    EXPECT_EQ(room_.verticalScrollBar()->maximum(), 350);
}

TEST_F(PanelScrollAreaTest, ABarTakesWhatItNeedsAndUnfoldedSomeMore) {
    panel_->need(60, 60);
    panel_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    settle();
    EXPECT_EQ(room_.minimumHeight(), 60);
    EXPECT_EQ(room_.maximumHeight(), 60);
    panel_->need(90, 90);  // a line more, also right after another width
    room_.resize(kWide, 90);
    settle();
    EXPECT_EQ(room_.maximumHeight(), 90);
    panel_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    QCoreApplication::sendPostedEvents();
    EXPECT_GT(room_.minimumHeight(), 90);
    EXPECT_EQ(room_.maximumHeight(), QWIDGETSIZE_MAX);
    EXPECT_TRUE(QTest::qWaitFor([&] { return room_.minimumHeight() == 0; })) << "it can be made lower again";
}

TEST_F(PanelScrollAreaTest, TheStatementIsBelowThePanelOfAHighAreaOnly) {
    panel_->need(100, 100);
    room_.addStatement();
    settle();
    auto* line = room_.findChild<views::StatementLine*>(QStringLiteral("two.statement"));
    ASSERT_NE(line, nullptr);
    EXPECT_FALSE(line->isVisible());
    EXPECT_EQ(panel_->height(), 250) << "the panel has all the space";
    room_.resize(kWide, 320);
    settle();
    EXPECT_TRUE(line->isVisible());
    EXPECT_EQ(line->geometry().bottom(), room_.rect().bottom());
    EXPECT_GT(line->height(), 10);
    EXPECT_EQ(panel_->height(), 320 - line->height());
    panel_->need(310, 310);
    settle();
    EXPECT_FALSE(line->isVisible()) << "a high content needs it";
    EXPECT_EQ(panel_->height(), 320);
    EXPECT_FALSE(hasBar());
}

TEST(WindowFrame, AFoldedSideNeedsNoWidth) {
    test::guiApp();
    views::applyTheme(views::ThemeMode::Light, 1.0);
    auto* centre = new QWidget;
    centre->setMinimumWidth(300);
    WindowFrame frame({new TwoArrangements, centre, new TwoArrangements});
    frame.resize(900, 400);
    frame.show();
    ASSERT_TRUE(frame.setColumns({200, 300, 200}, 900));
    const int open = frame.minimumSizeHint().width(), side = frame.widget(2)->minimumSizeHint().width();
    ASSERT_GT(side, 0);
    EXPECT_GT(open, 300 + side);
    frame.toggle(WindowFrame::Inspector);
    EXPECT_EQ(frame.sizes()[2], 0);
    EXPECT_EQ(frame.minimumSizeHint().width(), open - side);
    frame.toggle(WindowFrame::Inspector);
    EXPECT_EQ(frame.minimumSizeHint().width(), open);
}

class ColumnsTest : public ::testing::Test {
protected:
    ~ColumnsTest() override { views::applyTheme(views::ThemeMode::Light, 1.0); }
    /// Of a window of this width at its beginning.
    QList<int> usualAt(int width) {
        make();
        frame_->arrange(width);
        frame_->resize(width, 400);
        frame_->show();
        return frame_->sizes();
    }
    void make() {
        frame_ = std::make_unique<WindowFrame>(
            WindowFrame::Content{new TwoArrangements, new QWidget, new TwoArrangements});
    }
    /// What the sides are in a new window of 1,600 at this zoom, as the session left them.
    QList<int> widthsAt(double zoom, const QJsonArray& columns) {
        views::applyTheme(views::ThemeMode::Light, zoom);
        make();
        frame_->resize(1600, 400);
        EXPECT_TRUE(frame_->setColumns(columns, 1600));
        frame_->show();
        EXPECT_EQ(frame_->columns(), columns) << "zoom is no request for another width";
        return frame_->sizes();
    }
    QApplication& app_ = test::guiApp();
    std::unique_ptr<WindowFrame> frame_;
};

TEST_F(ColumnsTest, SidesScaleAsFarAsTheCentreHasItsWidth) {
    const QJsonArray requested{376, 560, 272};
    const QList<int> once = widthsAt(1, requested), more = widthsAt(1.25, requested),
                     half = widthsAt(1.5, requested);
    EXPECT_EQ(once[0], 376);
    EXPECT_EQ(once[2], 272);
    EXPECT_EQ(more[0], 470);
    EXPECT_EQ(more[2], 340);
    EXPECT_EQ(half[0], 564);
    EXPECT_EQ(half[2], 0) << "no side is narrower than it can be read";
    EXPECT_EQ(widthsAt(1, requested), once) << "and back";
}

TEST_F(ColumnsTest, TheSidesFoldOneAfterTheOtherWhereTheWindowIsSmall) {
    const QList<int> both = usualAt(1600), one = usualAt(1440), none = usualAt(1280);
    EXPECT_EQ(both[0], 376);
    EXPECT_EQ(both[2], 272);
    EXPECT_EQ(one[0], 376);
    EXPECT_EQ(one[2], 0);
    EXPECT_EQ(none[0], 0);
    EXPECT_EQ(none[2], 0);
    usualAt(1600);
    frame_->resize(1280, 400);
    EXPECT_EQ(frame_->sizes(), none) << "also where it becomes so";
    frame_->resize(1600, 400);
    EXPECT_EQ(frame_->sizes(), both);
}

TEST_F(ColumnsTest, WhatWasOpenedInASmallWindowIsOpenInTheNextOne) {
    usualAt(1280);
    frame_->toggle(WindowFrame::Runs);
    const QList<int> opened = frame_->sizes();
    EXPECT_GE(opened[0], 340);
    EXPECT_EQ(opened[2], 0) << "the other was not opened";
    const QJsonArray kept = frame_->columns();
    make();
    frame_->resize(1280, 400);
    ASSERT_TRUE(frame_->setColumns(kept, 1280));
    frame_->show();
    EXPECT_EQ(frame_->sizes(), opened);
    frame_->toggle(WindowFrame::Runs);
    EXPECT_EQ(frame_->sizes()[0], 0);
}

TEST_F(ColumnsTest, SidesWithoutSpaceAreFoldedAndCanBeOpened) {
    const QList<int> widths = widthsAt(2, {376, 560, 272});
    EXPECT_EQ(widths[0], 0);
    EXPECT_EQ(widths[2], 0);
    frame_->toggle(WindowFrame::Inspector);
    EXPECT_GE(frame_->sizes()[2], 408);
    EXPECT_EQ(frame_->sizes()[1], 1120);
    frame_->resize(1500, 400);
    EXPECT_GT(frame_->sizes()[2], 0) << "a smaller window takes away nothing that was opened";
}

TEST_F(ColumnsTest, ASmallWindowKeepsThePreferredWidths) {
    const QList<int> before = widthsAt(1, {376, 560, 272});
    frame_->setColumns(frame_->columns(), 700);
    frame_->resize(700, 400);
    EXPECT_EQ(frame_->sizes()[2], 0);
    frame_->resize(1600, 400);
    EXPECT_EQ(frame_->sizes(), before);
}

TEST_F(ColumnsTest, EachWorkspaceHasWidthsOfItsOwn) {
    usualAt(1600);
    frame_->setWorkspace(QStringLiteral("train"), false);
    const QList<int> open = frame_->sizes();
    ASSERT_GT(open[0], 0);
    frame_->setWorkspace(QStringLiteral("inspect"), true);
    EXPECT_EQ(frame_->sizes()[0], 0) << "folded by default";
    EXPECT_EQ(frame_->sizes()[2], 0);
    frame_->toggle(WindowFrame::Runs);
    const QList<int> inspect = frame_->sizes();
    EXPECT_GT(inspect[0], 0);
    frame_->setWorkspace(QStringLiteral("train"), false);
    EXPECT_EQ(frame_->sizes(), open);
    const QJsonObject all = frame_->allColumns();
    make();
    frame_->resize(1600, 400);
    frame_->show();
    EXPECT_FALSE(frame_->setAllColumns({{QStringLiteral("inspect"), QJsonArray{1, -2, 3}}}, 1600));
    ASSERT_TRUE(frame_->setAllColumns(all, 1600));
    frame_->setWorkspace(QStringLiteral("inspect"), true);
    EXPECT_EQ(frame_->sizes(), inspect);
}

TEST_F(ColumnsTest, ADraggedWidthIsKeptAndADamagedOneIsRefused) {
    widthsAt(1.25, {376, 560, 272});
    const QPoint grip = frame_->handle(2)->rect().center();
    QTest::mousePress(frame_->handle(2), Qt::LeftButton, {}, grip);
    QTest::mouseMove(frame_->handle(2), grip - QPoint(40, 0));
    QTest::mouseRelease(frame_->handle(2), Qt::LeftButton, {}, grip - QPoint(40, 0));
    const QList<int> pulled = frame_->sizes();
    EXPECT_EQ(frame_->columns(), (QJsonArray{376, pulled[1] / 1.25, pulled[2] / 1.25}));
    EXPECT_GT(pulled[2], 340);
    frame_->resize(1650, 400);
    frame_->resize(1600, 400);
    EXPECT_NEAR(frame_->sizes()[1], pulled[1], 2) << "the centre is as small as it was made";
    EXPECT_NEAR(frame_->sizes()[2], pulled[2], 2);
    for (const QJsonArray& damaged : {QJsonArray{}, QJsonArray{300}, QJsonArray{300, 300, -1}})
        EXPECT_FALSE(frame_->setColumns(damaged, 1600));
    EXPECT_EQ(frame_->columns()[0].toInt(), 376);
}

}  // namespace
}  // namespace kurve::studio
