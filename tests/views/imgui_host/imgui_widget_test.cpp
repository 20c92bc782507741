#include "views/imgui_host/imgui_widget.h"

#include <gtest/gtest.h>

#include <QFontInfo>
#include <QPaintEvent>
#include <QScrollArea>
#include <QTest>
#include <cmath>

#include "tests/support/gui_app.h"
#include "views/imgui_host/draw.h"

namespace kurve::views {
namespace {

class ImGuiWidgetTest : public testing::Test {
protected:
    ImGuiWidgetTest() {
        applyTheme(ThemeMode::Light, 1.0);
        widget_.resize(320, 200);
    }
    QApplication& app_ = test::guiApp();
    ImGuiWidget widget_;
};

TEST_F(ImGuiWidgetTest, DrawsAtTheGivenPositions) {
    widget_.setDraw([] {
        ImGui::GetWindowDrawList()->AddRectFilled({10, 20}, {60, 40}, IM_COL32(200, 30, 90, 255));
    });
    const QImage picture = widget_.renderNow();
    ASSERT_EQ(picture.size(), QSize(320, 200)) << widget_.problem().toStdString();
    EXPECT_EQ(picture.pixelColor(11, 21), QColor(200, 30, 90));
    EXPECT_EQ(picture.pixelColor(59, 39), QColor(200, 30, 90));
    EXPECT_EQ(picture.pixelColor(61, 39), theme().surface);
    EXPECT_EQ(picture.pixelColor(11, 179), theme().surface) << "upside down";
}

TEST_F(ImGuiWidgetTest, AMissingGlyphIsNotAQuestionMark) {
    std::string text;
    widget_.setDraw([&] {
        drawText(*ImGui::GetWindowDrawList(), widget_.fonts().text, {20, 20}, IM_COL32_BLACK, text);
    });
    const QImage nothing = widget_.renderNow().copy();
    text = "\xF4\x8F\xBF\xBD";  // U+10FFFD, in no font
    const QImage missing = widget_.renderNow().copy();
    text = "?";
    EXPECT_NE(missing, widget_.renderNow());
    EXPECT_NE(missing, nothing);
}

TEST_F(ImGuiWidgetTest, ATooltipStaysInTheVisiblePart) {
    QScrollArea page;
    auto* widget = new ImGuiWidget;
    widget->setMinimumSize(300, 800);
    page.setWidget(widget);
    page.resize(320, 200);
    page.show();
    ImVec2 at, size;
    widget->setDraw([&] {
        widget->beginTip();
        ImGui::TextUnformatted("one\ntwo\nthree\nfour\nfive");
        at = ImGui::GetWindowPos();
        size = ImGui::GetWindowSize();
        widget->endTip();
    });
    for (const QPoint pointer : {QPoint(20, 180), QPoint(290, 190), QPoint(150, 5)}) {
        QMouseEvent move(QEvent::MouseMove, pointer, widget->mapToGlobal(pointer), Qt::NoButton, {}, {});
        QApplication::sendEvent(widget, &move);
        for (int frame = 0; frame < 3; ++frame) widget->renderNow();
        const QRect tip(QPointF(at.x, at.y).toPoint(), QSizeF(size.x, size.y).toSize());
        EXPECT_GT(tip.height(), 60);
        EXPECT_TRUE(widget->visibleRegion().boundingRect().adjusted(-1, -1, 1, 1).contains(tip))
            << tip.left() << " " << tip.top() << " " << tip.right() << " " << tip.bottom();
    }
}

TEST_F(ImGuiWidgetTest, PaintsWithoutADisplay) {
    widget_.setDraw([] {
        ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {50, 50}, IM_COL32(1, 2, 3, 255));
    });
    widget_.show();
    EXPECT_EQ(widget_.grab().toImage().pixelColor(25, 25), QColor(1, 2, 3));
}

TEST_F(ImGuiWidgetTest, ClickPressesAButtonOnce) {
    int pressed = 0;
    widget_.setDraw([&] {
        ImGui::SetCursorPos({20, 20});
        if (ImGui::Button("press", {80, 30})) ++pressed;
    });
    widget_.show();
    widget_.renderNow();
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, {50, 35});
    ASSERT_TRUE(test::waitFor([&] { return pressed > 0; }));
    QTest::mouseDClick(&widget_, Qt::LeftButton, {}, {50, 35});  // Qt's second press, without a release
    QTest::mouseRelease(&widget_, Qt::LeftButton, {}, {50, 35});
    ASSERT_TRUE(test::waitFor([&] { return pressed > 1; }));
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, {300, 190});
    widget_.renderNow();
    EXPECT_EQ(pressed, 2);
}

TEST_F(ImGuiWidgetTest, DragMovesASlider) {
    float value = 0;
    widget_.setDraw([&] {
        ImGui::SetCursorPos({10, 20});
        ImGui::SetNextItemWidth(300);
        ImGui::SliderFloat("##v", &value, 0, 100);
    });
    widget_.show();
    widget_.renderNow();
    QTest::mousePress(&widget_, Qt::LeftButton, {}, {40, 30});
    QTest::mouseMove(&widget_, {160, 30});
    ASSERT_TRUE(test::waitFor([&] { return value > 45 && value < 55; })) << value;
    QTest::mouseMove(&widget_, {305, 30});
    ASSERT_TRUE(test::waitFor([&] { return value > 99; })) << value;
    QTest::mouseRelease(&widget_, Qt::LeftButton, {}, {305, 30});
}

TEST_F(ImGuiWidgetTest, FontsFollowTheZoom) {
    float em = 0;
    ImVec2 size;
    widget_.setDraw([&] {
        em = ImGui::GetFontSize();
        size = textSize(widget_.fonts().text, "a line");
    });
    widget_.renderNow();
    EXPECT_EQ(em, size.y);
    EXPECT_EQ(em, drawnLine(static_cast<float>(QFontInfo(QApplication::font()).pixelSize())));
    const ImVec2 before = size;
    applyTheme(ThemeMode::Light, 2.0);
    widget_.renderNow();
    EXPECT_NEAR(em, 2 * before.y, 1);
    EXPECT_NEAR(size.x, 2 * before.x, 2);
    applyTheme(ThemeMode::Light, 1.0);
}

TEST_F(ImGuiWidgetTest, ThemeChangesTheColours) {
    EXPECT_EQ(widget_.renderNow().pixelColor(5, 5), theme().surface);
    applyTheme(ThemeMode::Dark, 1.0);
    EXPECT_EQ(widget_.renderNow().pixelColor(5, 5), theme().surface);
    EXPECT_LT(theme().surface.lightness(), 100);
}

TEST_F(ImGuiWidgetTest, DrawsOnRequestAndWhileAnimating) {
    int wanted = 0;
    widget_.setDraw([&] {
        if (wanted-- > 0) widget_.animate();
    });
    widget_.show();
    test::waitFor([] { return false; }, 100);
    const int still = widget_.frameCount();
    test::waitFor([] { return false; }, 150);
    EXPECT_EQ(widget_.frameCount(), still);
    wanted = 5;
    widget_.requestFrame();
    EXPECT_TRUE(test::waitFor([&] { return widget_.frameCount() >= still + 6; }));
    test::waitFor([] { return false; }, 100);
    EXPECT_EQ(widget_.frameCount(), still + 6);
}

TEST_F(ImGuiWidgetTest, WidgetsSideBySideDoNotMix) {
    auto other = std::make_unique<ImGuiWidget>();
    other->resize(100, 100);
    int mine = 0, others = 0;
    widget_.setDraw([&] {
        ++mine;
        ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {9, 9}, IM_COL32(255, 0, 0, 255));
        if (mine == 2) other->renderNow();  // a frame inside a frame: contexts must nest
        ImGui::SetCursorPos({30, 30});
        ImGui::Text("still the outer context");
        ImGui::GetWindowDrawList()->AddRectFilled({10, 0}, {19, 9}, IM_COL32(0, 255, 0, 255));
    });
    other->setDraw([&] {
        ++others;
        ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {99, 99}, IM_COL32(0, 0, 255, 255));
    });
    widget_.renderNow();
    EXPECT_EQ(other->renderNow().pixelColor(5, 5), QColor(0, 0, 255));
    EXPECT_EQ(widget_.renderNow().size(), QSize(320, 200));
    other.reset();
    const QImage picture = widget_.renderNow();
    EXPECT_EQ(picture.pixelColor(5, 5), QColor(255, 0, 0));
    EXPECT_EQ(picture.pixelColor(15, 5), QColor(0, 255, 0));
    EXPECT_EQ(others, 2);
}

/// A still pattern and things that wander over it, some of them transparent.
void drawWandering(ImGuiWidget& widget, int step, std::uint64_t backdropKey) {
    if (ImDrawList* still = widget.recordBackdrop(backdropKey))
        for (int x = 0; x < 320; x += 8)
            still->AddRectFilled({static_cast<float>(x), 0}, {static_cast<float>(x) + 3, 200},
                                 IM_COL32(x % 255, 90, 200, 130));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto at = static_cast<float>(step);
    list.AddCircleFilled({10 + 9 * at, 40 + 30 * std::sin(at)}, 14, IM_COL32(250, 40, 10, 120));
    list.AddLine({300 - 8 * at, 10}, {20 + 7 * at, 190}, IM_COL32(0, 0, 0, 255), 1.6F);
    list.AddText({8 * at, 150}, IM_COL32(0, 80, 0, 255), "wanderer");
    if (step % 3 == 0) list.AddRect({200, 120}, {280, 180}, IM_COL32(200, 0, 200, 255));
}

TEST_F(ImGuiWidgetTest, PartialRestoreEqualsAFullRedraw) {
    ImGuiWidget anew;
    anew.resize(320, 200);
    int step = 0;
    widget_.setDraw([&] { drawWandering(widget_, step, 1); });
    anew.setDraw([&] { drawWandering(anew, step, static_cast<std::uint64_t>(step)); });
    for (; step < 30; ++step)
        ASSERT_EQ(widget_.renderNow().copy(), anew.renderNow().copy()) << "step " << step;
}

TEST_F(ImGuiWidgetTest, TheBackdropFollowsTheSize) {
    // The key stays the same, as when docks move: only the size tells that it has to be drawn again.
    const auto draw = [](ImGuiWidget& widget) {
        const ImVec2 size = ImGui::GetWindowSize();
        if (ImDrawList* still = widget.recordBackdrop(7))
            still->AddRectFilled({5, 5}, {size.x - 5, size.y - 5}, IM_COL32(20, 120, 200, 255));
        ImGui::GetWindowDrawList()->AddRectFilled({size.x - 20, 10}, {size.x - 10, 20}, IM_COL32_BLACK);
    };
    widget_.setDraw([&] { draw(widget_); });
    for (const QSize size : {QSize(320, 200), QSize(500, 120), QSize(200, 300), QSize(640, 400)}) {
        widget_.resize(size);
        ImGuiWidget fresh;
        fresh.resize(size);
        fresh.setDraw([&] { draw(fresh); });
        ASSERT_EQ(widget_.renderNow().size(), size);
        EXPECT_EQ(widget_.renderNow().copy(), fresh.renderNow().copy()) << size.width();
    }
}

TEST_F(ImGuiWidgetTest, AnUnrequestedBackdropIsRemoved) {
    bool still = true;
    widget_.setDraw([&] {
        ImDrawList* list = still ? widget_.recordBackdrop(1) : nullptr;
        if (list != nullptr) list->AddRectFilled({0, 0}, {50, 50}, IM_COL32(9, 8, 7, 255));
    });
    EXPECT_EQ(widget_.renderNow().pixelColor(20, 20), QColor(9, 8, 7));
    still = false;
    EXPECT_EQ(widget_.renderNow().pixelColor(20, 20), theme().surface);
}

class PaintedRegion : public QObject {
public:
    explicit PaintedRegion(QWidget& widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint) region += static_cast<QPaintEvent*>(event)->region();
        return false;
    }
    QRegion region;
};

TEST_F(ImGuiWidgetTest, PaintsOnlyWhatAFrameChanges) {
    float x = 20;
    widget_.setDraw([&] {
        (void)widget_.recordBackdrop(1);
        ImGui::GetWindowDrawList()->AddRectFilled({x, 20}, {x + 10, 30}, IM_COL32(9, 9, 9, 255));
    });
    widget_.show();
    ASSERT_TRUE(test::waitFor([&] { return widget_.frameCount() > 0; }));
    test::waitFor([] { return false; }, 50);
    PaintedRegion painted(widget_);
    const int before = widget_.frameCount();
    x = 200;
    widget_.requestFrame();
    ASSERT_TRUE(test::waitFor([&] { return !painted.region.isEmpty(); }));
    EXPECT_EQ(widget_.frameCount(), before + 1);
    EXPECT_TRUE(painted.region.contains(QPoint(25, 25))) << "where it was";
    EXPECT_TRUE(painted.region.contains(QPoint(205, 25))) << "where it is";
    EXPECT_FALSE(painted.region.contains(QPoint(100, 25)));
    EXPECT_FALSE(painted.region.contains(QPoint(25, 150)));
    const QImage shown = widget_.grab().toImage();
    EXPECT_EQ(shown.pixelColor(25, 25), theme().surface);
    EXPECT_EQ(shown.pixelColor(205, 25), QColor(9, 9, 9));
}

TEST_F(ImGuiWidgetTest, AHiddenWidgetDrawsWhenItIsShown) {
    QColor colour(1, 2, 3);
    widget_.setDraw([&] {
        ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {50, 50},
                                                  IM_COL32(colour.red(), colour.green(), colour.blue(), 255));
    });
    widget_.renderNow();
    colour = QColor(40, 50, 60);
    widget_.requestFrame();
    EXPECT_EQ(widget_.frameCount(), 1);
    widget_.show();
    EXPECT_TRUE(test::waitFor([&] { return widget_.frameCount() == 2; }));
    EXPECT_EQ(widget_.grab().toImage().pixelColor(25, 25), colour);
}

TEST_F(ImGuiWidgetTest, SurvivesBeingMovedIntoAnotherWindow) {
    QWidget window;
    auto* child = new ImGuiWidget;
    child->setDraw([] {
        ImGui::GetWindowDrawList()->AddRectFilled({0, 0}, {50, 50}, IM_COL32(9, 8, 7, 255));
    });
    child->resize(80, 80);
    child->show();
    child->grab();
    child->setParent(&window);
    child->show();
    window.show();
    EXPECT_EQ(child->grab().toImage().pixelColor(20, 20), QColor(9, 8, 7));
}

}  // namespace
}  // namespace kurve::views
