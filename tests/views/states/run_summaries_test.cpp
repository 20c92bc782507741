// Numbers of several runs' traces beside each other, from a project on disk, and how they are drawn.
#include "views/states/run_summaries.h"
#include "tests/support/drawn_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/studio_parts.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/chart/line_chart.h"
#include "views/states/heat_strip.h"
#include "views/states/summary_chart.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

trace::Trace makeTrace(const std::string& run, const std::string& prompt, std::uint64_t seed, int steps = 4) {
    trace::Trace out = test::syntheticTrace({.words = 6, .steps = steps, .seed = seed});
    out.meta["run"] = run;
    out.meta["prompt"] = prompt;
    return out;
}

class RunSummariesTest : public ::testing::Test, protected test::StudioParts {
protected:
    RunSummariesTest() {
        writeRun("b", {{100, makeTrace("b", "one", 2)},
                       {200, makeTrace("b", "two", 3)},
                       {200, makeTrace("b", "one", 4, 8)}});
        writeRun("c", {{100, makeTrace("c", "other", 5)}});
    }
    static std::vector<double> means(const trace::Trace& trace, const QString& block) {
        const inspect::StateSource source(std::make_shared<trace::Trace>(trace), {});
        for (std::size_t layer = 0; layer < source.layers().size(); ++layer)
            if (source.layers()[layer].block == block.toStdString())
                return overviewOf(source, {}, {}).layers[layer].meanOffDiagonal;
        return {};
    }
    static TraceSummary summary(const std::string& run, std::uint64_t seed, int steps = 4) {
        const inspect::StateSource source(std::make_shared<trace::Trace>(makeTrace(run, "one", seed, steps)),
                                          "run " + run);
        return traceSummary(source, QString::fromStdString(run), overviewOf(source, {.pictures = false}, {}));
    }
};

TEST_F(RunSummariesTest, TakesTheNewestTraceOfThePromptElseTheNewest) {
    TraceSummaryRequest request{{{"b", "run b", {traceFile("b", 2), traceFile("b", 1), traceFile("b", 0)}},
                                 {"c", "run c", {traceFile("c", 0)}},
                                 {"lost", "lost", {root() / "nowhere.safetensors"}}},
                                "two",
                                {.pictures = false}};
    auto found = traceSummaries(request, {});
    ASSERT_EQ(found.size(), 2U) << "what cannot be read is left out";
    EXPECT_EQ(found[0].run, "b");
    EXPECT_FALSE(found[0].otherPrompt);
    const int latent = found[0].matchingLayer("latent");
    EXPECT_EQ(found[0].blocks.value(latent), "latent");
    EXPECT_THAT(found[0].numbers.layers[static_cast<std::size_t>(latent)].meanOffDiagonal,
                ::testing::Pointwise(::testing::DoubleNear(0.02), means(makeTrace("b", "two", 3), "latent")))
        << "halves on disk";
    EXPECT_TRUE(found[0].numbers.thumbnails[0].empty());
    EXPECT_TRUE(found[1].otherPrompt);
    EXPECT_GE(found[1].matchingLayer("hidden/7"), 0) << "the last layer with states instead";
    request.prompt = "one";
    found = traceSummaries(request, {});
    EXPECT_EQ(found[0].levels.steps, 8) << "of two traces the newer";
    EXPECT_EQ(found[0].prompt, "one");
}

TEST_F(RunSummariesTest, TheDefaultPromptIsThatOfTheFirstRunsNewestTrace) {
    const auto found = traceSummaries(
        {{{"c", "run c", {traceFile("c", 0)}}, {"b", "run b", {traceFile("b", 1), traceFile("b", 0)}}},
         {},
         {.pictures = false}},
        {});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].prompt, "other");
    EXPECT_FALSE(found[0].otherPrompt);
    EXPECT_TRUE(found[1].otherPrompt) << "it has none of that";
}

TEST_F(RunSummariesTest, ManyNewerTracesOfOtherPromptsDoNotHideTheTraceOfThePrompt) {
    std::vector<std::pair<int, trace::Trace>> traces{{100, makeTrace("d", "one", 6)}};
    for (int step = 200; traces.size() < 20; ++step) traces.emplace_back(step, makeTrace("d", "two", 7));
    writeRun("d", traces);
    RunSummaries summaries(open(), RunSummaries::Follow::Given, nullptr);
    selection_.setTrace(std::make_shared<trace::Trace>(makeTrace("b", "one", 2)));
    summaries.setRuns({"d"});
    summaries.setOn(true);
    ASSERT_TRUE(test::waitFor([&] { return !summaries.all().empty(); }));
    EXPECT_EQ(summaries.all()[0].prompt, "one");
    EXPECT_FALSE(summaries.all()[0].otherPrompt);
}

TEST_F(RunSummariesTest, AreDrawnByRunOrByRunAndLayerInBothForms) {
    const TraceSummary a = summary("a", 1), b = summary("b", 2, 8);
    SummaryChart chart(QStringLiteral("test"));
    const int latent = a.matchingLayer("latent");
    chart.showRuns("Mean", {&a, &b}, {StateStatistic::Mean, "latent", inspect::LinkBy::Step});
    EXPECT_THAT(test::curveIds(*chart.chart()), ElementsAre("a", "b"));
    EXPECT_EQ(test::pointsOf(*chart.chart(), "b").y,
              b.numbers.layers[static_cast<std::size_t>(latent)].meanOffDiagonal);
    ASSERT_EQ(chart.strip()->rows().size(), 2U);
    EXPECT_EQ(chart.strip()->rows()[1].title, "run b");
    EXPECT_EQ(chart.strip()->rows()[1].values, test::pointsOf(*chart.chart(), "b").y);
    // By fraction: eight steps on the four of the first.
    chart.showRuns("Mean", {&a, &b}, {StateStatistic::Mean, "latent", inspect::LinkBy::Fraction});
    EXPECT_EQ(test::pointsOf(*chart.chart(), "b").y.size(), 4U);
    EXPECT_EQ(test::pointsOf(*chart.chart(), "b").y.back(),
              b.numbers.layers[static_cast<std::size_t>(latent)].meanOffDiagonal.back());
    // Of every layer.
    std::size_t layers = 0;
    for (const LayerSummary& layer : a.numbers.layers) layers += layer.effectiveRank.empty() ? 0 : 1;
    ASSERT_GT(layers, 1U);
    chart.showRuns("Rank", {&a, &b}, {StateStatistic::EffectiveRank, {}, inspect::LinkBy::Step});
    EXPECT_EQ(chart.strip()->rows().size(), 2 * layers);
    EXPECT_EQ(test::pointsOf(*chart.chart(), "a|latent").y,
              a.numbers.layers[static_cast<std::size_t>(latent)].effectiveRank);
    // One row of a run where no layer is meant.
    chart.showRuns("Repeated", {&a, &b}, {StateStatistic::Repeated, {}, inspect::LinkBy::Step});
    EXPECT_EQ(chart.strip()->rows().size(), 2U);
    EXPECT_EQ(chart.strip()->rows()[0].values, a.numbers.repeatedTokens);
    chart.showRuns("Mean", {}, {});
    EXPECT_TRUE(test::curveIds(*chart.chart()).isEmpty());
}

}  // namespace
}  // namespace kurve::views
