// How values lie along the axes of a chart: logarithmic and symmetric logarithmic.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/views/shell/chart_fixture.h"
#include "views/common/chart/log_ticker.h"

namespace kurve::views {
namespace {

TEST_F(ChartTest, LogAxisKeepsToPositiveValuesAndMarksTheOthers) {
    const std::vector<double> x{1, 2, 3, 4}, y{1e-3, -1, 0, 10};
    chart_->setCurve("a", spec_, x, y);
    chart_->setValueScale(LineChart::Scale::Log);
    EXPECT_EQ(chart_->plot()->yAxis->scaleType(), QCPAxis::stLogarithmic);
    EXPECT_GT(chart_->plot()->yAxis->range().lower, 0);
    EXPECT_LE(chart_->plot()->yAxis->range().lower, 1e-3);
    const auto [top, bottom] = inkRows();
    EXPECT_GE(bottom, chart_->plot()->axisRect()->bottom() - 8) << "values <= 0 have ticks in the gutter";
    (void)top;
}

TEST_F(ChartTest, SymlogShowsBothSignsAndIsInvertible) {
    const std::vector<double> x{0, 1, 2, 3, 4}, y{-1000, -1, 0, 0.5, 1e5};
    spec_.smooth = false;
    chart_->setCurve("a", spec_, x, y);
    chart_->setValueScale(LineChart::Scale::SymLog);
    // 1e5 bends at 100: log10(1 + 1e5 / 100) and log10(1 + 1000 / 100)
    EXPECT_NEAR(chart_->plot()->yAxis->range().upper,
                std::log10(1001.0) + 0.06 * (std::log10(1001.0) + std::log10(11.0)), 1e-9);
    EXPECT_LT(chart_->plot()->yAxis->range().lower, -std::log10(11.0));
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(chart_->valueAt("a", x[i]), y[i], 1e-9 + 1e-12 * std::abs(y[i]));
    chart_->setCurve("a", spec_, std::vector<double>{0, 1, 2, 3, 4, 5},
                     std::vector<double>{-1000, -1, 0, 0.5, 1e5, 7});
    EXPECT_NEAR(chart_->valueAt("a", 5), 7, 1e-9);
    chart_->nextValueScale();
    EXPECT_EQ(chart_->valueScale(), LineChart::Scale::Linear);
    EXPECT_NEAR(chart_->valueAt("a", 0), -1000, 1e-9);
    EXPECT_NEAR(chart_->plot()->yAxis->range().upper, 1e5 + 0.06 * 101000, 1e-6);
}

TEST_F(ChartTest, TheRoundingOfAConstantIsNotDrawnAsACurve) {
    const std::vector<double> x{1, 2, 3, 4}, y{1, 1 + 6e-8, 1 - 6e-8, 1 + 1.2e-7};
    chart_->setCurve("a", spec_, x, y);
    EXPECT_LE(chart_->plot()->yAxis->range().lower, 0.9);
    EXPECT_GE(chart_->plot()->yAxis->range().upper, 1.1);
    chart_->setCurve("a", spec_, x, std::vector<double>{1, 1.00001, 0.99999, 1});
    EXPECT_GT(chart_->plot()->yAxis->range().lower, 0.9999) << "a small difference is one";
}

TEST_F(ChartTest, KeysOfBothSignsShareASymlogAxis) {
    const std::vector<double> x{-1000, -1, 0, 1, 10, 100000}, y{1, 2, 3, 4, 5, 6};
    chart_->setCurve("a", spec_, x, y);
    const double before = chart_->valueAt("a", 9);
    chart_->setKeyScale(LineChart::Scale::SymLog);
    // The bend is three decades below the largest, at 100.
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, std::log10(1 + 100000 / 100.0), 1e-9);
    EXPECT_NEAR(chart_->plot()->xAxis->range().lower, -std::log10(1 + 1000 / 100.0), 1e-9);
    EXPECT_EQ(chart_->valueAt("a", 9), before);
    const auto exported = chart_->tables().front().rows;
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(std::get<double>(exported[i][1]), x[i], 1e-9 + 1e-12 * std::abs(x[i]))
            << "what is exported is what was given";
    chart_->setKeyRange(-10, 1000);
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, std::log10(1 + 1000 / 100.0), 1e-9);
    chart_->nextKeyScale();
    EXPECT_EQ(chart_->keyScale(), LineChart::Scale::Linear);
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, 100000, 1e-6);
}

TEST_F(ChartTest, KeysAtZeroStayVisibleOnALogAxis) {
    const std::vector<double> x{0, 10, 100}, y{5, 2, 1};
    chart_->setCurve("a", spec_, x, y);
    chart_->setKeyScale(LineChart::Scale::Log);
    const auto columns = inkColumns();
    const int left = chart_->plot()->axisRect()->left();
    const auto at = static_cast<int>(chart_->plot()->yAxis->coordToPixel(5));
    const auto& column = columns[static_cast<std::size_t>(left + 3)];
    EXPECT_NEAR(column.first, at, 2);
}

QVector<double> logTicks(double lower, double upper) {
    LogTicker ticker;
    ticker.setTickCount(3);  // as a chart's y axis
    QVector<double> ticks;
    ticker.generate({lower, upper}, QLocale::c(), 'g', 4, ticks, nullptr, nullptr);
    return ticks;
}

TEST(LogTicks, AreRoundAndFarEnoughApartForLabels) {
    EXPECT_EQ(logTicks(1.3, 8.9), (QVector<double>{2, 5}));
    EXPECT_EQ(logTicks(0.3, 4), (QVector<double>{0.5, 1, 2}));
    EXPECT_EQ(logTicks(0.8, 120), (QVector<double>{1, 10, 100}));
    EXPECT_EQ(logTicks(1e-9, 1e3), (QVector<double>{1e-8, 1e-4, 1}));
    EXPECT_GE(logTicks(3.1, 3.4).size(), 2) << "also where no round value lies";
    EXPECT_TRUE(logTicks(-1, 3).isEmpty());
}

}  // namespace
}  // namespace kurve::views
