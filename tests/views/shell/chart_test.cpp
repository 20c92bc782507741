// What a chart draws: exact extremes, growing data, smoothing beside the raw points, log axes.
#include <gtest/gtest.h>

#include <QImage>
#include <cmath>

#include "tests/support/gui_app.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"

namespace kurve::views {
namespace {

struct Data {
    std::vector<double> x, y;
};
Data wave(int n) {
    Data d;
    for (int i = 0; i < n; ++i) {
        d.x.push_back(i);
        d.y.push_back(1 + 0.1 * std::sin(i * 0.01));
    }
    return d;
}

class ChartTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        chart_ = std::make_unique<LineChart>("chart", "Loss");
        chart_->resize(600, 300);
        chart_->show();
        look_.style = {QColor(0, 0, 255), Qt::SolidLine, 0};
        look_.label = "train";
    }
    /// Rows of the plot (from the top) that hold a blueish pixel.
    std::pair<int, int> inkRows() {
        chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
        const QImage image = chart_->plot()->toPixmap().toImage();
        int top = -1, bottom = -1;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor c = image.pixelColor(x, y);
                if (c.blue() > 200 && c.red() < 80 && c.green() < 80) {
                    if (top < 0) top = y;
                    bottom = y;
                }
            }
        return {top, bottom};
    }
    std::unique_ptr<LineChart> chart_;
    CurveLook look_;
};

TEST_F(ChartTest, OneSpikeAmongAMillionPointsIsDrawn) {
    Data d = wave(1'000'000);
    d.y[123'456] = 9;
    chart_->setCurve("a", look_, d.x, d.y);
    const auto [top, bottom] = inkRows();
    const double spike = chart_->plot()->yAxis->coordToPixel(9);
    EXPECT_NEAR(top, spike, 2);
    EXPECT_GT(bottom, chart_->plot()->yAxis->coordToPixel(1.2));
}

TEST_F(ChartTest, FollowsGrowingDataUntilTheUserZooms) {
    const Data d = wave(1000);
    chart_->setCurve("a", look_, std::span(d.x).first(100), std::span(d.y).first(100));
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 99);
    chart_->setCurve("a", look_, d.x, d.y);
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 999);
    chart_->setKeyRange(10, 20);
    EXPECT_FALSE(chart_->isFollowing());
    const Data more = wave(2000);
    chart_->setCurve("a", look_, more.x, more.y);
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 20);
    chart_->fit();
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 1999);
}

TEST_F(ChartTest, LogAxisKeepsToPositiveValuesAndMarksTheOthers) {
    const std::vector<double> x{1, 2, 3, 4}, y{1e-3, -1, 0, 10};
    chart_->setCurve("a", look_, x, y);
    chart_->setLogY(true);
    EXPECT_TRUE(chart_->logY());
    EXPECT_GT(chart_->plot()->yAxis->range().lower, 0);
    EXPECT_LE(chart_->plot()->yAxis->range().lower, 1e-3);
    const auto [top, bottom] = inkRows();
    EXPECT_GE(bottom, chart_->plot()->axisRect()->bottom() - 8) << "values <= 0 have ticks in the gutter";
    (void)top;
}

TEST_F(ChartTest, NanBreaksTheLineAndLonePointsStay) {
    const double nan = std::nan("");
    const std::vector<double> x{0, 1, 2, 3, 4}, y{1, nan, 2, nan, 1};
    chart_->setCurve("a", look_, x, y);
    EXPECT_GE(inkRows().first, 0);
    EXPECT_TRUE(chart_->hasData());
    chart_->keepOnly({});
    EXPECT_FALSE(chart_->hasData());
}

TEST_F(ChartTest, ReferencesWidenTheRange) {
    const Data d = wave(100);
    chart_->setCurve("a", look_, d.x, d.y);
    chart_->setReference("copy", 51.7, "copying the source");
    EXPECT_GT(chart_->plot()->yAxis->range().upper, 51.7);
    chart_->setReference("copy", std::nan(""), "");
    EXPECT_LT(chart_->plot()->yAxis->range().upper, 2);
}

}  // namespace
}  // namespace kurve::views
