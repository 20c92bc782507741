#include "views/timeline/flow_layout.h"

#include <gtest/gtest.h>

namespace kurve::views {

TEST(FlowLayout, WordsStayWholeAndLinesStayInside) {
    const std::vector<FlowItem> items{{40, true}, {30, true}, {30, false}, {20, true}, {200, true}};
    const FlowLayout out = layoutFlow(items, {100, 20, 10, 2});
    ASSERT_EQ(out.boxes.size(), 5U);
    EXPECT_EQ(out.boxes[0].x, 0);
    EXPECT_EQ(out.boxes[1].y, 20) << "a word of two tokens moves as a whole";
    EXPECT_EQ(out.boxes[2].x, 32);
    EXPECT_EQ(out.boxes[2].y, 20);
    EXPECT_EQ(out.boxes[3].x, 72);
    EXPECT_EQ(out.boxes[4].y, 40) << "wider than the line: a line of its own";
    EXPECT_EQ(out.height, 60);
}

TEST(FlowLayout, ALongWordBreaksInside) {
    const std::vector<FlowItem> items{{60, true}, {60, false}, {60, false}};
    const FlowLayout out = layoutFlow(items, {100, 20, 10, 2});
    EXPECT_EQ(out.boxes[1].y, 20);
    EXPECT_EQ(out.boxes[2].y, 40);
}

}  // namespace kurve::views
