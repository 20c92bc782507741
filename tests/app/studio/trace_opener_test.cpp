#include "app/studio/session/trace_opener.h"

#include <gtest/gtest.h>

namespace kurve::studio {
namespace {

store::TraceRow row(std::int64_t step, int prompt, const char* path) {
    store::TraceRow out;
    out.step = step;
    out.prompt = prompt;
    out.path = store::RunFile(std::string("traces/") + path);
    return out;
}

TEST(NewestTrace, OfAnEvaluationIsTheFirstPrompts) {
    EXPECT_EQ(newestTrace(
                  {row(100, 0, "a"), row(100, 1, "b"), row(200, 1, "d"), row(200, 0, "c"), row(200, 2, "e")})
                  .path,
              "traces/c");
}

TEST(NewestTrace, OfAPromptIsTheNewestItself) {
    EXPECT_EQ(newestTrace({row(200, 0, "a"), row(200, 1, "b"), row(200, -1, "mine")}).path, "traces/mine");
    EXPECT_EQ(newestTrace({row(200, -1, "mine"), row(300, 1, "b")}).path, "traces/b");
}

}  // namespace
}  // namespace kurve::studio
