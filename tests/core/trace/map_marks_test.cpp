#include "core/trace/map_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/trace_declarations.h"

namespace kurve::trace {
namespace {

using ::testing::ElementsAre;

/// 2 steps x 4 positions.
Trace traceOf(std::vector<std::uint8_t> state) {
    Trace t;
    t.steps = 2;
    t.positions = 4;
    t.tokens.assign(8, 1);
    t.state = std::move(state);
    return t;
}

TEST(MapMarks, EveryStateButKeptAndPaddingHasAShapeOfItsOwn) {
    std::set<std::string> paths;
    for (int state = 0; state <= static_cast<int>(TokenState::Pad); ++state)
        paths.insert(markPath(static_cast<TokenState>(state), 1));
    EXPECT_EQ(paths.size(), 6U) << "kept and padding: none";
    EXPECT_TRUE(markShapes(TokenState::Kept).empty());
    EXPECT_TRUE(markShapes(TokenState::Pad).empty());
}

TEST(MapMarks, PathsBeginAndEndInTheMiddle) {
    // A frame of 4 by 4 about the middle; SVG's moves and lines are relative.
    EXPECT_EQ(markPath(TokenState::Masked, 2), "m-2 -2l4 0l0 4l-4 0l0 -4m2 2");
    EXPECT_EQ(markPath(TokenState::New, 10), "m-9 0a9 9 0 1 0 18 0a9 9 0 1 0 -18 0m9 0");
    EXPECT_EQ(markPath(TokenState::Remask, 20),
              "m-17 0a17 17 0 1 0 34 0a17 17 0 1 0 -34 0m17 0m-14 14l-16 16m30 -30");
    EXPECT_EQ(markPath(TokenState::Kept, 5), "");
}

TEST(MapMarks, TheFirstEstimatesOfAllPositionsHaveNone) {
    Trace t = traceOf({2, 2, 0, 6, 4, 3, 0, 6});
    ASSERT_TRUE(t.estimatesAll());
    EXPECT_FALSE(isMarked(t, 0, 0));
    EXPECT_TRUE(isMarked(t, 0, 2)) << "given";
    EXPECT_FALSE(isMarked(t, 0, 3)) << "padding";
    EXPECT_TRUE(isMarked(t, 1, 0));
    EXPECT_FALSE(isMarked(t, 1, 1)) << "kept";
    test::declareMasks(t);
    EXPECT_TRUE(isMarked(t, 0, 0)) << "it was masked before";
}

TEST(MapMarks, BlocksAreFinishedOnceAndWhole) {
    Trace t = traceOf(std::vector<std::uint8_t>(8, 3));
    EXPECT_THAT(finishedBlocks(t, TokenMarks(t)), ElementsAre());
    t.blocks["committed"] = {{2, 4}, {0, 1, 1, 0, 1, 1, 1, 1}};
    EXPECT_THAT(finishedBlocks(t, TokenMarks(t)),
                ElementsAre(FinishedBlock{0, 1, 2}, FinishedBlock{1, 0, 1}, FinishedBlock{1, 3, 1}));
}

}  // namespace
}  // namespace kurve::trace
