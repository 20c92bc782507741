#include "core/inspect/trace_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kurve::inspect {
namespace {

using trace::TokenState;

/// A trace of given token ids, [steps][positions]; all tokens are "▁w<id>".
trace::Trace of(const std::vector<std::vector<std::uint32_t>>& steps) {
    trace::Trace t;
    t.steps = static_cast<int>(steps.size());
    t.positions = static_cast<int>(steps[0].size());
    for (const auto& row : steps)
        for (const std::uint32_t id : row) {
            t.tokens.push_back(id);
            t.tokenTexts[id] = "\xE2\x96\x81w" + std::to_string(id);
        }
    t.state.assign(t.tokens.size(), static_cast<std::uint8_t>(TokenState::Kept));
    t.confidence.assign(t.tokens.size(), 0.5F);
    t.entropy = t.margin = t.confidence;
    for (int s = 0; s < t.steps; ++s) {
        t.t.push_back(1.0 - static_cast<double>(s) / std::max(1, t.steps - 1));
        t.logSnr.push_back(-10.0 + 20.0 * s / std::max(1, t.steps - 1));
    }
    t.meta["tokenizer_hash"] = "one";
    return t;
}

std::shared_ptr<const TimelineModel> model(const trace::Trace& t) {
    return std::make_shared<const TimelineModel>(std::make_shared<const trace::Trace>(t));
}

trace::Trace plain(int steps) {
    return of(std::vector<std::vector<std::uint32_t>>(static_cast<std::size_t>(steps), {1, 2}));
}

std::vector<int> partners(const TraceComparison& pair) {
    std::vector<int> out;
    for (int s = 0; s < pair.a().steps(); ++s) out.push_back(pair.partner(s));
    return out;
}

TEST(TraceComparison, ByStepEndsAtTheLastStepOfTheOther) {
    EXPECT_EQ(partners({model(plain(5)), model(plain(3)), LinkBy::Step}), (std::vector<int>{0, 1, 2, 2, 2}));
}

TEST(TraceComparison, ByFractionBothEndTogether) {
    EXPECT_EQ(partners({model(plain(5)), model(plain(3)), LinkBy::Fraction}),
              (std::vector<int>{0, 1, 1, 2, 2}));
    EXPECT_EQ(partners({model(plain(3)), model(plain(9)), LinkBy::Fraction}), (std::vector<int>{0, 4, 8}));
    EXPECT_EQ(partners({model(plain(1)), model(plain(4)), LinkBy::Fraction}), (std::vector<int>{3}));
}

TEST(TraceComparison, ByNoiseTakesTheNearestLogSnr) {
    trace::Trace a = plain(3), b = plain(4);
    a.logSnr = {-4, 0, 4};
    b.logSnr = {-9, -3.9, 3, 3.8};
    EXPECT_EQ(partners({model(a), model(b), LinkBy::Noise}), (std::vector<int>{1, 2, 3}));
}

TEST(TraceComparison, InfiniteLogSnrMatchesAndModelTimeIsTheFallback) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    trace::Trace a = plain(3), b = plain(3);
    a.logSnr = {-kInfinite, 0, 5};
    b.logSnr = {-kInfinite, 4, kInfinite};
    EXPECT_EQ(partners({model(a), model(b), LinkBy::Noise}), (std::vector<int>{0, 1, 1}));
    a.logSnr.clear();  // a mask model has model time only
    b.logSnr.clear();
    a.t = {1, 0.4, 0};
    b.t = {0.9, 0.5, 0.1};
    EXPECT_EQ(partners({model(a), model(b), LinkBy::Noise}), (std::vector<int>{0, 1, 2}));
}

TEST(TraceComparison, BackIsTheEarliestStepWithTheNearestPartner) {
    const TraceComparison pair(model(plain(9)), model(plain(3)), LinkBy::Fraction);
    EXPECT_EQ(pair.back(0), 0);
    EXPECT_EQ(pair.back(1), 2);  // partners 0 0 1 1 1 1 2 2 2 (halves are rounded up)
    EXPECT_EQ(pair.back(2), 6);
}

TEST(TraceComparison, FindsTheFirstDifferingPositionOfEachStep) {
    const TraceComparison pair(model(of({{1, 2, 3}, {1, 5, 3}, {1, 6, 4}})),
                               model(of({{1, 2, 3}, {1, 2, 3}, {1, 6, 3}})), LinkBy::Step);
    EXPECT_EQ(pair.firstPosition(0), -1);
    EXPECT_EQ(pair.firstPosition(1), 1);
    EXPECT_EQ(pair.firstPosition(2), 2);
    EXPECT_EQ(pair.count(2), 1);
    EXPECT_EQ(pair.firstStep(), 1);
    EXPECT_TRUE(pair.differs(1, 1));
    EXPECT_FALSE(pair.differs(1, 2));
}

TEST(TraceComparison, ATraceEqualsItself) {
    const auto m = model(of({{1, 2}, {3, 4}}));
    EXPECT_EQ(TraceComparison(m, m, LinkBy::Noise).firstStep(), -1);
}

TEST(TraceComparison, ExtraPositionsDifferAndPaddingDoesNot) {
    trace::Trace b = of({{1, 2, 9}});
    const TraceComparison longer(model(of({{1, 2}})), model(b), LinkBy::Step);
    EXPECT_EQ(longer.positions(), 3);
    EXPECT_EQ(longer.firstPosition(0), 2);
    b.state[2] = static_cast<std::uint8_t>(TokenState::Pad);
    EXPECT_EQ(TraceComparison(model(of({{1, 2}})), model(b), LinkBy::Step).firstPosition(0), -1);
}

TEST(TraceComparison, OtherTokenizersAreComparedByText) {
    trace::Trace a = of({{1, 2}}), b = of({{7, 8}});
    b.meta["tokenizer_hash"] = "two";
    b.tokenTexts = {{7, a.tokenTexts[1]}, {8, "\xE2\x96\x81other"}};
    const TraceComparison pair(model(a), model(b), LinkBy::Step);
    EXPECT_EQ(pair.firstPosition(0), 1);
    EXPECT_EQ(pair.count(0), 1);
}

TEST(DistinguishingNames, ContainOnlyDifferences) {
    trace::Trace a = plain(3), b = plain(3);
    a.meta = {{"run", "one"}, {"checkpoint_step", "3000"}, {"seed", "1"}};
    b.meta = {{"run", "one"}, {"checkpoint_step", "6000"}, {"seed", "1"}};
    EXPECT_EQ(distinguishingNames(a, b).first, "training step 3000");
    EXPECT_EQ(distinguishingNames(a, b).second, "training step 6000");
    b = plain(5);
    b.meta = a.meta;
    EXPECT_EQ(distinguishingNames(a, b).second, "5 denoising steps");
    EXPECT_EQ(distinguishingNames(a, a).first, "one");
}

}  // namespace
}  // namespace kurve::inspect
