// The layers of a plot, its guide lines, and the point under the mouse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QImage>
#include <cmath>
#include <random>

#include "tests/support/gui_app.h"
#include "views/common/chart/chart_layers.h"
#include "views/common/chart/guide_line.h"
#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"

namespace kurve::views {
namespace {

using Form = ChartLayer::Form;

class ChartLayersTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        plot_ = std::make_unique<QCustomPlot>();
        stylePlot(plot_.get());
        for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->grid()->setVisible(false);
        plot_->xAxis->setRange(0, 10);
        plot_->yAxis->setRange(0, 10);
        layers_ = std::make_unique<ChartLayers>(*plot_);
    }
    QColor colorAt(double x, double y) {
        const QPoint at = pixelOf(*plot_, {x, y}).toPoint();
        return plot_->toPixmap(400, 300).toImage().pixelColor(at);
    }
    ChartLayer flat(double y, const QColor& color) {
        return {Form::Line, QStringLiteral("flat"), {0, 10}, {y, y}, QPen(color, 4)};
    }

    std::unique_ptr<QCustomPlot> plot_;
    std::unique_ptr<ChartLayers> layers_;
};

TEST_F(ChartLayersTest, LaterOnesAreDrawnAboveEarlierOnesAlsoWhenShownAnew) {
    (void)plot_->toPixmap(400, 300);  // gives the plot its size
    layers_->show({flat(5, Qt::red), flat(5, Qt::blue)});
    EXPECT_EQ(colorAt(5, 5), QColor(Qt::blue));
    const auto* first = plot_->plottable(0);
    layers_->show({flat(5, Qt::blue), flat(5, Qt::red), flat(2, Qt::green)});
    EXPECT_EQ(colorAt(5, 5), QColor(Qt::red));
    EXPECT_EQ(colorAt(5, 2), QColor(Qt::green));
    EXPECT_EQ(plot_->plottable(0), first) << "reused";
    // Another kind at the first place: what follows stays above it.
    ChartLayer path = flat(5, Qt::blue);
    path.form = Form::Path;
    layers_->show({path, flat(5, Qt::red)});
    ASSERT_EQ(plot_->plottableCount(), 2);
    EXPECT_NE(qobject_cast<QCPCurve*>(plot_->plottable(0)), nullptr);
    EXPECT_EQ(colorAt(5, 5), QColor(Qt::red));
    layers_->show({});
    EXPECT_EQ(plot_->plottableCount(), 0);
    EXPECT_NE(colorAt(5, 5), QColor(Qt::red));
}

TEST_F(ChartLayersTest, APathKeepsItsOrderAndALineIsSorted) {
    layers_->show({{Form::Path, {}, {3, 1, 2}, {1, 2, 3}}, {Form::Line, {}, {3, 1, 2}, {1, 2, 3}}});
    const auto* path = qobject_cast<QCPCurve*>(plot_->plottable(0));
    const auto* line = qobject_cast<QCPGraph*>(plot_->plottable(1));
    ASSERT_TRUE(path != nullptr && line != nullptr);
    std::vector<double> inOrder, sorted;
    for (const auto& point : *path->data()) inOrder.push_back(point.key);
    for (const auto& point : *line->data()) sorted.push_back(point.value);
    EXPECT_THAT(inOrder, ::testing::ElementsAre(3, 1, 2));
    EXPECT_THAT(sorted, ::testing::ElementsAre(2, 3, 1));
}

TEST_F(ChartLayersTest, ABandIsFilledBetweenItsTwoLines) {
    (void)plot_->toPixmap(400, 300);
    ChartLayer top = flat(8, Qt::blue);
    top.pen = Qt::NoPen;
    top.brush = QBrush(Qt::green);
    top.untilPrevious = true;
    ChartLayer low = flat(4, Qt::blue);
    low.pen = Qt::NoPen;
    layers_->show({low, top});
    EXPECT_EQ(colorAt(5, 6), QColor(Qt::green));
    EXPECT_NE(colorAt(5, 2), QColor(Qt::green));
}

TEST_F(ChartLayersTest, AHeatMapHasNoCellWhereThereIsNoValue) {
    (void)plot_->toPixmap(400, 300);
    QCPColorGradient gradient;
    gradient.setColorStops({{0, Qt::blue}, {1, Qt::red}});
    ChartLayer map{Form::Cells, {}, {2, 8}, {2, 8}};
    map.cells = std::make_shared<ChartCells>(ChartCells{2, 2, {0, 1, NAN, 0}, gradient, {0, 1}});
    layers_->show({map});
    EXPECT_EQ(colorAt(2, 2), QColor(Qt::blue));
    EXPECT_EQ(colorAt(8, 2), QColor(Qt::red));
    EXPECT_EQ(colorAt(2, 8), theme().surface);
    EXPECT_EQ(colorAt(8, 8), QColor(Qt::blue));
}

TEST_F(ChartLayersTest, ARugStaysAtTheBottomWhateverTheRange) {
    layers_->show({{Form::Rug, {}, {5}, {0.1}, QPen(Qt::red, 5)}});
    for (const double top : {10.0, 1e-3}) {
        plot_->yAxis->setRange(top / 2, top);
        (void)plot_->toPixmap(400, 300);
        EXPECT_EQ(colorAt(5, top * 0.52), QColor(Qt::red)) << top;
        EXPECT_NE(colorAt(5, top * 0.6), QColor(Qt::red)) << top;
    }
}

TEST_F(ChartLayersTest, AGuideGoesFromEdgeToEdgeOnAnyAxis) {
    layers_->show({{Form::VerticalGuide, {}, {4}, {}, QPen(Qt::red, 5)}});
    plot_->yAxis->setRange(0, 1e18);
    (void)plot_->toPixmap(400, 300);
    EXPECT_EQ(colorAt(4, 5e17), QColor(Qt::red)) << "0 and 1 are one pixel";
    setAxisLog(plot_->yAxis, true);
    plot_->yAxis->setRange(1e-6, 1e6);
    (void)plot_->toPixmap(400, 300);
    for (const double y : {2e-6, 1.0, 5e5}) EXPECT_EQ(colorAt(4, y), QColor(Qt::red)) << y;
    layers_->show({{Form::HorizontalGuide, {}, {}, {100}, QPen(Qt::blue, 5)}});
    EXPECT_EQ(plot_->itemCount(), 1);
    for (const double x : {0.2, 4.0, 9.8}) EXPECT_EQ(colorAt(x, 100), QColor(Qt::blue)) << x;
    EXPECT_NE(colorAt(4, 1), QColor(Qt::red));
}

TEST(NearestPoint, IsTheClosestWithinReach) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(0, 100);
    std::vector<QPointF> points{{NAN, NAN}};
    for (int i = 0; i < 200; ++i) points.emplace_back(uniform(random), uniform(random));
    const auto at = [&](std::size_t i) { return points[i]; };
    for (int i = 0; i < 100; ++i) {
        const QPointF pixel(uniform(random), uniform(random));
        const auto found = nearestPoint(pixel, 1000, points.size(), at);
        ASSERT_TRUE(found);
        const double least = QLineF(pixel, points[*found]).length();
        for (std::size_t k = 1; k < points.size(); ++k) EXPECT_GE(QLineF(pixel, points[k]).length(), least);
        EXPECT_FALSE(nearestPoint(pixel, least, points.size(), at)) << "the reach itself is out of it";
    }
    EXPECT_FALSE(nearestPoint({}, 1000, 0, at));
}

TEST_F(ChartLayersTest, AZoneLiesBehindTheCurvesFromEdgeToEdge) {
    (void)plot_->toPixmap(400, 300);
    ChartLayer zone{Form::Zone, {}, {-1e9, 4}};
    zone.brush = QColor(Qt::yellow);
    layers_->show({flat(5, Qt::blue), zone});
    EXPECT_EQ(colorAt(2, 5), QColor(Qt::blue));
    for (const double y : {0.3, 9.7}) {
        EXPECT_EQ(colorAt(2, y), QColor(Qt::yellow));
        EXPECT_NE(colorAt(6, y), QColor(Qt::yellow));
    }
}

TEST_F(ChartLayersTest, ALabelStandsAtItsPointOrAtAFractionOfTheAxes) {
    (void)plot_->toPixmap(400, 300);
    ChartLayer label{Form::Label, QStringLiteral("here"), {5}, {5}, QColor(Qt::red), QColor(Qt::yellow)};
    label.alignment = Qt::AlignLeft | Qt::AlignBottom;
    layers_->show({label, flat(5.4, Qt::blue)});
    EXPECT_EQ(colorAt(5.1, 5.1), QColor(Qt::yellow)) << "up and to the right of the point";
    EXPECT_NE(colorAt(4.9, 5.1), QColor(Qt::yellow));
    EXPECT_NE(colorAt(5.1, 4.9), QColor(Qt::yellow));
    EXPECT_NE(colorAt(5.2, 5.4), QColor(Qt::blue)) << "above the curves";
    label.x = {1};
    label.y = {0};
    label.alignment = Qt::AlignRight | Qt::AlignTop;
    label.fractions = Qt::Horizontal | Qt::Vertical;
    layers_->show({label});
    plot_->xAxis->setRange(100, 200);
    EXPECT_EQ(colorAt(199.5, 9.9), QColor(Qt::yellow)) << "the corner, whatever the ranges are";
    layers_->show({});
    EXPECT_EQ(plot_->itemCount(), 0);
}

}  // namespace
}  // namespace kurve::views
