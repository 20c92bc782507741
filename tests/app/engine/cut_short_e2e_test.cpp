// Trainings that end before their time: nothing is lost, and nothing is claimed that was not reached.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/store/run_reader.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

TEST_F(TrainingTest, AClosedTerminalStopsGracefully) {
    EngineProcess engine({"train", "small", "--run", "h", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    for (int i = 0; i < 2; ++i) engine.signal(SIGHUP);  // by the shell, and by the kernel
    ASSERT_TRUE(engine.waitForType("done"));
    EXPECT_EQ(engine.finish(), 130);
    const auto reader = store::RunReader::open(runFolder("h"));
    ASSERT_TRUE(reader);
    EXPECT_FALSE((*reader)->checkpoints().empty());
}

TEST_F(TrainingTest, KeepsTheOptimizerOfARunWhoseSessionsTimeWasOver) {
    const auto cut = run({"train", "small", "--run", "w", "--set", "train.steps=100000", "--set",
                          "checkpoint.save_weights_only=true", "--max-seconds", "0.3", "--json", "--quiet"});
    ASSERT_EQ(cut.code, 0) << cut.log;
    const std::string more = std::to_string(cut.json()["steps"].get<std::int64_t>() + 2);
    EXPECT_EQ(run({"resume", "w", "--max-steps", more, "--quiet"}).code, 0);
    EXPECT_EQ(run({"resume", "w", "--max-steps", more + "0", "--json"}).json()["error"]["code"],
              "checkpoint.weights_only")
        << "it had reached its steps";
}

TEST_F(TrainingTest, AForkDoesNotKeepTheScoreOfItsParent) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "eval.every_steps=4", "--set",
                   "checkpoint.metric=valid_loss"})
                  .code,
              0);
    ASSERT_EQ(run({"fork", "a", "--run", "f", "--quiet"}).code, 0);
    for (const auto& [id, scored] : {std::pair{"a", true}, {"f", false}}) {
        const auto reader = store::RunReader::open(runFolder(id));
        ASSERT_TRUE(reader);
        EXPECT_EQ(std::isfinite((*reader)->checkpoints().back().metric), scored) << id;
    }
}

TEST_F(TrainingTest, AReproductionThatWasStoppedIsNotEqual) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--max-steps", "20000", "--max-seconds", "2", "--quiet",
                   "--set", "eval.every_steps=0"})
                  .code,
              0);
    EngineProcess engine({"reproduce", "a", "--run", "b", "--events"}, project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);
    const auto reader = store::RunReader::open(runFolder("b"));
    ASSERT_TRUE(reader);
    EXPECT_FALSE((*reader)->values().contains("reproduce_difference"));
}

// All steps but the first are not finite: each is left out, and none is recorded as another first step.
TEST_F(TrainingTest, AStepThatIsLeftOutIsNotLogged) {
    std::ofstream(project_ / "alerts.json") << R"({"alerts": [{"on": "non_finite", "do": "note"}]})";
    EngineProcess engine({"train", "small", "--run", "n", "--events", "--set", "train.eps=0", "--set",
                          "train.beta2=0", "--set", "train.weight_decay=0", "--set", "log.every_steps=1"},
                         project_.path());
    int leftOut = 0;
    while (leftOut < 5 && engine.waitForType("warning")) ++leftOut;
    ASSERT_EQ(leftOut, 5);
    engine.send({{"type", "stop"}});
    engine.finish();
    const auto reader = store::RunReader::open(runFolder("n"));
    ASSERT_TRUE(reader);
    store::SeriesCursor cursor;
    store::Series loss;
    (*reader)->points("loss", cursor, loss);
    for (std::size_t i = 1; i < loss.size(); ++i) EXPECT_LT(loss.step[i - 1], loss.step[i]);
    EXPECT_GT(loss.size(), 0U);
}

}  // namespace
}  // namespace kurve::testing
