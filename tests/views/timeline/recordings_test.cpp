#include "views/timeline/recordings.h"

#include <gtest/gtest.h>

#include "views/common/run_catalog.h"

namespace kurve::views {
namespace {

store::TraceRow row(std::int64_t step, int prompt, const std::string& path, std::int64_t recorded) {
    store::TraceRow out;
    out.step = step;
    out.prompt = prompt;
    out.path = path;
    out.recorded = recorded;
    return out;
}

RunData run() {
    RunData data;
    for (const int prompt : {0, 1}) {
        store::SampleRow sample;
        sample.prompt = prompt;
        sample.input = prompt == 0 ? "first text" : "second text";
        data.samples.push_back(sample);
    }
    data.traces = {row(300, 1, "c", 5),   row(100, 1, "a", 1), row(100, 0, "other", 2),
                   row(200, 1, "old", 3), row(200, 1, "b", 4), row(300, -1, "typed", 6)};
    return data;
}

trace::Trace shown(const std::string& prompt) {
    trace::Trace t;
    t.meta = {{"prompt", prompt}, {"run", "r"}, {"checkpoint_step", "200"}};
    return t;
}

TEST(Recordings, AreThoseOfThePromptByTrainingStepTheNewestOfEach) {
    const std::vector<Recording> expected{{100, "a"}, {200, "b"}, {300, "c"}};
    EXPECT_EQ(recordingsOf(run(), "r", shown("second text")), expected);
}

TEST(Recordings, ThereAreNoneForBranchesOtherRunsAndTypedTexts) {
    EXPECT_TRUE(recordingsOf(run(), "r", shown("typed text")).empty());
    EXPECT_TRUE(recordingsOf(run(), "another", shown("second text")).empty());
    trace::Trace branch = shown("second text");
    branch.meta["branch_parent"] = "x";
    EXPECT_TRUE(recordingsOf(run(), "r", branch).empty());
}

TEST(Recordings, TheOneAtAStepIsTheLastNotAfterIt) {
    const std::vector<Recording> list{{100, "a"}, {200, "b"}, {300, "c"}};
    EXPECT_EQ(recordingAt(list, 99), 0);
    EXPECT_EQ(recordingAt(list, 199), 0);
    EXPECT_EQ(recordingAt(list, 200), 1);
    EXPECT_EQ(recordingAt(list, 9000), 2);
    EXPECT_EQ(recordingAt({}, 5), -1);
}

TEST(Recordings, ATraceKnowsTheStepsItsWeightsWereTrained) {
    EXPECT_EQ(trainedSteps(shown("x")), 200);
    EXPECT_EQ(trainedSteps(trace::Trace{}), -1);
}

}  // namespace
}  // namespace kurve::views
