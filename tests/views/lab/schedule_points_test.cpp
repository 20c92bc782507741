// Points of a schedule and of its weight: mouse, keys, table.
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <cmath>

#include "tests/views/lab/schedule_panel_fixture.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/table/view_table.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/weight_curve.h"

namespace kurve::views {
namespace {

using schedule::FreeCurve;

QPoint pixelOf(const QCustomPlot& plot, double x, double y) {
    return {qRound(plot.xAxis->coordToPixel(x)), qRound(plot.yAxis->coordToPixel(y))};
}

TEST_F(SchedulePanelTest, DraggingAPointIsOneUndoStep) {
    choose("schedule.a.kind", "free");
    choose("schedule.b.kind", "");
    test::waitFor([] { return true; });
    auto* plot = find<QCustomPlot>("schedule.logSnr.plot");
    panel_->grab();  // lays the axes out
    const FreeCurve before = panel_->scheduleA().curve();
    ASSERT_EQ(before.points.size(), 5u);
    const QPoint from = pixelOf(*plot, 0.5, 0), to = pixelOf(*plot, 0.4, 1.5);
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, (from + to) / 2);
    QTest::mouseMove(plot, to);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
    const auto moved = panel_->scheduleA().curve().points;
    EXPECT_NEAR(moved[2].t, 0.4, 0.01);
    EXPECT_NEAR(moved[2].logSnr, 1.5, 0.15);
    auto* table = find<QTableWidget>("schedule.points");
    EXPECT_NEAR(table->item(2, 1)->text().toDouble(), moved[2].logSnr, 1e-3);
    panel_->undo();
    EXPECT_TRUE(panel_->scheduleA().curve() == before);
    panel_->redo();
    EXPECT_TRUE(panel_->scheduleA().curve().points == moved);
}

TEST_F(SchedulePanelTest, ExportedTablesNameTheirCurves) {
    choose("schedule.a.kind", "sqrt");
    choose("schedule.b.kind", "cosine");
    panel_->grab();
    const auto tables = tablesOf(*panel_);
    const QString text = QString::fromUtf8(tablesText(tables, "csv", {}));
    EXPECT_FALSE(text.contains("Graph ")) << text.left(200).toStdString();
    for (const char* name : {"A (sqrt) alpha,", "B (cosine) sigma,", "A (sqrt) log-SNR,", "B (cosine) p,"})
        EXPECT_TRUE(text.contains(QLatin1String(name))) << name;
    EXPECT_TRUE(text.contains("\nA (sqrt),1,")) << "a bar stands at its step, not beside it";
    EXPECT_TRUE(text.contains("\nB (cosine),1,"));
}

TEST_F(SchedulePanelTest, AnInvalidNumberIsReportedAndChangesNoPoint) {
    choose("schedule.a.kind", "free");
    QString message;
    QObject::connect(panel_.get(), &Panel::statusMessage, [&](const QString& text) { message = text; });
    auto* table = find<QTableWidget>("schedule.points");
    const auto before = panel_->scheduleA().curve().points;
    const auto write = [&](int column, const char* text) {
        message.clear();
        table->item(2, column)->setText(QLatin1String(text));
        EXPECT_EQ(panel_->scheduleA().curve().points, before) << text;
        return message.toStdString();
    };
    EXPECT_EQ(write(1, "many"), "Not a number; enter a decimal number.");
    EXPECT_EQ(write(1, "-31"), "log-SNR out of range; enter a value from −30 to 30 nats.");
    EXPECT_EQ(write(2, "-0.3"), "α out of range; enter a value between 0 and 1.")
        << "its square would be a signal";
    EXPECT_EQ(write(2, "1,5"), "α out of range; enter a value between 0 and 1.");
    EXPECT_EQ(write(0, "1.5"), "Time out of range; enter one between those of the neighbouring points.");
    table->item(2, 2)->setText(QStringLiteral("0,8"));
    EXPECT_NEAR(panel_->scheduleA().curve().points[2].logSnr, std::log(0.64 / 0.36), 1e-9);
}

TEST_F(SchedulePanelTest, CustomWeightsAreDraggedAddedAndRemovedWithTheMouse) {
    choose("schedule.a.kind", "free");
    choose("schedule.b.kind", "");
    auto* plot = find<QCustomPlot>("schedule.density.plot");
    panel_->grab();
    EXPECT_FALSE(plot->yAxis2->visible()) << "a formula has nothing to take";
    choose("schedule.weight", schedule::kOwnWeight);
    panel_->grab();
    ASSERT_TRUE(plot->yAxis2->visible());
    const auto at = [&](double level, double weight) {
        return QPoint(qRound(plot->xAxis->coordToPixel(level)), qRound(plot->yAxis2->coordToPixel(weight)));
    };
    const auto points = [&] {
        return *schedule::parseWeightPoints(find<QLineEdit>("schedule.weightPoints")->text().toStdString());
    };
    const auto before = points();
    ASSERT_EQ(before, (schedule::WeightPoints{{-10, 0.2}, {0, 1}, {10, 1}}));
    const FreeCurve curve = panel_->scheduleA().curve();
    const QPoint from = at(0, 1), to = at(1.5, 2);
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, (from + to) / 2);
    QTest::mouseMove(plot, to);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
    ASSERT_EQ(points().size(), 3u);
    EXPECT_NEAR(points()[1].first, 1.5, 0.1);
    EXPECT_NEAR(points()[1].second, 2, 0.1);
    EXPECT_TRUE(panel_->scheduleA().curve() == curve) << "only the weight moved";
    panel_->undo();
    EXPECT_EQ(points(), before) << "the whole drag is one step";
    panel_->redo();
    EXPECT_NEAR(points()[1].second, 2, 0.1);
    panel_->undo();
    panel_->grab();
    QTest::mouseDClick(plot, Qt::LeftButton, Qt::ShiftModifier, at(-3, 2));
    ASSERT_EQ(points().size(), 4u);
    EXPECT_NEAR(points()[1].first, -3, 0.1);
    EXPECT_NEAR(points()[1].second, schedule::weightAt(before, -3), 0.02)
        << "on the line: nothing changes yet";
    panel_->grab();
    QTest::mouseDClick(plot, Qt::LeftButton, Qt::ShiftModifier, at(points()[1].first, points()[1].second));
    EXPECT_EQ(points(), before);
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), curve.points.size());
    // A formula again: nothing of it is left.
    choose("schedule.weight", "x0");
    EXPECT_FALSE(plot->yAxis2->visible());
}

void press(QWidget* where, int key, Qt::KeyboardModifiers with = Qt::NoModifier) {
    QTest::keyClick(where, static_cast<Qt::Key>(key), with);
}

TEST_F(SchedulePanelTest, PointsAreSelectedAndMovedWithKeys) {
    choose("schedule.a.kind", "free");
    choose("schedule.b.kind", "");
    panel_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(panel_.get()));
    auto* plot = find<QCustomPlot>("schedule.logSnr.plot");
    auto* table = find<QTableWidget>("schedule.points");
    panel_->grab();
    plot->setFocus();
    const auto points = [&] { return panel_->scheduleA().curve().points; };
    const auto before = points();
    press(plot, Qt::Key_Right);  // no point is chosen: the values are read
    EXPECT_EQ(points(), before);
    EXPECT_TRUE(plot->accessibleDescription().startsWith("t 0.5"));
    for (int i = 0; i < 3; ++i) press(plot, Qt::Key_Period);
    EXPECT_EQ(table->currentRow(), 2);
    press(plot, Qt::Key_Right);
    const double small = points()[2].t - before[2].t;
    EXPECT_NEAR(small, 0.01 * plot->xAxis->range().size(), 1e-3);
    press(plot, Qt::Key_Left);
    EXPECT_NEAR(points()[2].t, before[2].t, 1e-3);
    press(plot, Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_NEAR(points()[2].logSnr - before[2].logSnr, 0.1 * plot->yAxis->range().size(), 0.05);
    panel_->undo();
    EXPECT_NEAR(points()[2].logSnr, before[2].logSnr, 0.05) << "a press is one step";
    // Held, it goes on and is still one step.
    QTest::keyPress(plot, Qt::Key_Down);
    for (int i = 0; i < 4; ++i) {
        QKeyEvent repeated(QEvent::KeyPress, Qt::Key_Down, Qt::NoModifier, QString(), true);
        QApplication::sendEvent(plot, &repeated);
    }
    QTest::keyRelease(plot, Qt::Key_Down);
    EXPECT_NEAR(points()[2].logSnr - before[2].logSnr, -0.05 * plot->yAxis->range().size(), 0.05);
    panel_->undo();
    EXPECT_NEAR(points()[2].logSnr, before[2].logSnr, 0.05);
    press(plot, Qt::Key_Comma);
    EXPECT_EQ(table->currentRow(), 1);
    table->setCurrentCell(3, 1);  // the table's choice is taken over
    press(plot, Qt::Key_Period);
    EXPECT_EQ(table->currentRow(), 4);
    press(plot, Qt::Key_Escape);
    const auto now = points();
    press(plot, Qt::Key_Up);
    EXPECT_EQ(points(), now);
}

TEST_F(SchedulePanelTest, CustomWeightsAreMovedAddedAndRemovedWithKeys) {
    choose("schedule.a.kind", "free");
    choose("schedule.weight", schedule::kOwnWeight);
    auto* plot = find<QCustomPlot>("schedule.density.plot");
    panel_->grab();
    plot->setFocus();
    const auto weights = [&] {
        return *schedule::parseWeightPoints(find<QLineEdit>("schedule.weightPoints")->text().toStdString());
    };
    const auto before = weights();
    const auto curve = panel_->scheduleA().curve().points;
    for (std::size_t i = 0; i <= curve.size(); ++i) press(plot, Qt::Key_Period);  // those of A come first
    press(plot, Qt::Key_Period);
    press(plot, Qt::Key_Up, Qt::ShiftModifier);
    ASSERT_EQ(weights().size(), 3U);
    EXPECT_GT(weights()[1].second, 1.2);
    EXPECT_EQ(weights()[1].first, before[1].first);
    EXPECT_EQ(panel_->scheduleA().curve().points, curve);
    press(plot, Qt::Key_Insert);
    ASSERT_EQ(weights().size(), 4U);
    EXPECT_NEAR(weights()[2].first, 5, 0.1);
    press(plot, Qt::Key_Delete);
    EXPECT_EQ(weights().size(), 3U);
    press(plot, Qt::Key_Comma);
    press(plot, Qt::Key_Comma);
    press(plot, Qt::Key_Left);
    EXPECT_EQ(weights().size(), 3U);
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), curve.size()) << "back in the points of A";
}

TEST(WeightCurve, APointStaysBetweenItsNeighboursAndAboveZero) {
    const schedule::WeightPoints points{{-5, 0.5}, {0, 1}, {5, 2}};
    EXPECT_EQ(WeightCurve::withPointAt(points, 1, 9, -3)[1], (std::pair{4.95, 1e-4}));
    EXPECT_EQ(WeightCurve::withPointAt(points, 0, -7.513, 0.123456)[0], (std::pair{-7.5, 0.123}));
}

TEST_F(SchedulePanelTest, DoubleClickAddsAndDelRemoves) {
    choose("schedule.a.kind", "free");
    auto* plot = find<QCustomPlot>("schedule.signal.plot");
    panel_->grab();
    const QPoint beside = pixelOf(*plot, 0.6, 0.05);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, beside);
    ASSERT_EQ(panel_->scheduleA().curve().points.size(), 6u);
    EXPECT_NEAR(panel_->scheduleA().curve().points[3].t, 0.6, 0.01);
    EXPECT_EQ(find<QTableWidget>("schedule.points")->currentRow(), 3);
    find<QPushButton>("schedule.removePoint")->click();
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), 5u);
}

}  // namespace
}  // namespace kurve::views
