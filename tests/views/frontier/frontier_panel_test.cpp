#include "views/frontier/frontier_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QTableWidget>
#include <QTest>
#include <QWheelEvent>

#include "core/store/project.h"
#include "tests/views/frontier/frontier_panel_fixture.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/selection.h"
#include "views/frontier/point_table.h"
#include "views/frontier/slice_table.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(FrontierPanelTest, ATextIsDenoisedWithTheClickedSeed) {
    auto point = pointOf("a", 2, 5, 20);
    PointDetails details;
    details.showPoint(&point, "a", [](const QString& id) { return id; });
    std::vector<int> draws;
    QObject::connect(&details, &PointDetails::textOpened, [&](int, int draw) { draws.push_back(draw); });
    auto* texts = details.findChild<QTableWidget*>("frontier.texts");
    for (int column = 0; column < texts->columnCount(); ++column) Q_EMIT texts->cellActivated(0, column);
    EXPECT_THAT(draws, ElementsAre(0, 0, 0, 1)) << "source and reference stand for the first seed";

    PromptRequest trace = requestFor(point, 0, 1, "a");
    EXPECT_EQ(trace.seed, 8U);
    EXPECT_EQ(trace.row, 0U);
    EXPECT_EQ(trace.expected, "out two");
    EXPECT_EQ(trace.settings, (std::map<QString, QString>{{"sampler.steps", "2"}}));
    point.texts[0].noise = {64, 5};
    trace = requestFor(point, 0, 1, "a");
    EXPECT_EQ(trace.seed, 72U) << "its own noise of the batch";
    EXPECT_EQ(trace.row, 5U);
}

TEST_F(FrontierPanelTest, APointOfAveragedWeightsIsDecodedAndNamedWithThem) {
    auto plain = pointOf("a", 2, 5, 20), averaged = pointOf("a", 2, 4, 25);
    averaged.checkpoint = "avg5 of steps 20, 40, 60, 80, 100";
    averaged.checkpointSha256 = "b";
    EXPECT_EQ(requestFor(plain, 0, 0, "a").checkpoint, "100");
    EXPECT_EQ(requestFor(averaged, 0, 0, "a").checkpoint, "avg5");
    const std::vector<RunPoints> runs{{"a", "a", {plain, averaged}, {}}};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    ASSERT_EQ(plane.curves.size(), 2U);
    EXPECT_EQ(plane.curves[0].title, "a @ 100");
    EXPECT_EQ(plane.curves[1].title, "a @ avg5");
}

TEST_F(FrontierPanelTest, TheSliceComparesAtTheSameDiversity) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    SliceTable slice(SliceTable::Equal::Diversity);
    slice.show(plane, 4, "BLEU", "Entropy");
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("a: 25"));
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("b: 35"));
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("b is better"));
    const std::vector<RunPoints> equal{read("a"), {"c", "c", read("a").points, {}}};
    const Plane same = planeOf(equal, "bleu", "entropy");
    slice.show(same, 4, "BLEU", "Entropy");
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("not distinguishable"));
    slice.show(plane, 9, "BLEU", "Entropy");
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("a: diversity not reached"));
    slice.show(plane, 2, "BLEU", "Entropy");
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("a: higher diversity on the whole front"));
}

TEST_F(FrontierPanelTest, TheLevelSliceComparesAtTheSameQuality) {
    // Run a goes from (3, 30) to (5, 20), run b from (3, 40) to (5, 30).
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    SliceTable level(SliceTable::Equal::Quality);
    level.show(plane, 30, "BLEU", "Entropy");
    EXPECT_THAT(level.text().toStdString(), HasSubstr("Entropy at BLEU = 30"));
    EXPECT_THAT(level.text().toStdString(), HasSubstr("a: 3 ["));
    EXPECT_THAT(level.text().toStdString(), HasSubstr("b: 5 ["));
    EXPECT_THAT(level.text().toStdString(), HasSubstr("a − b: −2"));
    EXPECT_THAT(level.text().toStdString(), HasSubstr("b is more diverse"));
    level.show(plane, 22, "BLEU", "Entropy");
    EXPECT_THAT(level.text().toStdString(), HasSubstr("b: better on the whole front"));
    level.show(plane, 35, "BLEU", "Entropy");
    EXPECT_THAT(level.text().toStdString(), HasSubstr("a: quality not reached"));
    const std::vector<RunPoints> equal{read("a"), {"c", "c", read("a").points, {}}};
    const Plane same = planeOf(equal, "bleu", "entropy");
    level.show(same, 25, "BLEU", "Entropy");
    EXPECT_THAT(level.text().toStdString(), HasSubstr("not distinguishable"));
}

TEST_F(FrontierPanelTest, ASinglePointHasAxesOfItsScale) {
    const std::vector<RunPoints> runs{{"a", "a", {pointOf("a", 2, 0.02, 75)}, {}}};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, [](const QString& id) { return id; });
    const auto* plot = chart.findChild<QCustomPlot*>();
    EXPECT_GT(plot->xAxis->range().lower, 0) << "no diversity is negative";
    EXPECT_LT(plot->xAxis->range().upper, 0.04);
    EXPECT_GT(plot->yAxis->range().lower, 50);
}

TEST_F(FrontierPanelTest, TheArrowKeysMovePointsAndCursors) {
    const std::vector<RunPoints> runs{read("a")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, [](const QString& id) { return id; });
    EXPECT_DOUBLE_EQ(chart.slice(), 4);
    EXPECT_DOUBLE_EQ(chart.level(), 25);
    const auto steps = [&] {
        return plane.curves[0].points[static_cast<std::size_t>(chart.pinned().point)]->settings.at(
            "sampler.steps");
    };
    chart.pinNext(1);
    EXPECT_EQ(steps(), "8");
    chart.pinNext(1);
    EXPECT_EQ(steps(), "2");
    chart.nudgeSlice(1);
    EXPECT_DOUBLE_EQ(chart.slice(), 4.02);
    chart.nudgeLevel(-1);
    EXPECT_DOUBLE_EQ(chart.level(), 24.9);
    chart.setSlice(99);
    EXPECT_DOUBLE_EQ(chart.slice(), 5);
    chart.setLevel(-99);
    EXPECT_DOUBLE_EQ(chart.level(), 20);
}

TEST_F(FrontierPanelTest, TheLassoSelectsPoints) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, [](const QString& id) { return id; });
    chart.grab();  // lays the plot out
    auto* plot = chart.plot();
    const auto pixel = [&](double x, double y) {
        return QPointF(plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y));
    };
    const auto mouse = [&](QEvent::Type type, QPointF at, Qt::KeyboardModifiers with) {
        QMouseEvent event(type, at, plot->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, with);
        QApplication::sendEvent(plot, &event);
    };
    // Around the two points at diversity 3, which have quality 30 and 40.
    const QPointF corners[] = {pixel(2.8, 28), pixel(3.3, 28), pixel(3.3, 42), pixel(2.8, 42)};
    mouse(QEvent::MouseButtonPress, corners[0], Qt::ShiftModifier);
    for (const QPointF& corner : corners) mouse(QEvent::MouseMove, corner, Qt::ShiftModifier);
    mouse(QEvent::MouseButtonRelease, corners[3], Qt::ShiftModifier);
    ASSERT_EQ(chart.chosen().size(), 2U);
    for (const auto& index : chart.chosen())
        EXPECT_EQ(plane.curves[static_cast<std::size_t>(index.curve)]
                      .planePoints[static_cast<std::size_t>(index.point)]
                      .x,
                  3);
    mouse(QEvent::MouseButtonPress, pixel(5, 20), Qt::ControlModifier);
    EXPECT_EQ(chart.chosen().size(), 3U);
    mouse(QEvent::MouseButtonPress, pixel(5, 20), Qt::ControlModifier);
    EXPECT_EQ(chart.chosen().size(), 2U);

    PointTable table;
    table.show(plane, chart.chosen(), "BLEU", "Entropy");
    ASSERT_EQ(table.rowCount(), 2);
    EXPECT_EQ(table.item(0, 2)->text(), "40 [39, 41]");
    EXPECT_EQ(table.item(0, 5)->text(), "best");
    EXPECT_THAT(table.item(1, 5)->text().toStdString(), HasSubstr("−10 [−11.4, −8.59]"));
    EXPECT_EQ(table.item(1, 1)->text(), "steps 8");
}

TEST_F(FrontierPanelTest, ThePlaneIsZoomedLikeOtherChartsAndKeepsTheZoom) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    const auto name = [](const QString& id) { return id; };
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, name);
    (void)chart.grab();  // gives the plot its size
    auto* plot = chart.plot();
    const QCPRange all = plot->xAxis->range(), up = plot->yAxis->range();
    const QPointF middle = plot->axisRect()->rect().center();
    QWheelEvent turn(middle, plot->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase,
                     false);
    QApplication::sendEvent(plot, &turn);
    app_.processEvents();
    const QCPRange zoomed = plot->xAxis->range();
    EXPECT_LT(zoomed.size(), all.size());
    chart.pin({0, 1});
    applyTheme(ThemeMode::Dark, 1.0);
    EXPECT_EQ(plot->xAxis->range(), zoomed) << "other colours are no new data";
    EXPECT_EQ(chart.pinned(), (FrontierChart::PointIndex{0, 1}));
    applyTheme(ThemeMode::Light, 1.0);
    const Plane again = planeOf(runs, "bleu", "entropy");
    chart.show(again, name);
    EXPECT_EQ(plot->xAxis->range(), zoomed);
    QTest::keyClick(plot, Qt::Key_Backspace);
    EXPECT_EQ(plot->xAxis->range(), all);
    QTest::keyClick(plot, Qt::Key_Plus);
    EXPECT_LT(plot->xAxis->range().size(), all.size());
    EXPECT_EQ(plot->yAxis->range(), up);
    QTest::keyClick(plot, Qt::Key_Home);
    EXPECT_EQ(plot->xAxis->range(), all);
    QTest::keyClick(plot, Qt::Key_Plus);
    const Plane other = planeOf(runs, "bleu", "entropy");
    chart.show(other, [](const QString& id) { return id + "!"; });
    EXPECT_EQ(plot->xAxis->range(), all) << "the range of other axes does not apply";
}

// A hand is seldom still: a click on a point is no drag of the plane.
TEST_F(FrontierPanelTest, AClickOnAPointLeavesTheZoomAlone) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, [](const QString& id) { return id; });
    (void)chart.grab();
    auto* plot = chart.plot();
    const QPointF point = plane.values(plane.curves[0].planePoints[1]);
    const QPointF at(plot->xAxis->coordToPixel(point.x()), plot->yAxis->coordToPixel(point.y()));
    const QCPRange before = plot->xAxis->range();
    for (const auto& [type, shift] :
         {std::pair{QEvent::MouseButtonPress, 0}, {QEvent::MouseMove, 1}, {QEvent::MouseButtonRelease, 1}}) {
        const QPointF here = at + QPointF(shift, shift);
        QMouseEvent event(type, here, plot->mapToGlobal(here), Qt::LeftButton,
                          type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, {});
        QApplication::sendEvent(plot, &event);
    }
    EXPECT_EQ(chart.pinned(), (FrontierChart::PointIndex{0, 1}));
    EXPECT_TRUE(chart.zoom()->isFollowing()) << "a sweep's next points are to be seen";
    EXPECT_EQ(plot->xAxis->range(), before);
}

TEST_F(FrontierPanelTest, KeysZoomAboutThePinnedPoint) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, [](const QString& id) { return id; });
    (void)chart.grab();
    chart.pin({1, 0});
    const double x = plane.values(plane.curves[1].planePoints[0]).x();
    const double before = chart.plot()->xAxis->coordToPixel(x);
    QTest::keyClick(chart.plot(), Qt::Key_Plus);
    EXPECT_NEAR(chart.plot()->xAxis->coordToPixel(x), before, 0.01);
    QTest::keyClick(chart.plot(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_NEAR(chart.plot()->xAxis->coordToPixel(x), before, 0.01) << "arrows are the points' and cursors'";
}

TEST_F(FrontierPanelTest, ASliceHasTheBoundsOfTheFile) {
    RunPoints skewed{"a", "a", {pointOf("a", 2, 5, 20), pointOf("a", 8, 3, 30)}, {}};
    skewed.points[1].quality["bleu"] = {30, 29.5, 34, 2, "", {}};
    SliceTable slice(SliceTable::Equal::Diversity);
    const std::vector<RunPoints> runs{skewed, read("b")};
    slice.show(planeOf(runs, "bleu", "entropy"), 3, "BLEU", "Entropy");
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("a: 30 [29.5, 34]"));
    // b has 40, 1 to either side: 10 - sqrt(0.5^2 + 1), 10 + sqrt(4^2 + 1).
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("a − b: −10 [−11.1, −5.88]"));
}

TEST_F(FrontierPanelTest, NoPointIsUnderTheTextOfThePlane) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    FrontierChart chart;
    chart.resize(500, 400);
    chart.show(plane, [](const QString& id) { return id; });
    auto* plot = chart.findChild<QCustomPlot*>("frontier.plot");
    plot->resize(500, 400);
    plot->replot();
    double top = 0;
    for (int i = 0; i < plot->itemCount(); ++i)
        if (auto* label = qobject_cast<QCPItemText*>(plot->item(i)))
            if (label->text().contains("sentences")) top = label->topLeft->pixelPosition().y();
    ASSERT_GT(top, 0);
    EXPECT_LT(plot->yAxis->coordToPixel(20) + px(8), top) << "20 is the lowest quality of all";
}

TEST_F(FrontierPanelTest, TheFrontsHaveAHypervolumeAndItsCorner) {
    const std::vector<RunPoints> runs{read("a"), read("b")};
    const Plane plane = planeOf(runs, "bleu", "entropy");
    EXPECT_EQ(plane.cornerX, 3);
    EXPECT_EQ(plane.cornerY, 20);
    FrontTable table;
    table.show(plane);
    // Above (3, 20): run b's points are (3, 40), (5, 30), so 2 x 10; run a's (5, 20) adds nothing.
    EXPECT_EQ(table.item(0, 0)->text(), "b");
    EXPECT_EQ(table.item(0, 1)->text(), "20");
    EXPECT_EQ(table.item(1, 1)->text(), "0");
    EXPECT_THAT(table.item(0, 0)->toolTip().toStdString(), HasSubstr("2 of 2 points"));
}

TEST_F(FrontierPanelTest, PerplexityIsDrawnReversedAndMarksRepetition) {
    auto varied = pointOf("j", 2, 6, 20), repeating = pointOf("j", 8, 3, 10);
    int steps = 2;
    for (auto* point : {&varied, &repeating}) {
        point->referenceDiversity["entropy"] = 6.1;
        point->scorer = "scorer step-00000010 abc";
        point->referenceQuality["gen_ppl"] = 9;
        point->quality["gen_ppl"] = {20.0 / steps, 1, 21, 2, "", {}};
        steps += 6;
    }
    const std::vector<RunPoints> runs{{"j", "j", {varied, repeating}, {}}};
    EXPECT_THAT(qualitiesOf(runs), ElementsAre("bleu", "gen_ppl")) << "never the first";
    const Plane plane = planeOf(runs, "gen_ppl", "entropy");
    ASSERT_TRUE(isPerplexity(plane));
    EXPECT_EQ(plane.referenceQuality, 9);
    EXPECT_EQ(plane.direction, -1);
    EXPECT_EQ(plane.cornerY, 10) << "the worst";
    EXPECT_FALSE(isPerplexity(planeOf(runs, "bleu", "entropy")));
    FrontierChart chart;
    chart.resize(600, 400);
    chart.show(plane, [](const QString& id) { return id; });
    const auto marks = [&](QCPScatterStyle::ScatterShape shape) {
        std::vector<std::pair<double, double>> found;
        for (int i = 0; i < chart.plot()->plottableCount(); ++i)
            if (const auto* curve = qobject_cast<QCPCurve*>(chart.plot()->plottable(i)))
                if (curve->scatterStyle().shape() == shape)
                    for (const auto& at : *curve->data()) found.emplace_back(at.key, at.value);
        return found;
    };
    EXPECT_THAT(marks(QCPScatterStyle::ssCross), ElementsAre(std::pair(3.0, 2.5))) << "the repeating one";
    EXPECT_THAT(marks(QCPScatterStyle::ssStar), ElementsAre(std::pair(6.1, 9.0))) << "the references";
    (void)chart.grab();  // gives the plot its size
    EXPECT_LT(chart.plot()->yAxis->coordToPixel(2.5), chart.plot()->yAxis->coordToPixel(10))
        << "better is up";
    SliceTable slice(SliceTable::Equal::Diversity);
    slice.show(plane, 3, "Gen. perplexity", "Entropy");
    EXPECT_THAT(slice.text().toStdString(), HasSubstr("j: 2.5 [1, 21]"));
    const Plane other = planeOf(runs, "bleu", "entropy");
    chart.show(other, [](const QString& id) { return id; });
    EXPECT_THAT(marks(QCPScatterStyle::ssCross), ::testing::IsEmpty());
}

TEST_F(FrontierPanelTest, PointsOfAnotherScorerAreExcluded) {
    auto one = pointOf("j", 2, 6, 20), two = pointOf("j", 8, 3, 10), three = pointOf("j", 4, 4, 15);
    for (auto* point : {&one, &two, &three}) {
        point->scorer = point == &two ? "other" : "scorer";
        point->quality["mauve"] = {0.5, 0.4, 0.6, 2, "", {}};
    }
    const std::vector<RunPoints> runs{{"j", "j", {one, two, three}, {}}};
    EXPECT_EQ(planeOf(runs, "mauve", "entropy").leftOut, 1);
    EXPECT_EQ(planeOf(runs, "bleu", "entropy").leftOut, 0);
}

TEST_F(FrontierPanelTest, ReadsTheSelectedRunsPoints) {
    const auto project = store::Project::open(home_.path());
    ASSERT_TRUE(project);
    RunCatalog catalog(*project);
    Selection selection;
    StudioContext context;
    context.project = &*project;
    context.catalog = &catalog;
    context.selection = &selection;
    FrontierPanel panel(context);
    EXPECT_FALSE(panel.hasData());
    EXPECT_THAT(panel.statement().toStdString(), HasSubstr("No sweep"));
}

}  // namespace
}  // namespace kurve::views
