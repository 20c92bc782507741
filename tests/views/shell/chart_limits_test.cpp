// User-set axis limits of a chart, and the fit that ignores outliers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <cmath>

#include "tests/views/shell/chart_fixture.h"
#include "views/common/chart/axis_glyphs.h"
#include "views/common/chart/limits_editor.h"
#include "views/common/shell/view_keys.h"

namespace kurve::views {
namespace {

using ::testing::HasSubstr;

class ChartLimitsTest : public ChartTest {
protected:
    QCPRange x() { return chart_->plot()->xAxis->range(); }
    QCPRange y() { return chart_->plot()->yAxis->range(); }
    const AxisGlyphs& glyphs() {
        QCustomPlot* plot = chart_->plot();
        for (int i = 0; i < plot->itemCount(); ++i)
            if (auto* found = qobject_cast<AxisGlyphs*>(plot->item(i))) return *found;
        throw std::logic_error("no axis glyphs");
    }
    void press(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(chart_.get(), key, with); }
    /// Writes these texts into the open fields.
    LimitsEditor* write(const char* from, const char* to) {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        auto* editor = chart_->findChild<LimitsEditor*>("chart.limits");
        if (editor == nullptr) return nullptr;
        field(*editor, "from")->setText(QLatin1String(from));
        field(*editor, "to")->setText(QLatin1String(to));
        return editor;
    }
    static QLineEdit* field(const LimitsEditor& editor, const char* end) {
        return editor.findChild<QLineEdit*>(QStringLiteral("chart.limits.") + QLatin1String(end));
    }
    /// A wave about 1 with one point at 50.
    void drawSpike() {
        Data d = wave(1000);
        d.y[500] = 50;
        chart_->setCurve("a", spec_, d.x, d.y);
    }
};

TEST_F(ChartLimitsTest, ALoneDateHasAMinuteAboutIt) {
    const std::vector<double> lone{1.7e9}, value{1};
    chart_->setKeyIsTime(true);
    chart_->setCurve("a", spec_, lone, value);
    EXPECT_EQ(x().lower, 1.7e9 - 30);
    EXPECT_EQ(x().upper, 1.7e9 + 30);
}

TEST_F(ChartLimitsTest, LimitsApplyToNewDataAndFit) {
    const Data d = wave(1000);
    chart_->setCurve("a", spec_, std::span(d.x).first(100), std::span(d.y).first(100));
    press(Qt::Key_L);
    QTest::keyClick(field(*write("0.25", "4"), "to"), Qt::Key_Return);
    EXPECT_DOUBLE_EQ(y().lower, 0.25);
    EXPECT_DOUBLE_EQ(y().upper, 4);
    EXPECT_EQ(chart_->focusWidget(), chart_.get()) << "the chart has the focus again";
    chart_->setCurve("a", spec_, d.x, d.y);
    EXPECT_DOUBLE_EQ(y().upper, 4);
    EXPECT_DOUBLE_EQ(x().upper, 999) << "x follows as before";
    press(Qt::Key_Down);
    EXPECT_LT(y().lower, 0.25) << "panning may leave the limits";
    press(Qt::Key_Home);
    EXPECT_DOUBLE_EQ(y().lower, 0.25) << "fit keeps the limits";
    press(Qt::Key_U);
    EXPECT_NEAR(y().lower, 0.9 - 0.06 * 0.2, 1e-3);
}

TEST_F(ChartLimitsTest, AnEmptyFieldIsAnAutomaticEnd) {
    const Data d = wave(100);
    chart_->setCurve("a", spec_, d.x, d.y);
    const double top = y().upper;
    press(Qt::Key_L);
    QTest::keyClick(field(*write(" 0 ", ""), "from"), Qt::Key_Return);
    EXPECT_DOUBLE_EQ(y().lower, 0);
    EXPECT_DOUBLE_EQ(y().upper, top);
    EXPECT_TRUE(glyphs().locks().bottom);
    EXPECT_FALSE(glyphs().locks().top);
    press(Qt::Key_L);
    auto* editor = write("0", "");
    editor->findChild<QPushButton*>("chart.limits.automatic")->click();
    EXPECT_FALSE(chart_->valueLimits().any());
    EXPECT_FALSE(glyphs().locks().bottom);
}

TEST_F(ChartLimitsTest, InvalidLimitsAreReportedAndEscCancels) {
    const Data d = wave(100);
    chart_->setCurve("a", spec_, d.x, d.y);
    press(Qt::Key_L);
    auto* editor = write("3", "2");
    auto* problem = editor->findChild<QLabel*>("chart.limits.problem");
    QTest::keyClick(field(*editor, "to"), Qt::Key_Return);
    EXPECT_THAT(problem->text().toStdString(), HasSubstr("less"));
    EXPECT_TRUE(problem->isVisibleTo(editor));
    EXPECT_FALSE(chart_->valueLimits().any());
    write("1,5", "2");
    QTest::keyClick(field(*editor, "to"), Qt::Key_Return);
    EXPECT_THAT(problem->text().toStdString(), HasSubstr("Not a number"));
    QTest::keyClick(field(*editor, "to"), Qt::Key_Escape);
    EXPECT_FALSE(editor->isVisible());
    EXPECT_FALSE(chart_->valueLimits().any());
    chart_->setValueScale(LineChart::Scale::Log);
    press(Qt::Key_L);
    editor = write("0", "2");
    QTest::keyClick(field(*editor, "to"), Qt::Key_Return);
    EXPECT_THAT(editor->findChild<QLabel*>("chart.limits.problem")->text().toStdString(),
                HasSubstr("above 0"));
}

TEST_F(ChartLimitsTest, ADoubleClickOnAnAxisOpensItsLimitsAndTakesTheCurrentRange) {
    const Data d = wave(101);
    chart_->setKeyTitle("step");
    chart_->setCurve("a", spec_, d.x, d.y);
    chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QRect area = chart_->plot()->axisRect()->rect();
    QTest::mouseDClick(chart_->plot(), Qt::LeftButton, {}, {area.center().x(), area.bottom() + 8});
    auto* editor = write("", "");
    ASSERT_NE(editor, nullptr);
    EXPECT_EQ(editor->accessibleName(), "step limits");
    EXPECT_TRUE(chart_->rect().contains(editor->geometry())) << "in place, no dialog";
    editor->findChild<QPushButton*>("chart.limits.shown")->click();
    EXPECT_EQ(field(*editor, "to")->text(), "100");
    QTest::keyClick(field(*editor, "to"), Qt::Key_Return);
    EXPECT_EQ(chart_->keyLimits(), (AxisLimits{0, 100}));
    QTest::mouseDClick(chart_->plot(), Qt::LeftButton, {}, {area.left() - 8, area.center().y()});
    EXPECT_EQ(write("", "")->accessibleName(), "y limits");
}

TEST_F(ChartLimitsTest, LimitedXShowsItsRangeAndCountsPointsOutside) {
    Data d = wave(1000);
    for (std::size_t i = 600; i < d.y.size(); ++i) d.y[i] = 9;
    chart_->setCurve("a", spec_, d.x, d.y);
    chart_->setKeyLimits({100, 500});
    EXPECT_DOUBLE_EQ(x().lower, 100);
    EXPECT_LT(y().upper, 2) << "y is fitted to the visible points";
    EXPECT_EQ(glyphs().outside(), (Outside{100, 499, 0, 0}));
    EXPECT_EQ(chart_->outsideText().toStdString(), "Points outside the range: 100 before, 499 after");
    EXPECT_TRUE(glyphs().locks().left && glyphs().locks().right);
    chart_->setKeyLimits({2000, {}});
    EXPECT_GT(x().upper, 2000) << "a valid range without points";
}

TEST_F(ChartLimitsTest, OutliersAreIgnoredOnRequestAndCountedAtTheEdge) {
    drawSpike();
    EXPECT_GT(y().upper, 50);
    EXPECT_FALSE(glyphs().outside().any());
    press(Qt::Key_F, Qt::ShiftModifier);
    EXPECT_LT(y().upper, 1.2);
    EXPECT_EQ(glyphs().outside().above, 1);
    EXPECT_EQ(glyphs().outside().below, 0) << "the margin includes nearby points";
    press(Qt::Key_F, Qt::ShiftModifier);
    EXPECT_GT(y().upper, 50);
    EXPECT_EQ(chart_->outsideText(), "");
}

TEST_F(ChartLimitsTest, OutliersAreThoseOfTheVisibleRange) {
    Data d = wave(1000);
    for (std::size_t i = 0; i < 500; ++i) d.y[i] = 20;
    d.y[700] = 9;
    chart_->setCurve("a", spec_, d.x, d.y);
    chart_->setIgnoringOutliers(true);
    EXPECT_GT(y().upper, 20) << "half of all points are no outliers";
    chart_->setKeyRange(600, 900);
    chart_->setIgnoringOutliers(false);
    EXPECT_GT(y().upper, 9);
    chart_->setIgnoringOutliers(true);
    EXPECT_LT(y().upper, 2);
    EXPECT_FALSE(chart_->isFollowing()) << "x keeps its range";
}

TEST_F(ChartLimitsTest, CountsOnALogAxisExcludeTheGutter) {
    const std::vector<double> x{1, 2, 3, 4}, y{1e-6, -1, 0, 10};
    chart_->setCurve("a", spec_, x, y);
    chart_->setValueScale(LineChart::Scale::Log);
    chart_->setValueLimits({1e-3, 5.0});
    EXPECT_EQ(glyphs().outside(), (Outside{0, 0, 1, 1}));
}

TEST_F(ChartLimitsTest, PadlocksAndCountsAreDrawnInFigures) {
    drawSpike();
    const auto ink = [&] {
        const QImage image = chart_->plot()->toPixmap().toImage();
        int found = 0;
        for (int row = 0; row < image.height(); ++row)
            for (int column = 0; column < image.width(); ++column)
                if (image.pixelColor(column, row) == theme().accent) ++found;
        return found;
    };
    const int before = ink();
    chart_->setValueLimits({0, 2});
    (void)chart_->plot();
    EXPECT_GT(ink(), before + 40) << "two padlocks in the accent's colour";
}

TEST_F(ChartLimitsTest, LimitsAndOutliersAreSaved) {
    drawSpike();
    chart_->setValueLimits({{}, 2.0});
    chart_->setIgnoringOutliers(true);
    LineChart other("other", "Loss");
    other.restoreRange(chart_->saveRange());
    EXPECT_EQ(other.valueLimits(), (AxisLimits{{}, 2.0}));
    EXPECT_TRUE(other.ignoresOutliers());
    other.restoreRange({});
    EXPECT_FALSE(other.valueLimits().any());
    EXPECT_FALSE(other.ignoresOutliers());
}

TEST_F(ChartLimitsTest, TheContextMenuListsTheKeyCommands) {
    QStringList texts;
    for (const QAction* action : chart_->actions()) texts << action->text();
    const std::string all = texts.join(' ').toStdString();
    for (const char* part :
         {"Set y limits…	L", "Set x limits…	Shift+L", "Fit without outliers\tShift+F"})
        EXPECT_THAT(all, HasSubstr(part));
    QStringList meanings;
    for (const ViewKey& key : chart_->findChild<ViewKeys*>()->keys()) meanings << key.meaning;
    EXPECT_TRUE(meanings.contains("Set y limits…") && meanings.contains("Zoom in y at cursor"));
}

TEST(AxisLimitsTest, DatesAreParsedAndFormatted) {
    const ReadLimits read = readLimits("2026-11-22 14:05", "2026-11-23", LimitForm::Date, LimitValues::All);
    EXPECT_EQ(read.problem, "");
    EXPECT_DOUBLE_EQ(*read.limits.to - *read.limits.from, 9 * 3600 + 55 * 60);
    EXPECT_EQ(limitText(read.limits.from, LimitForm::Date), "2026-11-22 14:05:00");
    EXPECT_NE(readLimits("3", "", LimitForm::Date, LimitValues::All).problem, "");
    EXPECT_EQ(limitsOf(saveLimits(read.limits)), read.limits);
    EXPECT_EQ(limitText(0.1, LimitForm::Number), "0.1");
}

}  // namespace
}  // namespace kurve::views
