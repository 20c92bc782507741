// Numbers of several runs' recordings beside each other, from a project on disk.
#include "views/similarity/run_summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QMouseEvent>
#include <algorithm>
#include <fstream>

#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"
#include "views/common/command_registry.h"
#include "views/common/line_chart.h"
#include "views/common/playhead.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/similarity/heat_strip.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::views {
namespace {

trace::Trace recording(const std::string& run, const std::string& prompt, std::uint64_t seed, int steps = 4) {
    trace::Trace out = test::syntheticTrace({.words = 6, .steps = steps, .seed = seed});
    out.meta["run"] = run;
    out.meta["prompt"] = prompt;
    return out;
}

class RunSummariesTest : public ::testing::Test {
protected:
    RunSummariesTest() {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        std::ofstream(folder_ / "project.toml") << "name = \"Test\"\n";
        write("a", {{100, recording("a", "one", 1)}});
        write("b", {{100, recording("b", "one", 2)},
                    {200, recording("b", "two", 3)},
                    {200, recording("b", "one", 4, 8)}});
        write("c", {{100, recording("c", "other", 5)}});
        write("empty", {});
    }
    void write(const std::string& run, const std::vector<std::pair<int, trace::Trace>>& traces) {
        auto writer = std::move(*store::RunWriter::open(folder_ / "runs" / run));
        writer->set("id", run);
        writer->set("name", "run " + run);
        writer->set("state", "completed");
        std::filesystem::create_directories(folder_ / "runs" / run / "traces");
        int number = 0;
        for (const auto& [step, trace] : traces) {
            const std::string path = "traces/" + std::to_string(number++) + ".safetensors";
            EXPECT_TRUE(trace::writeTrace(folder_ / "runs" / run / path, trace));
            store::TraceRow row;
            row.step = step;
            row.prompt = number;
            row.path = path;
            writer->trace(row);
        }
        EXPECT_TRUE(writer->flush());
    }
    std::filesystem::path file(const std::string& run, int number) const {
        return folder_ / "runs" / run / "traces" / (std::to_string(number) + ".safetensors");
    }
    static std::vector<double> means(const trace::Trace& trace, const QString& block) {
        const StateSource source(std::make_shared<trace::Trace>(trace), {});
        for (std::size_t layer = 0; layer < source.layers().size(); ++layer)
            if (source.layers()[layer].block == block)
                return overviewOf(source, {.colors = matrixColors(1)}, {}).layers[layer].meanOffDiagonal;
        return {};
    }

    testing::TemporaryFolder folder_;
};

TEST_F(RunSummariesTest, TakesTheNewestRecordingOfThePromptElseTheNewest) {
    RecordingWish wish{{{"b", "run b", {file("b", 2), file("b", 1), file("b", 0)}},
                        {"c", "run c", {file("c", 0)}},
                        {"lost", "lost", {folder_ / "nowhere.safetensors"}}},
                       "two",
                       {.colors = matrixColors(1), .pictures = false}};
    auto found = recordingSummaries(wish, {});
    ASSERT_EQ(found.size(), 2U) << "what cannot be read is left out";
    EXPECT_EQ(found[0].run, "b");
    EXPECT_FALSE(found[0].otherPrompt);
    const int latent = found[0].layerLike("latent");
    EXPECT_EQ(found[0].blocks.value(latent), "latent");
    EXPECT_THAT(found[0].numbers.layers[static_cast<std::size_t>(latent)].meanOffDiagonal,
                ::testing::Pointwise(::testing::DoubleNear(0.02), means(recording("b", "two", 3), "latent")))
        << "halves on disk";
    EXPECT_TRUE(found[0].numbers.thumbnails[0].empty());
    EXPECT_TRUE(found[1].otherPrompt);
    EXPECT_GE(found[1].layerLike("hidden/7"), 0) << "the last layer with states instead";
    wish.prompt = "one";
    found = recordingSummaries(wish, {});
    EXPECT_EQ(found[0].levels.steps, 8) << "of two recordings the newer";
}

TEST_F(RunSummariesTest, ThePanelShowsALineForEachSelectedRun) {
    const auto project = store::Project::open(folder_.path());
    ASSERT_TRUE(project);
    RunCatalog catalog(*project);
    Selection selection;
    Playhead playhead;
    CommandRegistry commands;
    StudioContext context;
    context.project = &*project;
    context.catalog = &catalog;
    context.selection = &selection;
    context.playhead = &playhead;
    context.commands = &commands;
    SimilarityPanel panel(context);
    panel.resize(1000, 700);
    panel.show();
    auto* chart = panel.findChild<LineChart*>("similarity.summaryChart");
    ASSERT_TRUE(
        test::waitFor([&] { return catalog.run("b") != nullptr && catalog.run("empty") != nullptr; }));
    const auto shown = std::make_shared<trace::Trace>(recording("a", "one", 1));
    playhead.setDenoiseSteps(4);
    selection.setTrace(shown);
    selection.setRuns({"a", "b", "c", "empty"});
    const auto* lines = panel.findChild<QComboBox*>("similarity.lines");
    commands.action("similarity.by_run")->trigger();
    EXPECT_EQ(lines->currentText(), "by run");
    ASSERT_TRUE(test::waitFor([&] { return chart->curveIds().size() == 3; }));
    EXPECT_THAT(chart->curveIds(), ::testing::UnorderedElementsAre("a", "b", "c"));
    // The same as rows of colours, on one scale.
    auto* strip = panel.findChild<HeatStrip*>();
    EXPECT_TRUE(strip->isHidden());
    commands.action("similarity.colours")->trigger();
    EXPECT_FALSE(strip->isHidden());
    EXPECT_TRUE(chart->isHidden());
    ASSERT_EQ(strip->rows().size(), 3U);
    double least = 2, most = -2;
    for (std::size_t row = 0; row < 3; ++row) {
        int same = 0;
        for (const QString& id : chart->curveIds())
            same += chart->pointsOf(id).label == strip->rows()[row].title &&
                    chart->pointsOf(id).y == strip->rows()[row].values;
        EXPECT_EQ(same, 1);
        for (const double value : strip->rows()[row].values) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    }
    EXPECT_EQ(strip->range(), std::pair(least, most));
    strip->resize(300, 160);
    QMouseEvent press(QEvent::MouseButtonPress, QPointF(295, 40), QPointF(295, 40), Qt::LeftButton,
                      Qt::LeftButton, {});
    QApplication::sendEvent(strip, &press);
    EXPECT_EQ(playhead.denoiseStep(), 3) << "the last of four steps, held there though b has eight";
    commands.action("similarity.colours")->trigger();
    EXPECT_TRUE(strip->isHidden());
    selection.setRuns({"a", "c"});
    EXPECT_TRUE(test::waitFor([&] { return chart->curveIds().size() == 2; }));
    commands.action("similarity.by_run")->trigger();
    EXPECT_TRUE(chart->curveIds().contains("estimate")) << "by layer again";
}

}  // namespace
}  // namespace kurve::views
