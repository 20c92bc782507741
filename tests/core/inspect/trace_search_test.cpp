#include "core/inspect/trace_search.h"

#include <gtest/gtest.h>
#include "tests/support/trace_declarations.h"

namespace kurve::inspect {
namespace {

/// Mask model, 4 steps x 3 positions:  _ _ given / the _ given / them cat given / _ cat given.
TimelineModel masked() {
    trace::Trace t;
    t.steps = 4;
    t.positions = 3;
    t.tokens = {9, 9, 5, 1, 9, 5, 2, 3, 5, 9, 3, 5};
    t.state = {1, 1, 0, 2, 1, 0, 4, 2, 0, 5, 3, 0};
    t.confidence = {.1F, .1F, 1, .4F, .2F, 1, .8F, .9F, 1, .1F, .95F, 1};
    t.entropy = t.margin = t.confidence;
    t.tokenTexts = {{1, "▁the"}, {2, "▁them"}, {3, "▁Cat"}, {5, "▁once44"}, {9, "[MASK]"}};
    test::declareMasks(t);
    t.blocks["committed"] = {{4, 3}, {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0}, true};
    return TimelineModel(std::make_shared<trace::Trace>(t));
}

std::vector<TraceCell> found(const char* query) {
    const auto matches = searchTrace(masked(), query);
    return matches ? *matches : std::vector<TraceCell>{{-1, -1}};
}
using Cells = std::vector<TraceCell>;

TEST(TraceSearch, APositionMatchesItsChanges) {
    EXPECT_EQ(found("position 0"), (Cells{{1, 0}, {2, 0}, {3, 0}}));
    EXPECT_EQ(found("1"), (Cells{{2, 1}}));
    EXPECT_EQ(found("position 2"), Cells{});
}

TEST(TraceSearch, ATokenMatchesWhereItIsNew) {
    EXPECT_EQ(found("cat"), (Cells{{2, 1}})) << "not again while it stays";
    EXPECT_EQ(found("the"), (Cells{{1, 0}, {2, 0}})) << "the, then them";
    EXPECT_EQ(found("ONCE"), (Cells{{0, 2}}));
    EXPECT_EQ(found("44"), (Cells{{0, 2}})) << "no position of this trace";
    EXPECT_EQ(found("dog"), Cells{});
}

TEST(TraceSearch, StatesAndBoundsNarrow) {
    EXPECT_EQ(found("masked"), (Cells{{0, 0}, {0, 1}, {1, 1}}));
    EXPECT_EQ(found("remasked"), (Cells{{3, 0}}));
    EXPECT_EQ(found("changed"), (Cells{{2, 0}}));
    EXPECT_EQ(found("new confidence<0.5"), (Cells{{1, 0}}));
    EXPECT_EQ(found("position 1 confidence>0.5"), (Cells{{2, 1}, {3, 1}}));
    EXPECT_EQ(found("new confidence<0.5.5"), Cells{}) << "no number: a text that no token has";
}

TEST(TraceSearch, FindsMarksOfTheTrace) {
    EXPECT_EQ(found("will-mask"), (Cells{{2, 0}})) << "seen in the state that follows";
    EXPECT_EQ(found("committed"), (Cells{{1, 0}, {1, 1}, {2, 0}, {2, 1}}));
    EXPECT_EQ(found("committed cat"), (Cells{{2, 1}}));
}

TEST(TraceSearch, HasErrors) {
    EXPECT_EQ(searchTrace(masked(), "  ").error().code, "search.empty");
    EXPECT_EQ(searchTrace(masked(), "position 3").error().code, "search.number");
}

}  // namespace
}  // namespace kurve::inspect
