// What stands above a chart: title, values, smoothing.
#include <gtest/gtest.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "tests/views/shell/chart_fixture.h"
#include "views/common/chart/chart_legend.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/reserved_text.h"

namespace kurve::views {
namespace {

TEST_F(ChartTest, AFrequentlyChangingTextCausesNoLayoutWhileItFits) {
    QWidget window;
    QHBoxLayout layout(&window);
    QLabel label;
    layout.addWidget(&label);
    setReservedText(label, "step 10");
    const int width = label.width();
    setReservedText(label, "step 11");
    EXPECT_EQ(label.text().toStdString(), "step 11");
    EXPECT_EQ(label.width(), width);
    setReservedText(label, "step 11 of 1,234,567, 12,345 tokens a second");
    EXPECT_GE(label.width(), label.sizeHint().width());
    setReservedText(label, {});
    EXPECT_EQ(label.width(), 0);
}

TEST_F(ChartTest, TheLegendDropsValuesBeforeNamesAndNeverElidesAValue) {
    ChartLegend legend;
    legend.show();
    legend.setEntries({{Qt::blue, "━", "train", "1.532"},
                       {Qt::red, "━", "valid", "2.387"},
                       {Qt::gray, "┄", "copying", "51.7"}});
    QStringList seen;  // what is left of names and values, from wide to narrow
    for (int width = 400; width > 0; width -= 4) {
        legend.resize(width, 20);
        EXPECT_TRUE(legend.sizeHint().width() <= width || legend.text().isEmpty()) << width;
        QString left;
        for (const char* part : {"train", "valid", "copying", "1.532", "2.387", "51.7"})
            left += legend.text().contains(QLatin1String(part)) ? QLatin1Char('x') : QLatin1Char('-');
        if (seen.isEmpty() || seen.back() != left) seen << left;
    }
    EXPECT_EQ(seen.join(' ').toStdString(), "xxxxxx xxx--- xx---- x----- ------");
    EXPECT_TRUE(legend.toolTip().contains("51.7"));
    legend.resize(400, 20);
    legend.setEntries({{Qt::blue, "━", "last", "1.532"}});  // the title names a single curve
    legend.resize(legend.sizeHint().width() - 20, 20);
    EXPECT_FALSE(legend.text().contains("last"));
    EXPECT_TRUE(legend.text().contains("1.532"));
    legend.setNamesFirst(true);
    EXPECT_TRUE(legend.text().contains("last")) << legend.text().toStdString();
    EXPECT_FALSE(legend.text().contains("1.532"));
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

TEST_F(ChartTest, ANoteThatIsTooLongEndsInAnEllipsis) {
    ChartLegend legend;
    legend.show();
    legend.setMostLines(2);  // from the left
    legend.resize(50, 20);
    const auto shown = [&](const QString& note) {
        legend.setNote(note);
        return legend.grab().toImage();
    };
    const QString note = QStringLiteral("no points yet");
    EXPECT_EQ(shown(note), shown(legend.fontMetrics().elidedText(note, Qt::ElideRight, 50)));
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

TEST_F(ChartTest, TwoLinesOfALegendDropValuesBeforeNames) {
    ChartLegend legend;
    legend.show();
    legend.setMostLines(2);
    legend.setEntries({{Qt::blue, "━", "noisy input", "0.1"},
                       {Qt::red, "━", "layer 0", "0.2"},
                       {Qt::red, "━", "layer 1", "0.3"},
                       {Qt::gray, "━", "estimate", "0.4"}});
    for (int width = 600; width > 100; width -= 4) {
        legend.resize(width, 20);
        const bool layers = legend.text().contains("layer 0");
        if (legend.text().contains("0.4")) EXPECT_TRUE(layers && legend.text().contains("noisy")) << width;
        if (width > 200) EXPECT_TRUE(legend.text().contains("estimate")) << legend.text().toStdString();
        if (width > 120) EXPECT_TRUE(layers || legend.text().contains("+")) << legend.text().toStdString();
    }
}

TEST_F(ChartTest, ANarrowTitleIsElidedAndKeepsTheSmoothing) {
    ElidedLabel label("title");
    label.show();
    label.setTexts("Gaps between sampling steps", {"nats", "EMA 0.94"});
    label.resize(label.sizeHint());
    EXPECT_EQ(label.shownText(), label.text());
    EXPECT_TRUE(label.toolTip().isEmpty()) << "everything is visible";
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

TEST_F(ChartTest, ATitleThatIsToldAgainIsNotLaidOutAgain) {
    ElidedLabel label("title");
    label.setTexts("Loss", {"", "EMA 0.94"});
    label.setToolTip("of a point");  // each layout sets its own
    label.setTexts("Loss", {"", "EMA 0.94"});
    EXPECT_EQ(label.toolTip(), "of a point");
    label.setTexts("Loss", {"nats", "EMA 0.94"});
    EXPECT_NE(label.toolTip(), "of a point");
}

TEST_F(ChartTest, AScaleThatIsNotLinearIsNamedWithoutThePointer) {
    const auto* button = chart_->findChild<QToolButton*>("chart.logy");
    EXPECT_FALSE(button->isVisible());
    chart_->setValueScale(LineChart::Scale::Log);
    EXPECT_TRUE(button->isVisible());
    EXPECT_EQ(button->text(), "Y log");
    EXPECT_FALSE(chart_->findChild<QToolButton*>("chart.logx")->isVisible());
    chart_->setValueScale(LineChart::Scale::Linear);
    EXPECT_FALSE(button->isVisible());
}

}  // namespace
}  // namespace kurve::views
