// Views drawn by ImGui as figures: vectors and texts that show what the GPU shows.
#include <gtest/gtest.h>

#include <QPainter>
#include <QSvgRenderer>
#include <QTest>
#include <cmath>

#include "tests/support/figure.h"
#include "tests/support/gui_app.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/gl_texture.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {
namespace {

using test::count;

constexpr ImU32 kRed = IM_COL32(200, 30, 90, 255), kBlue = IM_COL32(20, 60, 190, 255);

class VectorFigureTest : public testing::Test {
protected:
    VectorFigureTest() {
        applyTheme(ThemeMode::Light, 1.0);
        widget_.resize(320, 200);
    }
    QByteArray svg() { return test::svgOf(widget_); }
    static QImage rendered(const QByteArray& svg) {
        QSvgRenderer renderer(svg);
        QImage image(320, 200, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        renderer.render(&painter);
        return image;
    }
    /// Mean distance of the colours, 0..255.
    static double differenceOf(const QImage& a, const QImage& b) {
        double sum = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x) sum += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
        return sum / (a.width() * a.height());
    }
    QApplication& app_ = test::guiApp();
    ImGuiWidget widget_;
};

TEST_F(VectorFigureTest, ShowsWhatTheScreenShows) {
    GlTexture cells;
    widget_.setDraw([&] {
        if (ImDrawList* still = widget_.recordBackdrop(1)) {
            still->AddRectFilled({20, 20}, {90, 60}, kRed, 8);
            const std::vector<ImU32> pixels{kRed, kBlue, kBlue, kRed, kBlue, kRed};
            cells.set(3, 2, pixels);
            still->AddImage(cells.id(), {200, 20}, {290, 80});
        }
        ImDrawList& list = *ImGui::GetWindowDrawList();
        list.AddCircleFilled({60, 130}, 30, kBlue);
        list.AddCircle({150, 130}, 30, kRed, 0, 4);
        widget_.fonts().texts->draw(list, TextAtlas::Diamond, {230, 130}, 7, kRed);
        widget_.fonts().texts->draw(list, TextAtlas::Disc, {260, 130}, 7, kBlue);
        drawText(list, widget_.fonts().large, {20, 170}, kBlue, "tenthousand words");
    });
    widget_.show();
    const QImage screen = widget_.renderNow().copy();
    ASSERT_EQ(screen.size(), QSize(320, 200)) << widget_.problem().toStdString();
    const QByteArray figure = svg();
    const QImage drawn = rendered(figure);
    EXPECT_LT(differenceOf(screen, drawn), 2.5);
    for (const QPoint& position : {QPoint(55, 40), QPoint(215, 35), QPoint(245, 35), QPoint(215, 65),
                                   QPoint(60, 130), QPoint(120, 130), QPoint(230, 130), QPoint(260, 130)})
        EXPECT_EQ(drawn.pixelColor(position), screen.pixelColor(position))
            << position.x() << ' ' << position.y();
    EXPECT_EQ(count(figure, "<image"), 0);
}

TEST_F(VectorFigureTest, TextsAreTexts) {
    widget_.setDraw([&] {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        drawText(list, widget_.fonts().text, {20, 20}, kBlue, "schön gesagt");
        drawText(list, widget_.fonts().bold, {20, 60}, kRed, "laut");
    });
    const QByteArray figure = svg();
    EXPECT_EQ(count(figure, ">schön gesagt</text>"), 1) << figure.toStdString();
    EXPECT_EQ(count(figure, "font-weight=\"700\"[^>]*>\\s*laut</text>"), 1);
}

TEST_F(VectorFigureTest, APolylineIsOneLineAndACircleIsRound) {
    widget_.setDraw([&] {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const ImVec2 points[] = {{20, 20}, {50, 60}, {90, 30}, {140, 95}};
        list.AddPolyline(points, 4, kRed, 0, 3);
        list.AddCircle({250, 100}, 20, kBlue, 16, 2);
    });
    const QByteArray figure = svg();
    EXPECT_EQ(count(figure, "<polyline"), 1) << figure.toStdString();
    EXPECT_EQ(count(figure, "points=\"20,20 50,60 90,30 140,95"), 1) << figure.toStdString();
    EXPECT_EQ(count(figure, "stroke=\"#c81e5a\"[^>]*stroke-width=\"3\""), 1) << figure.toStdString();
    EXPECT_EQ(count(figure, "<(ellipse|circle)"), 1);
}

TEST_F(VectorFigureTest, ARectangleWithRoundCornersIsNoCircle) {
    widget_.setDraw([&] { ImGui::GetWindowDrawList()->AddRectFilled({100, 20}, {103, 100}, kRed, 2); });
    const QByteArray figure = svg();
    EXPECT_EQ(count(figure, "<(ellipse|circle)"), 0) << figure.toStdString();
    const QImage drawn = rendered(figure);
    EXPECT_EQ(drawn.pixelColor(101, 70), QColor(200, 30, 90));
    EXPECT_EQ(drawn.pixelColor(120, 60), theme().surface);
}

TEST_F(VectorFigureTest, TheDrawFunctionCanDetectAFigure) {
    widget_.setDraw([&] {
        if (!widget_.isFigure()) ImGui::GetWindowDrawList()->AddRectFilled({10, 10}, {80, 60}, kRed);
    });
    widget_.show();
    EXPECT_EQ(rendered(svg()).pixelColor(40, 40), theme().surface);
    EXPECT_EQ(widget_.renderNow().pixelColor(40, 40), QColor(200, 30, 90));
}

TEST_F(VectorFigureTest, EverythingIsClipped) {
    widget_.setDraw([&] {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        list.PushClipRect({50, 50}, {150, 150});
        list.AddRectFilled({0, 0}, {320, 200}, kRed);
        list.AddLine({0, 0}, {320, 200}, kBlue, 5);
        drawText(list, widget_.fonts().text, {200, 100}, kBlue, "away");
        list.PopClipRect();
    });
    const QByteArray figure = svg();
    const QImage drawn = rendered(figure);
    EXPECT_EQ(drawn.pixelColor(60, 140), QColor(200, 30, 90));
    EXPECT_EQ(drawn.pixelColor(97, 61), QColor(20, 60, 190)) << "the line inside";
    for (const QPoint& position : {QPoint(45, 100), QPoint(155, 100), QPoint(100, 45), QPoint(100, 155)})
        EXPECT_EQ(drawn.pixelColor(position), theme().surface);
    EXPECT_EQ(count(figure, "away"), 0);
}

TEST_F(VectorFigureTest, ThePointerHasNoEffectAndTheScreenIsUnchanged) {
    widget_.setDraw([&] {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (mouse.x >= 0) ImGui::GetWindowDrawList()->AddRectFilled({10, 10}, {80, 60}, kRed);
        ImGui::GetWindowDrawList()->AddCircleFilled({200, 100}, 40, kBlue);
    });
    widget_.show();
    QTest::mouseMove(&widget_, {40, 40});
    const QImage before = widget_.renderNow().copy();
    EXPECT_EQ(before.pixelColor(40, 40), QColor(200, 30, 90));
    EXPECT_EQ(rendered(svg()).pixelColor(40, 40), theme().surface);
    EXPECT_EQ(widget_.renderNow(), before);
}

}  // namespace
}  // namespace kurve::views
