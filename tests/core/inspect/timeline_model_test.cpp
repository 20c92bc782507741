#include "core/inspect/timeline_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"
#include "tests/support/trace_declarations.h"

namespace kurve::inspect {
namespace {

using trace::TokenState;

/// 3 steps x 2 positions, small enough to know every number:  a b / a c / d c.
trace::Trace small() {
    trace::Trace t;
    t.steps = 3;
    t.positions = 2;
    t.tokens = {0, 1, 0, 2, 3, 2};
    t.state = {2, 2, 3, 4, 4, 3};  // New New / Kept Flip / Flip Kept
    t.confidence = {.2F, .4F, .6F, .8F, 1, 0};
    t.entropy = {2, 4, 1, 1, 0, .5F};
    t.margin = {0, .1F, .2F, .3F, .25F, 0};
    t.topIds.assign(6 * 8, 9);
    t.topProbability.assign(6 * 8, 0);
    const auto set = [&](int step, int position, std::vector<std::pair<std::uint32_t, float>> top) {
        for (std::size_t k = 0; k < top.size(); ++k) {
            t.topIds[t.cell(step, position) * 8 + k] = top[k].first;
            t.topProbability[t.cell(step, position) * 8 + k] = top[k].second;
        }
    };
    set(0, 0, {{0, .6F}, {3, .3F}});
    set(1, 0, {{0, .5F}, {3, .4F}, {5, .05F}});
    set(2, 0, {{3, .9F}, {0, .1F}});
    t.tokenTexts = {{0, "▁he"}, {1, "llo"}, {2, "re"}, {3, "▁the"}, {5, "</s>"}};
    t.blocks["latent"] = {{3, 2, 2}, {0, 0, 0, 0, 3, 4, 0, 0, 3, 4, 0, 2}, true};
    return t;
}

TimelineModel model(trace::Trace t) {
    return TimelineModel(std::make_shared<trace::Trace>(std::move(t)));
}

TEST(TimelineModel, StatisticsOfEachStep) {
    const TimelineModel m = model(small());
    const StepStatistics& s = m.statistics();
    EXPECT_FLOAT_EQ(s.confidence[0], .3F);
    EXPECT_FLOAT_EQ(s.confidence[2], .5F);
    EXPECT_FLOAT_EQ(s.entropy[0], 3);
    EXPECT_EQ(s.edits, (std::vector<float>{0, 1, 1})) << "the first estimate is no edit";
    EXPECT_TRUE(std::isnan(s.distance[0]));
    EXPECT_FLOAT_EQ(s.distance[1], std::sqrt(25.0F / 2));  // position 0 moved by (3, 4), position 1 stayed
    EXPECT_FLOAT_EQ(s.distance[2], std::sqrt(4.0F / 2));
}

TEST(TimelineModel, PaddingCountsNowhere) {
    trace::Trace t = small();
    t.state[t.cell(0, 1)] = static_cast<std::uint8_t>(TokenState::Pad);
    EXPECT_FLOAT_EQ(model(t).statistics().confidence[0], .2F);
}

TEST(TimelineModel, AnEmptyPositionHasNoConfidence) {
    trace::Trace t = small();
    test::declareOrder(t);
    t.state = {0, 1, 0, 1, 1, 1};  // given and not yet written; at last nothing is left
    t.confidence = {1, 0, .8F, 0, 0, 0};
    t.entropy = {0, 0, .5F, 0, 0, 0};
    const TimelineModel m = model(t);
    EXPECT_FLOAT_EQ(m.statistics().confidence[1], .8F) << "an empty position has no confidence";
    EXPECT_FLOAT_EQ(m.statistics().entropy[1], .5F);
    EXPECT_TRUE(std::isnan(m.statistics().confidence[2]));
    EXPECT_STREQ(m.emptyName(), "not written");
    test::declareMasks(t);
    EXPECT_STREQ(model(t).emptyName(), "masked");
}

TEST(TimelineModel, WithoutLatentsThereIsNoDistance) {
    trace::Trace t = small();
    t.blocks.clear();
    EXPECT_TRUE(std::isnan(model(t).statistics().distance[1]));
}

TEST(TimelineModel, StepsAreScoredAgainstTheReference) {
    trace::Trace t = small();
    EXPECT_TRUE(model(t).statistics().bleu.empty()) << "no reference";
    t.meta["reference"] = "there";
    const StepStatistics s = model(t).statistics();  // hello, here, there
    ASSERT_EQ(s.bleu.size(), 3U);
    EXPECT_FLOAT_EQ(s.bleu[0], 0);
    EXPECT_FLOAT_EQ(s.bleu[2], 100);
    EXPECT_FLOAT_EQ(s.chrf[2], 100);
    // n-grams of "here" in "there": all of orders 1 to 4, of 5, 4, 3, 2 there; so P = 1, R = mean(4/5, 3/4,
    // 2/3, 1/2), F2 = 5 P R / (4 P + R).
    const double recall = (4.0 / 5 + 3.0 / 4 + 2.0 / 3 + 1.0 / 2) / 4;
    EXPECT_NEAR(s.chrf[1], 100 * 5 * recall / (4 + recall), 1e-4);
}

TEST(TimelineModel, FindsEditsBothWaysInAPositionOrAnywhere) {
    const TimelineModel m = model(small());
    EXPECT_EQ(m.findEdit(0, -1, true), (TraceCell{1, 1}));
    EXPECT_EQ(m.findEdit(1, -1, true), (TraceCell{2, 0}));
    EXPECT_EQ(m.findEdit(2, -1, true), std::nullopt);
    EXPECT_EQ(m.findEdit(2, -1, false), (TraceCell{1, 1}));
    EXPECT_EQ(m.findEdit(0, 0, true), (TraceCell{2, 0}));
    EXPECT_EQ(m.findEdit(0, 1, false), std::nullopt);
    EXPECT_EQ(m.editCount(0), 1);
    EXPECT_EQ(m.settledAt(0), 2);
    EXPECT_EQ(m.settledAt(1), 1);
}

TEST(TimelineModel, UnmaskingAndRemaskingAreEditsOfDiscreteModels) {
    trace::Trace t = small();
    t.state = {1, 1, 2, 1, 5, 2};  // masked masked / new masked / remasked new
    test::declareMasks(t);
    t.tokens[4] = 99;
    t.tokenTexts[99] = "<mask>";
    const TimelineModel m = model(t);
    EXPECT_EQ(m.findEdit(0, 0, true), (TraceCell{1, 0}));
    EXPECT_EQ(m.findEdit(1, 0, true), (TraceCell{2, 0}));
    EXPECT_EQ(m.statistics().masked, (std::vector<float>{2, 1, 1}));
    EXPECT_FALSE(m.continuous());
}

TEST(TimelineModel, ARefilledMaskShowsItsToken) {
    trace::Trace t = small();
    t.state = {2, 2, 5, 3, 5, 3};  // new new / found masked and filled, kept / again
    test::declareMasks(t);
    t.tokens = {1, 3, 1, 3, 0, 3};
    const TimelineModel m = model(t);
    EXPECT_FALSE(m.holdsMask(1, 0));
    EXPECT_EQ(m.findEdit(0, -1, true), (TraceCell{2, 0})) << "the same token again is no edit";
    EXPECT_TRUE(m.marks().willMask(0, 0));
    EXPECT_EQ(m.statistics().masked, (std::vector<float>{1, 1, 0}));
}

TEST(TimelineModel, RankFlowFollowsCandidatesThroughTheSteps) {
    const auto flow = model(small()).rankFlow(0);
    ASSERT_EQ(flow.size(), 3U);
    EXPECT_EQ(flow[0].id, 3U);  // 1.6 of probability in all
    EXPECT_EQ(flow[0].rank, (std::vector<std::int8_t>{1, 1, 0}));
    EXPECT_EQ(flow[1].id, 0U);  // 1.2
    EXPECT_EQ(flow[1].rank, (std::vector<std::int8_t>{0, 0, 1}));
    EXPECT_EQ(flow[2].id, 5U);
    EXPECT_EQ(flow[2].rank, (std::vector<std::int8_t>{-1, 2, -1}));
    EXPECT_FLOAT_EQ(flow[0].probability[2], .9F);
}

TEST(TimelineModel, TextReadsAsASentence) {
    const TimelineModel m = model(small());
    EXPECT_EQ(m.textAt(0), "hello");
    EXPECT_EQ(m.textAt(1), "here");
    EXPECT_EQ(m.textAt(2), "there");
}

TEST(TimelineModel, SentencesHaveSpacesBetweenThem) {
    trace::Trace t;
    t.unit = trace::Unit::Sentence;
    t.steps = 1;
    t.positions = 3;
    t.state = {0, 2, 1};
    t.tokens = {0, 1, trace::kNoToken};
    t.tokenTexts = {{0, "Tom had a kite."}, {1, "The end."}};
    EXPECT_EQ(model(t).textAt(0), "Tom had a kite. The end.");
}

TEST(TimelineModel, ScalesEndAtTheLargestValue) {
    const TimelineModel m = model(small());
    EXPECT_EQ(m.top(Measure::Confidence), 1);
    EXPECT_EQ(m.top(Measure::Entropy), 4);
    EXPECT_FLOAT_EQ(m.top(Measure::Margin), .3F);
    EXPECT_FLOAT_EQ(m.value(Measure::Margin, 1, 1), .3F);
}

TEST(TimelineModel, LatentNormsAreAMeasureWhereRecorded) {
    trace::Trace t = small();
    t.blocks.clear();
    EXPECT_FALSE(model(t).has(Measure::Norm));
    EXPECT_TRUE(std::isnan(model(t).value(Measure::Norm, 0, 0)));
    t.blocks["latent"] = {{3, 2, 2}, {3, 4, 0, 0, 1, 0, 0, 2, 6, 8, 0, -5}, true};
    const TimelineModel m = model(t);
    EXPECT_TRUE(m.has(Measure::Norm));
    EXPECT_FLOAT_EQ(m.value(Measure::Norm, 0, 0), 5);
    EXPECT_FLOAT_EQ(m.value(Measure::Norm, 1, 1), 2);
    EXPECT_FLOAT_EQ(m.value(Measure::Norm, 2, 1), 5);
    EXPECT_FLOAT_EQ(m.top(Measure::Norm), 10);
}

TEST(TimelineModel, EditsAndStatisticsAgree) {
    const TimelineModel m = model(test::syntheticTrace({.words = 40, .steps = 12}));
    float edits = 0;
    for (const float e : m.statistics().edits) edits += e;
    int sum = 0;
    for (int position = 0; position < m.positions(); ++position) {
        sum += m.editCount(position);
        EXPECT_EQ(m.token(m.steps() - 1, position), m.token(m.settledAt(position), position));
        for (const RankLine& line : m.rankFlow(position)) EXPECT_EQ(line.rank.size(), 12U);
    }
    EXPECT_EQ(edits, static_cast<float>(sum));
    EXPECT_GT(m.statistics().confidence.back(), m.statistics().confidence.front());
}

}  // namespace
}  // namespace kurve::inspect
