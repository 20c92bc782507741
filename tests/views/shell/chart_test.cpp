// What a chart draws: exact extremes, growing data, smoothing beside the raw points, log axes.
#include <gtest/gtest.h>

#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QMouseEvent>
#include <QTest>
#include <cmath>
#include <cstdint>

#include "tests/support/gui_app.h"
#include "views/common/chart_legend.h"
#include "views/common/elided_label.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"
#include "views/common/steady_text.h"

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
    /// From the topmost to the lowest inked row of each pixel column, relative to the plot; first > last: no
    /// ink.
    std::vector<std::pair<int, int>> inkColumns() {
        chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
        const QImage image = chart_->plot()->toPixmap().toImage();
        std::vector<std::pair<int, int>> columns;
        for (int x = 0; x < image.width(); ++x) {
            columns.emplace_back(image.height(), -1);
            for (int y = 0; y < image.height(); ++y) {
                const QColor c = image.pixelColor(x, y);
                if (c.blue() < c.red() + 100) continue;
                columns.back().first = std::min(columns.back().first, y);
                columns.back().second = y;
            }
        }
        return columns;
    }
    std::unique_ptr<LineChart> chart_;
    CurveLook look_;
};

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
    chart_->setCurve("a", look_, d.x, d.y);
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
        chart_->setCurve("a", look_, d.x, d.y);
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
    look_.smooth = true;  // the points themselves are drawn faint
    chart_->setCurve("a", look_, d.x, d.y);
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
    chart_->setValueScale(LineChart::Scale::Log);
    EXPECT_EQ(chart_->plot()->yAxis->scaleType(), QCPAxis::stLogarithmic);
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

TEST_F(ChartTest, OtherValuesAtTheSameKeysReplaceTheOld) {
    const std::vector<double> x{0, 1, 2};
    chart_->setCurve("a", look_, x, std::vector<double>{1, 2, 3});
    chart_->setCurve("a", look_, x, std::vector<double>{1, 5, 3});
    EXPECT_EQ(chart_->pointsOf("a").y[1], 5);
}

TEST_F(ChartTest, DrawsNothingAgainForPointsThatItHasAndLittleForOneMoreOfMany) {
    const Data many = wave(20000);
    chart_->setCurve("a", look_, many.x, many.y);
    QCoreApplication::processEvents();
    QCoreApplication::processEvents();
    int pictures = 0;
    QObject::connect(chart_->plot(), &QCustomPlot::afterReplot, chart_.get(), [&] { ++pictures; });
    chart_->setCurve("a", look_, many.x, many.y);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    EXPECT_EQ(pictures, 0);
    const Data more = wave(20001);  // a fortieth of a pixel
    chart_->setCurve("a", look_, more.x, more.y);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    EXPECT_EQ(pictures, 0);
    EXPECT_TRUE(QTest::qWaitFor([&] { return pictures == 1; }, 5000));
    const Data half = wave(30000);
    chart_->setCurve("a", look_, half.x, half.y);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    EXPECT_EQ(pictures, 2);
}

TEST_F(ChartTest, ATextThatChangesOftenLaysNothingOutWhileItFits) {
    QWidget window;
    QHBoxLayout layout(&window);
    QLabel label;
    layout.addWidget(&label);
    setSteadyText(label, "step 10");
    const int width = label.width();
    setSteadyText(label, "step 11");
    EXPECT_EQ(label.text().toStdString(), "step 11");
    EXPECT_EQ(label.width(), width);
    setSteadyText(label, "step 11 of 1,234,567, 12,345 tokens a second");
    EXPECT_GE(label.width(), label.sizeHint().width());
    setSteadyText(label, {});
    EXPECT_EQ(label.width(), 0);
}

TEST_F(ChartTest, TheLegendGivesUpNamesBeforeValuesAndNeverCutsOne) {
    ChartLegend legend;
    legend.show();
    legend.setEntries({{Qt::blue, "━", "train", "1.532"},
                       {Qt::red, "━", "valid", "2.387"},
                       {Qt::gray, "┄", "copying", "51.7", true}});
    QStringList seen;  // what is left of names and values, from wide to narrow
    for (int width = 400; width > 0; width -= 4) {
        legend.resize(width, 20);
        EXPECT_TRUE(legend.sizeHint().width() <= width || legend.text().isEmpty()) << width;
        QString left;
        for (const char* part : {"train", "valid", "copying", "1.532", "2.387", "51.7"})
            left += legend.text().contains(QLatin1String(part)) ? QLatin1Char('x') : QLatin1Char('-');
        if (seen.isEmpty() || seen.back() != left) seen << left;
    }
    EXPECT_EQ(seen.join(' ').toStdString(), "xxxxxx xx-xxx ---xxx ---xx- ---x-- ------");
    EXPECT_TRUE(legend.toolTip().contains("copying"));
}

TEST_F(ChartTest, ANarrowCardHasItsLegendBelowTheTitleWithAllNames) {
    LineChart chart("c", "Loss by noise level");
    for (const char* run : {"restore-difformer-long", "restore-sclm-long"})
        chart.setCurve(run, {run, runStyle(run)}, std::vector<double>{1, 2}, std::vector<double>{3.5, 4.5});
    chart.resize(700, 200);
    chart.show();
    auto* legend = chart.findChild<ChartLegend*>();
    EXPECT_LT(legend->y(), 20) << "beside the title";
    EXPECT_TRUE(legend->text().contains("restore-difformer-long"));
    chart.resize(300, 200);
    QCoreApplication::processEvents();
    EXPECT_GE(legend->y(), 16) << "below it";
    EXPECT_LT(legend->x(), 40);
    EXPECT_TRUE(legend->text().contains("difformer") && legend->text().contains("sclm"));
    chart.resize(700, 200);
    QCoreApplication::processEvents();
    EXPECT_LT(legend->y(), 20);
}

TEST_F(ChartTest, SeveralLinesOfALegendHoldWholeEntries) {
    ChartLegend legend;
    legend.show();
    legend.setMostLines(2);
    legend.setEntries(
        {{Qt::blue, "━", "first", "1.5"}, {Qt::red, "━", "second", "2.5"}, {Qt::red, "━", "third", "3.5"}});
    legend.resize(1000, 20);
    const int whole = legend.sizeHint().width(), line = legend.sizeHint().height();
    legend.resize(whole - 1, 20);
    EXPECT_EQ(legend.sizeHint().height(), 2 * line);
    EXPECT_LT(legend.sizeHint().width(), whole);
    for (const char* part : {"first", "second", "third", "1.5", "2.5", "3.5"})
        EXPECT_TRUE(legend.text().contains(QLatin1String(part))) << part;
}

TEST_F(ChartTest, ATitleWithoutRoomEndsInAnEllipsisAndKeepsHowItIsSmoothed) {
    ElidedLabel label("title");
    label.show();
    label.setTexts("Gaps between sampling steps", {"nats", "EMA 0.94"});
    label.resize(label.sizeHint());
    EXPECT_EQ(label.shownText(), label.text());
    EXPECT_TRUE(label.toolTip().isEmpty()) << "all is in sight";
    label.resize(label.sizeHint().width() - 2, 20);
    EXPECT_EQ(label.shownText(), "Gaps between sampling steps EMA 0.94");
    label.resize(label.fontMetrics().horizontalAdvance("Gaps between EMA 0.94"), 20);
    EXPECT_TRUE(label.shownText().startsWith("Gaps") &&
                label.shownText().endsWith(QString::fromUtf8("… EMA 0.94")))
        << label.shownText().toStdString();
    EXPECT_EQ(label.toolTip(), label.text());
    EXPECT_EQ(label.accessibleName(), "Gaps between sampling steps nats · EMA 0.94");
    label.setAbout("of the schedule");
    EXPECT_TRUE(label.toolTip().endsWith("\nof the schedule"));
    label.resize(70, 20);
    EXPECT_TRUE(label.shownText().endsWith(QString::fromUtf8("…")));
    EXPECT_GE(label.minimumSizeHint().width(), 40);
    ElidedLabel note("caption");
    note.setText("a long note");
    EXPECT_EQ(note.minimumSizeHint().width(), 0);
}

TEST_F(ChartTest, SymlogShowsBothSignsAndGivesTheValuesBack) {
    const std::vector<double> x{0, 1, 2, 3, 4}, y{-1000, -1, 0, 0.5, 1e5};
    look_.smooth = false;
    chart_->setCurve("a", look_, x, y);
    chart_->setValueScale(LineChart::Scale::SymLog);
    // 1e5 bends at 100: log10(1 + 1e5 / 100) and log10(1 + 1000 / 100)
    EXPECT_NEAR(chart_->plot()->yAxis->range().upper,
                std::log10(1001.0) + 0.06 * (std::log10(1001.0) + std::log10(11.0)), 1e-9);
    EXPECT_LT(chart_->plot()->yAxis->range().lower, -std::log10(11.0));
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(chart_->valueAt("a", x[i]), y[i], 1e-9 + 1e-12 * std::abs(y[i]));
    chart_->setCurve("a", look_, std::vector<double>{0, 1, 2, 3, 4, 5},
                     std::vector<double>{-1000, -1, 0, 0.5, 1e5, 7});
    EXPECT_NEAR(chart_->pointsOf("a").y.back(), 7, 1e-9);
    chart_->nextValueScale();
    EXPECT_EQ(chart_->valueScale(), LineChart::Scale::Linear);
    EXPECT_NEAR(chart_->pointsOf("a").y.front(), -1000, 1e-9);
    EXPECT_NEAR(chart_->plot()->yAxis->range().upper, 1e5 + 0.06 * 101000, 1e-6);
}

TEST_F(ChartTest, KeysOfBothSignsShareASymlogAxis) {
    const std::vector<double> x{-1000, -1, 0, 1, 10, 100000}, y{1, 2, 3, 4, 5, 6};
    chart_->setCurve("a", look_, x, y);
    const double before = chart_->valueAt("a", 9);
    chart_->setKeyScale(LineChart::Scale::SymLog);
    // The bend is three decades below the largest, at 100.
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, std::log10(1 + 100000 / 100.0), 1e-9);
    EXPECT_NEAR(chart_->plot()->xAxis->range().lower, -std::log10(1 + 1000 / 100.0), 1e-9);
    EXPECT_EQ(chart_->valueAt("a", 9), before);
    const auto points = chart_->pointsOf("a");
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(points.x[i], x[i], 1e-9 + 1e-12 * std::abs(x[i])) << "what is exported is what was given";
    chart_->setKeyRange(-10, 1000);
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, std::log10(1 + 1000 / 100.0), 1e-9);
    chart_->nextKeyScale();
    EXPECT_EQ(chart_->keyScale(), LineChart::Scale::Linear);
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, 100000, 1e-6);
}

TEST_F(ChartTest, BackOnALinearAxisTheTicksAreTheValues) {
    const std::vector<double> x{0, 1, 2}, y{-100, 0, 1000};
    chart_->setCurve("a", look_, x, y);
    chart_->setValueScale(LineChart::Scale::SymLog);
    chart_->setValueScale(LineChart::Scale::Linear);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const auto ticks = chart_->plot()->yAxis->tickVector();
    const auto labels = chart_->plot()->yAxis->tickVectorLabels();
    ASSERT_FALSE(ticks.isEmpty());
    for (qsizetype i = 0; i < ticks.size(); ++i)
        EXPECT_NEAR(labels[i].toDouble(), ticks[i], 1e-6) << labels[i].toStdString();
}

TEST_F(ChartTest, SmoothingIsOfValuesNotOfTheirPlaces) {
    std::vector<double> x, y;
    for (int i = 0; i < 100; ++i) x.push_back(i), y.push_back(i % 2 ? 1000 : -1000);
    look_.smooth = true;
    chart_->setSmoothing({series::Smoothing::Kind::Ema, 0.9});
    chart_->setCurve("a", look_, x, y);
    const double before = chart_->valueAt("a", 60);
    chart_->setValueScale(LineChart::Scale::SymLog);
    EXPECT_NEAR(chart_->valueAt("a", 60), before, 1e-6);
}

TEST_F(ChartTest, OneMetricOverAnotherIsJoinedInItsOrder) {
    const std::vector<double> x{3, 1, 2}, y{10, 20, 30};
    chart_->setCurve("a", look_, x, y);
    const auto points = chart_->pointsOf("a");
    EXPECT_EQ(points.x, x);
    EXPECT_EQ(points.y, y);
    EXPECT_NEAR(chart_->plot()->xAxis->range().upper, 3, 1e-12);
    EXPECT_EQ(chart_->valueAt("a", 1.1), 20);
    const auto [top, bottom] = inkRows();
    EXPECT_GT(bottom - top, 100);
    chart_->setCurve("a", look_, y, x);  // and back to a plain curve
    EXPECT_EQ(chart_->pointsOf("a").x, y);
}

TEST_F(ChartTest, TheNearestCurveIsTheOneUnderTheMouse) {
    const std::vector<double> x{0, 100}, low{0, 0}, high{10, 10};
    chart_->setCurve("low", look_, x, low);
    chart_->setCurve("high", look_, x, high);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const auto place = [&](double key, double value) {
        return QPointF(chart_->plot()->xAxis->coordToPixel(key), chart_->plot()->yAxis->coordToPixel(value));
    };
    EXPECT_EQ(chart_->curveAt(place(50, 0) + QPointF(0, -5)), "low");  // far from any point, near the line
    EXPECT_EQ(chart_->curveAt(place(20, 10) + QPointF(0, 6)), "high");
    EXPECT_EQ(chart_->curveAt(place(50, 5)), "");
}

TEST_F(ChartTest, KeysAtZeroStayVisibleOnALogAxis) {
    const std::vector<double> x{0, 10, 100}, y{5, 2, 1};
    chart_->setCurve("a", look_, x, y);
    chart_->setKeyScale(LineChart::Scale::Log);
    const auto columns = inkColumns();
    const int left = chart_->plot()->axisRect()->left();
    const auto at = static_cast<int>(chart_->plot()->yAxis->coordToPixel(5));
    const auto& column = columns[static_cast<std::size_t>(left + 3)];
    EXPECT_NEAR(column.first, at, 2);
}

TEST_F(ChartTest, ABandIsTintedBehindItsCurveAndWidensTheRange) {
    const std::vector<double> x{0, 50, 100}, y{5, 5, 5}, low{0, 0, 0}, high{20, 20, 20};
    chart_->setCurve("a", look_, x, y);
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
    chart_->setCurve("a", look_, d.x, d.y);
    chart_->setReference("copy", 51.7, "copying the source");
    EXPECT_GT(chart_->plot()->yAxis->range().upper, 51.7);
    chart_->setReference("copy", std::nan(""), "");
    EXPECT_LT(chart_->plot()->yAxis->range().upper, 2);
}

// The tip of many curves stays a tip: the one meant and those beside it, and how many more there are.
TEST_F(ChartTest, TellsTheCurvesNearestToThePointer) {
    const std::vector<double> x{0, 100};
    for (int i = 0; i < 40; ++i) {
        CurveLook look = look_;
        look.label = QStringLiteral("curve %1.").arg(i);
        chart_->setCurve(QStringLiteral("c%1").arg(i), look, x,
                         std::vector<double>{static_cast<double>(i), static_cast<double>(i)});
    }
    QCustomPlot* plot = chart_->plot();
    plot->replot(QCustomPlot::rpImmediateRefresh);
    const QPointF at(plot->xAxis->coordToPixel(50), plot->yAxis->coordToPixel(30.1));
    QMouseEvent move(QEvent::MouseMove, at, plot->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(plot, &move);
    const QString tip = plot->toolTip();
    EXPECT_EQ(tip.count('\n'), 17) << tip.toStdString();  // the place, 16 values, the rest
    EXPECT_TRUE(tip.contains("▸ curve 30.")) << tip.toStdString();
    EXPECT_TRUE(tip.contains("curve 23.") && tip.contains("curve 37.")) << tip.toStdString();
    EXPECT_FALSE(tip.contains("curve 10.")) << tip.toStdString();
    EXPECT_TRUE(tip.endsWith("… and 24 more")) << tip.toStdString();
}

TEST_F(ChartTest, ArrowsReadOutPointAfterPoint) {
    const std::vector<double> x{0, 100, 150, 400}, y{5, 4, 3, 2};
    chart_->setKeyTitle("step");
    chart_->setCurve("a", look_, x, y);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const auto press = [&](int key, Qt::KeyboardModifiers with = {}) {
        QTest::keyClick(chart_.get(), static_cast<Qt::Key>(key), with);
    };
    const auto told = [&] { return chart_->accessibleDescription().toStdString(); };
    EXPECT_EQ(chart_->focusPolicy(), Qt::StrongFocus);
    for (const char* line : {"step 0\ntrain  5", "step 100\ntrain  4", "step 150\ntrain  3",
                             "step 400\ntrain  2", "step 400\ntrain  2"}) {
        press(Qt::Key_Right);
        EXPECT_EQ(told(), line);
    }
    press(Qt::Key_Left);
    EXPECT_EQ(told(), "step 150\ntrain  3");
    double clicked = -1;
    QObject::connect(chart_.get(), &LineChart::clickedAt, [&](double at) { clicked = at; });
    press(Qt::Key_Return);
    EXPECT_EQ(clicked, 150);
}

TEST_F(ChartTest, KeysZoomAboutTheCursorPanAndFit) {
    const Data d = wave(1000);
    chart_->setCurve("a", look_, d.x, d.y);
    const QCPRange all = chart_->plot()->xAxis->range(), values = chart_->plot()->yAxis->range();
    QTest::keyClick(chart_.get(), Qt::Key_Plus);
    const QCPRange closer = chart_->plot()->xAxis->range();
    EXPECT_NEAR(closer.size(), 0.8 * all.size(), 1e-6);
    EXPECT_FALSE(chart_->isFollowing());
    QTest::keyClick(chart_.get(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_NEAR(chart_->plot()->xAxis->range().lower, closer.lower + 0.1 * closer.size(), 1e-6);
    QTest::keyClick(chart_.get(), Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_GT(chart_->plot()->yAxis->range().lower, values.lower);
    QTest::keyClick(chart_.get(), Qt::Key_Minus);
    EXPECT_NEAR(chart_->plot()->xAxis->range().size(), all.size(), 1e-6);
    QTest::keyClick(chart_.get(), Qt::Key_Home);
    EXPECT_TRUE(chart_->isFollowing());
    EXPECT_NEAR(chart_->plot()->xAxis->range().lower, all.lower, 1e-9);
    // Points that share a pixel are one step, so that a thousand keys reach the end of a million points.
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    const QString last = chart_->accessibleDescription();
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    EXPECT_NE(chart_->accessibleDescription(), last);
}

}  // namespace
}  // namespace kurve::views
