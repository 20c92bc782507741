// A statistic of a layer for all selected runs in the similarity view, from a project on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QTest>
#include <algorithm>

#include "tests/support/drawn_curves.h"
#include "tests/support/studio_parts.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/similarity/similarity_panel.h"
#include "views/states/heat_strip.h"

namespace kurve::views {
namespace {

trace::Trace recordedTrace(const std::string& run, const std::string& prompt, std::uint64_t seed,
                           int steps = 4) {
    trace::Trace out = test::syntheticTrace({.words = 6, .steps = steps, .seed = seed});
    out.meta["run"] = run;
    out.meta["prompt"] = prompt;
    return out;
}

class ByRunTest : public ::testing::Test, protected test::StudioParts {
protected:
    ByRunTest() {
        writeRun("a", {{100, recordedTrace("a", "one", 1)}});
        writeRun("b", {{100, recordedTrace("b", "one", 2)},
                       {200, recordedTrace("b", "two", 3)},
                       {200, recordedTrace("b", "one", 4, 8)}});
        writeRun("c", {{100, recordedTrace("c", "other", 5)}});
        writeRun("empty", {});
    }
};

TEST_F(ByRunTest, ThePanelShowsALineForEachSelectedRun) {
    SimilarityPanel panel(open());
    panel.resize(1000, 700);
    panel.show();
    auto* chart = panel.findChild<LineChart*>("similarity.summaryChart");
    ASSERT_TRUE(
        test::waitFor([&] { return catalog_->run("b") != nullptr && catalog_->run("empty") != nullptr; }));
    const auto shown = std::make_shared<trace::Trace>(recordedTrace("a", "one", 1));
    playhead_.setDenoiseSteps(4);
    selection_.setTrace(shown);
    const QString name = QString::fromStdString(catalog_->run("a")->name);
    EXPECT_TRUE(test::waitFor([&] { return panel.statement().contains(name); }))
        << panel.statement().toStdString();
    selection_.setRuns({"a", "b", "c", "empty"});
    const auto* lines = panel.findChild<QComboBox*>("similarity.lines");
    commands_.action("similarity.by_run")->trigger();
    EXPECT_EQ(lines->currentText(), "by run");
    ASSERT_TRUE(test::waitFor([&] { return test::curveIds(*chart).size() == 3; }));
    EXPECT_THAT(test::curveIds(*chart), ::testing::UnorderedElementsAre("a", "b", "c"));
    // The same as a heat map on one scale.
    auto* strip = panel.findChild<HeatStrip*>();
    EXPECT_TRUE(strip->isHidden());
    commands_.action("similarity.colours")->trigger();
    EXPECT_FALSE(strip->isHidden());
    EXPECT_TRUE(chart->isHidden());
    ASSERT_EQ(strip->rows().size(), 3U);
    double min = 2, max = -2;
    for (std::size_t row = 0; row < 3; ++row) {
        int same = 0;
        for (int i = 0; i < 3; ++i)
            same += test::exportedNames(*chart)[i] == strip->rows()[row].title &&
                    test::pointsOf(*chart, test::curveIds(*chart)[i]).y == strip->rows()[row].values;
        EXPECT_EQ(same, 1);
        for (const double value : strip->rows()[row].values) {
            min = std::min(min, value);
            max = std::max(max, value);
        }
    }
    EXPECT_EQ(strip->range(), std::pair(min, max));
    QCustomPlot& cells = *strip->plot();
    cells.replot();
    const auto clickStep = [&](int step) {
        const QPoint at(static_cast<int>(cells.xAxis->coordToPixel(step)), cells.axisRect()->center().y());
        QTest::mouseClick(&cells, Qt::LeftButton, {}, at);
    };
    clickStep(2);
    EXPECT_EQ(playhead_.denoiseStep(), 1);
    clickStep(8);
    EXPECT_EQ(playhead_.denoiseStep(), 3) << "the last of four steps";
    commands_.action("similarity.colours")->trigger();
    EXPECT_TRUE(strip->isHidden());
    selection_.setRuns({"a", "c"});
    EXPECT_TRUE(test::waitFor([&] { return test::curveIds(*chart).size() == 2; }));
    commands_.action("similarity.by_run")->trigger();
    EXPECT_TRUE(test::curveIds(*chart).contains("estimate")) << "by layer again";
}

}  // namespace
}  // namespace kurve::views
