// What a chart draws: exact extremes, growing data, smoothing beside the raw points.
#include <gtest/gtest.h>

#include <QTest>
#include <cmath>
#include <cstdint>

#include "tests/support/drawn_curves.h"
#include "tests/views/shell/chart_fixture.h"
#include "views/common/chart/series_plottable.h"

namespace kurve::views {
namespace {

/// Values that jump between 0 and 1 without any order.
Data noise(int n) {
    Data d;
    std::uint32_t state = 12345;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525U + 1013904223U;
        d.x.push_back(i);
        d.y.push_back(static_cast<double>(state >> 8U) / (1U << 24U));
    }
    return d;
}

TEST_F(ChartTest, OneSpikeAmongAMillionPointsIsDrawn) {
    Data d = wave(1'000'000);
    d.y[123'456] = 9;
    chart_->setCurve("a", spec_, d.x, d.y);
    const auto [top, bottom] = inkRows();
    const double spike = chart_->plot()->yAxis->coordToPixel(9);
    EXPECT_NEAR(top, spike, 2);
    EXPECT_GT(bottom, chart_->plot()->yAxis->coordToPixel(1.2));
}

// From single points over a point a pixel to thousands in each: the same exact picture.
TEST_F(ChartTest, EveryColumnOfADenseCurveReachesItsExtremesAndNoFurther) {
    for (const int points : {300, 560, 1100, 60'000}) {
        SCOPED_TRACE(points);
        const Data d = noise(points);
        chart_->keepOnly({});
        chart_->setCurve("a", spec_, d.x, d.y);
        chart_->fit();
        const auto ink = inkColumns();
        QCustomPlot* plot = chart_->plot();
        const int left = plot->axisRect()->left(), right = plot->axisRect()->right();
        std::vector<double> top(ink.size(), 1e9), bottom(ink.size(), -1e9);
        for (std::size_t i = 0; i < d.x.size(); ++i) {
            const auto column = static_cast<std::size_t>(std::lround(plot->xAxis->coordToPixel(d.x[i])));
            if (column >= ink.size()) continue;
            const double y = plot->yAxis->coordToPixel(d.y[i]) + 0.5;  // whole coordinates are pixel centres
            top[column] = std::min(top[column], y);
            bottom[column] = std::max(bottom[column], y);
        }
        for (int c = left + 4; c < right - 4; ++c) {
            const auto at = static_cast<std::size_t>(c);
            if (top[at] < 1e9) {
                EXPECT_LE(ink[at].first, top[at] + 1) << "column " << c;
                EXPECT_GE(ink[at].second, bottom[at] - 2) << "column " << c;
            }
            // A pen has a width, and the way to a neighbour leads through both columns.
            double highest = 1e9, lowest = -1e9;
            for (std::size_t k = at - 4; k <= at + 4; ++k) {
                highest = std::min(highest, top[k]);
                lowest = std::max(lowest, bottom[k]);
            }
            if (highest < 1e9) {
                EXPECT_GE(ink[at].first, highest - 2) << "column " << c;
                EXPECT_LE(ink[at].second, lowest + 2) << "column " << c;
            }
        }
    }
}

TEST_F(ChartTest, DenseTransparentCurvesAreEvenlyTransparent) {
    const Data d = noise(60'000);
    spec_.smooth = true;  // the points themselves are drawn faint
    chart_->setCurve("a", spec_, d.x, d.y);
    chart_->setSmoothing({series::Smoothing::Kind::Ema, 0.999});
    for (QCPAxis* axis : {chart_->plot()->xAxis, chart_->plot()->yAxis}) axis->grid()->setVisible(false);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QImage image = chart_->plot()->toPixmap().toImage();
    const QRect area = chart_->plot()->axisRect()->rect();
    const int row = static_cast<int>(chart_->plot()->yAxis->coordToPixel(0.85));
    int darkest = 255, lightest = 0;
    for (int x = area.left() + 5; x < area.right() - 5; ++x) {
        const int red = image.pixelColor(x, row).red();
        darkest = std::min(darkest, red);
        lightest = std::max(lightest, red);
    }
    EXPECT_LE(lightest - darkest, 12) << "from " << darkest << " to " << lightest;
    EXPECT_LT(lightest, 230);
    EXPECT_GT(darkest, 120);
}

TEST_F(ChartTest, FollowsGrowingDataUntilTheUserZooms) {
    const Data d = wave(1000);
    chart_->setCurve("a", spec_, std::span(d.x).first(100), std::span(d.y).first(100));
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 99);
    chart_->setCurve("a", spec_, d.x, d.y);
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 999);
    chart_->setKeyRange(10, 20);
    EXPECT_FALSE(chart_->isFollowing());
    const Data more = wave(2000);
    chart_->setCurve("a", spec_, more.x, more.y);
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 20);
    chart_->fit();
    EXPECT_DOUBLE_EQ(chart_->plot()->xAxis->range().upper, 1999);
}

TEST_F(ChartTest, ExportedRowsTellTheCurvesApart) {
    const std::vector<double> x{1}, y{2};
    chart_->setCurve("a|valid_loss", {}, x, y);
    EXPECT_EQ(test::exportedNames(*chart_), QStringList{"Loss"});
    chart_->setCurve("a|loss", spec_, x, y);
    EXPECT_EQ(test::exportedNames(*chart_), QStringList({"train", "a|valid_loss"}));
    chart_->setCurve("b|loss", spec_, x, y);
    EXPECT_EQ(test::exportedNames(*chart_), QStringList({"a|loss", "a|valid_loss", "b|loss"}))
        << "runs of one name";
}

TEST_F(ChartTest, AnAxisThatBeginsLaterLeavesOutWhatHasNoPlaceOnIt) {
    const double nan = std::nan("");
    const std::vector<double> x{nan, nan, 1, 2, nan}, y{9, 8, 7, 6, 5};
    chart_->setCurve("a", spec_, x, y);
    EXPECT_EQ(chart_->plot()->xAxis->range().lower, 1);
    EXPECT_EQ(chart_->plot()->xAxis->range().upper, 2);
    EXPECT_EQ(chart_->tables().front().rows.size(), 2U);
    EXPECT_GE(inkRows().first, 0);
}

TEST_F(ChartTest, NanBreaksTheLineAndLonePointsStay) {
    const double nan = std::nan("");
    const std::vector<double> x{0, 1, 2, 3, 4}, y{1, nan, 2, nan, 1};
    chart_->setCurve("a", spec_, x, y);
    EXPECT_GE(inkRows().first, 0);
    EXPECT_TRUE(chart_->hasData());
    chart_->keepOnly({});
    EXPECT_FALSE(chart_->hasData());
}

TEST_F(ChartTest, OtherValuesAtTheSameKeysReplaceTheOld) {
    const std::vector<double> x{0, 1, 2};
    chart_->setCurve("a", spec_, x, std::vector<double>{1, 2, 3});
    chart_->setCurve("a", spec_, x, std::vector<double>{1, 5, 3});
    EXPECT_EQ(test::pointsOf(*chart_, "a").y[1], 5);
}

TEST_F(ChartTest, ReplotsNothingForKnownPointsAndOnceForMore) {
    const Data many = wave(20000);
    chart_->setCurve("a", spec_, many.x, many.y);
    QCoreApplication::processEvents();
    QCoreApplication::processEvents();
    int pictures = 0;
    QObject::connect(chart_->plot(), &QCustomPlot::afterReplot, chart_.get(), [&] { ++pictures; });
    chart_->setCurve("a", spec_, many.x, many.y);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    EXPECT_EQ(pictures, 0);
    for (const int size : {20001, 20002}) {
        const Data more = wave(size);
        chart_->setCurve("a", spec_, more.x, more.y);
    }
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    EXPECT_EQ(pictures, 1);
}

TEST_F(ChartTest, BackOnALinearAxisTheTicksAreTheValues) {
    const std::vector<double> x{0, 1, 2}, y{-100, 0, 1000};
    chart_->setCurve("a", spec_, x, y);
    chart_->setValueScale(LineChart::Scale::SymLog);
    chart_->setValueScale(LineChart::Scale::Linear);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const auto ticks = chart_->plot()->yAxis->tickVector();
    const auto labels = chart_->plot()->yAxis->tickVectorLabels();
    ASSERT_FALSE(ticks.isEmpty());
    for (qsizetype i = 0; i < ticks.size(); ++i) {
        QString label = labels[i];
        label.replace(QChar(0x2212), QLatin1Char('-'));
        EXPECT_NEAR(label.toDouble(), ticks[i], 1e-6) << labels[i].toStdString();
    }
}

TEST_F(ChartTest, TickLabelsNeverTouch) {
    const std::vector<double> x{0, 24000}, y{0, 0.0015};
    chart_->setCurve("a", spec_, x, y);
    for (const int width : {700, 300, 260, 220, 180, 140}) {
        chart_->resize(width, 140);
        chart_->grab();  // once: nobody draws a chart twice
        const QCPAxis* axis = chart_->plot()->xAxis;
        const QFontMetricsF metrics(axis->tickLabelFont());
        const auto ticks = axis->tickVector();
        const auto labels = axis->tickVectorLabels();
        ASSERT_FALSE(ticks.isEmpty()) << width;
        for (qsizetype i = 1; i < ticks.size(); ++i) {
            const double apart = axis->coordToPixel(ticks[i]) - axis->coordToPixel(ticks[i - 1]);
            const double words = metrics.horizontalAdvance(labels[i] + labels[i - 1]) / 2;
            EXPECT_GT(apart, words + metrics.horizontalAdvance(QLatin1Char('0')) / 2) << "at " << width;
        }
    }
}

TEST_F(ChartTest, SmoothingIsOfValuesNotOfCoordinates) {
    std::vector<double> x, y;
    for (int i = 0; i < 100; ++i) x.push_back(i), y.push_back(i % 2 ? 1000 : -1000);
    spec_.smooth = true;
    chart_->setSmoothing({series::Smoothing::Kind::Ema, 0.9});
    chart_->setCurve("a", spec_, x, y);
    const double before = chart_->valueAt("a", 60);
    chart_->setValueScale(LineChart::Scale::SymLog);
    EXPECT_NEAR(chart_->valueAt("a", 60), before, 1e-6);
}

// A chart that was open while a run trained told another average of it than one that was opened later.
TEST_F(ChartTest, AGrowingCurveIsSmoothedLikeACompleteOne) {
    const series::Smoothing how{series::Smoothing::Kind::Ema, 0.9};
    chart_->setSmoothing(how);
    spec_.smooth = true;
    std::vector<double> x, y;
    for (int i = 0; i < 100; ++i) {
        x.push_back(i < 5 ? 50.0 * i : 200 + i);  // the first steps of a process are slow
        y.push_back(100.0 / (i + 1) + i % 3);
        chart_->setCurve("grown", spec_, x, y);
        if (i > 2)
            EXPECT_NEAR(chart_->valueAt("grown", x.back()), series::smooth(x, y, how).back(), 1e-9) << i;
    }
    chart_->setCurve("whole", spec_, x, y);
    for (const double at : x) EXPECT_EQ(chart_->valueAt("grown", at), chart_->valueAt("whole", at)) << at;
}

/// What the chart's lines keep: their points' storage.
std::vector<std::pair<const double*, const double*>> storageOf(QCustomPlot& plot) {
    std::vector<std::pair<const double*, const double*>> all;
    for (int i = 0; i < plot.plottableCount(); ++i)
        if (auto* line = qobject_cast<SeriesPlottable*>(plot.plottable(i)))
            all.emplace_back(line->pyramid()->x().data(), line->pyramid()->y().data());
    return all;
}

TEST_F(ChartTest, KeepsNoCopyOfSharedPoints) {
    GrowingList<double> x, y;
    const auto grow = [&](int n) {
        for (int i = static_cast<int>(x.size()); i < n; ++i) {
            x.push_back(i);
            y.push_back(1 + 0.1 * std::sin(i * 0.01));
        }
        chart_->setCurve("a", spec_, {x, y});
    };
    spec_.smooth = true;
    for (const int n : {10, 100, 1000}) {
        grow(n);
        const auto [raw, average] = std::pair(storageOf(*chart_->plot())[0], storageOf(*chart_->plot())[1]);
        EXPECT_EQ(raw, std::pair(x.data(), y.data())) << n;
        EXPECT_EQ(average.first, x.data()) << n;
        EXPECT_NE(average.second, y.data()) << n;
    }
    const auto shared = test::pointsOf(*chart_, "a");
    EXPECT_EQ(shared.x, std::vector<double>(x.begin(), x.end()));
    EXPECT_EQ(shared.y, std::vector<double>(y.begin(), y.end()));
    // A symmetric logarithmic axis draws other numbers.
    chart_->setValueScale(LineChart::Scale::SymLog);
    grow(1010);
    EXPECT_NE(storageOf(*chart_->plot())[0].second, y.data());
    EXPECT_NEAR(chart_->valueAt("a", 1005), 1 + 0.1 * std::sin(10.05), 0.02) << "smoothed";
    EXPECT_EQ(y[1005], 1 + 0.1 * std::sin(1005 * 0.01)) << "the list is as it was";
    chart_->setValueScale(LineChart::Scale::Log);
    grow(1020);
    EXPECT_EQ(storageOf(*chart_->plot())[0], std::pair(x.data(), y.data()));
    EXPECT_EQ(test::pointsOf(*chart_, "a").y, std::vector<double>(y.begin(), y.end()));
}

TEST_F(ChartTest, OneMetricOverAnotherIsJoinedInItsOrder) {
    const std::vector<double> x{3, 1, 2}, y{10, 20, 30};
    chart_->setCurve("a", spec_, x, y);
    const auto points = test::pointsOf(*chart_, "a");
    EXPECT_EQ(points.x, x);
    EXPECT_EQ(points.y, y);
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, 3, 1e-12);
    EXPECT_EQ(chart_->valueAt("a", 1.1), 20);
    const auto [top, bottom] = inkRows();
    EXPECT_GT(bottom - top, 100);
    chart_->setCurve("a", spec_, x, x);
    const auto* path =
        dynamic_cast<QCPCurve*>(chart_->plot()->plottable(chart_->plot()->plottableCount() - 1));
    ASSERT_NE(path, nullptr);
    EXPECT_EQ(path->pen(), spec_.style.pen(spec_.width)) << "of other points";
    chart_->setCurve("a", spec_, y, x);  // and back to a plain curve
    EXPECT_EQ(test::pointsOf(*chart_, "a").x, y);
}

TEST_F(ChartTest, ABandIsTintedBehindItsCurveAndWidensTheRange) {
    const std::vector<double> x{0, 50, 100}, y{5, 5, 5}, low{0, 0, 0}, high{20, 20, 20};
    chart_->setCurve("a", spec_, x, y);
    chart_->setBand("a", x, low, high);
    EXPECT_GT(chart_->plot()->yAxis->range().upper, 20);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QImage image = chart_->plot()->toPixmap().toImage();
    const auto row = [&](double value) {
        return static_cast<int>(chart_->plot()->yAxis->coordToPixel(value));
    };
    const int column = static_cast<int>(chart_->plot()->xAxis->coordToPixel(30));
    const QColor inside = image.pixelColor(column, row(15)), outside = image.pixelColor(column, row(20.6));
    EXPECT_GT(inside.blue(), inside.red() + 15);
    EXPECT_LT(outside.blue(), outside.red() + 15);
    chart_->keepOnly({});
    EXPECT_EQ(chart_->plot()->plottableCount(), 0);
}

TEST_F(ChartTest, ReferencesWidenTheRange) {
    const Data d = wave(100);
    chart_->setCurve("a", spec_, d.x, d.y);
    chart_->setReference("copy", 51.7, "copying the source");
    EXPECT_GT(chart_->plot()->yAxis->range().upper, 51.7);
    chart_->setReference("copy", std::nan(""), "");
    EXPECT_LT(chart_->plot()->yAxis->range().upper, 2);
}

}  // namespace
}  // namespace kurve::views
