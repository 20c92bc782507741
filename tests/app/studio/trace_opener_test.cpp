#include "app/studio/trace_opener.h"

#include <gtest/gtest.h>

namespace kurve::studio {
namespace {

TEST(NewestRecording, OfAnEvaluationIsTheFirstPrompts) {
    const std::vector<store::TraceRow> rows = {
        {100, 0, "a"}, {100, 1, "b"}, {200, 1, "d"}, {200, 0, "c"}, {200, 2, "e"}};
    EXPECT_EQ(newestRecording(rows).path, "c");
}

TEST(NewestRecording, MadeByHandIsTheOneItself) {
    EXPECT_EQ(newestRecording({{200, 0, "a"}, {200, 1, "b"}, {200, -1, "mine"}}).path, "mine");
    EXPECT_EQ(newestRecording({{200, -1, "mine"}, {300, 1, "b"}}).path, "b");
}

}  // namespace
}  // namespace kurve::studio
