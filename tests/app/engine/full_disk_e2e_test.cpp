// A disk that takes no more, a folder that is gone: nothing that was written is lost, nothing is trained for
// nobody.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/store/run_reader.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

// The optimizer's file is larger than the limit, the weights and the record are not.
constexpr std::uint64_t kFull = 5 << 20;
const std::vector<std::string> kLarge{"--set", "model.hidden=160",      "--set", "eval.every_steps=0",
                                      "--set", "checkpoint.keep_last=2"};

TEST_F(TrainingTest, AFullDiskPausesARunThatIsWatchedAndNothingIsLost) {
    std::vector<std::string> arguments{"train",    "small",       "--run", "full",
                                       "--events", "--max-steps", "100000"};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    EngineProcess engine(arguments, project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.limitFiles(kFull);
    std::int64_t step = 0;
    for (int round = 0; round < 2; ++round) {  // resumed while there is no room, it tries at once
        ASSERT_TRUE(engine.waitForType("warning"));
        const json warning = engine.found();
        EXPECT_EQ(warning["code"], "io.write");
        EXPECT_THAT(warning["message"].get<std::string>(), ::testing::HasSubstr("optimizer.safetensors"));
        EXPECT_THAT(warning["remedy"].get<std::string>(), ::testing::HasSubstr("free space"));
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
        if (round > 0) EXPECT_EQ(engine.found()["step"], step);
        step = engine.found()["step"];
        EXPECT_EQ(run({"sample", "full", "--input", "x"}).code, 0) << "the one before is whole";
        for (const auto& entry : std::filesystem::directory_iterator(runFolder("full") / "checkpoints"))
            EXPECT_TRUE(std::filesystem::exists(entry.path() / "state.json")) << entry.path();
        if (round == 1) engine.limitFiles(0);
        engine.send({{"type", "resume"}});
    }
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    EXPECT_EQ(engine.found()["step"], step);
    engine.send({{"type", "stop"}});
    ASSERT_TRUE(engine.waitForType("done"));
    const std::int64_t steps = engine.found()["steps"];
    EXPECT_EQ(engine.finish(), 130);
    arguments = {"train", "small", "--run", "whole", "--quiet", "--max-steps", std::to_string(steps)};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    ASSERT_EQ(run(arguments).code, 0);
    const std::string file = fmt::format("step-{:08}/weights.safetensors", steps);
    EXPECT_EQ(bytes("full", file), bytes("whole", file));
}

// Nobody will ever read what such a run learns: it must not keep the machine busy for hours.
TEST_F(TrainingTest, ARunWhoseFolderIsRemovedEndsWithItsReason) {
    EngineProcess engine({"train", "small", "--run", "removed", "--events", "--max-steps", "1000000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    std::filesystem::remove_all(runFolder("removed"));
    EXPECT_EQ(engine.finish(), 1);
    const json& last = engine.events().back();
    EXPECT_TRUE(hasState(last, "failed")) << last;
    EXPECT_THAT(last["reason"].get<std::string>(), ::testing::HasSubstr("the run's folder was removed"));
}

TEST_F(TrainingTest, AFullDiskFailsAnUnwatchedRunOnlyAtItsEnd) {
    std::vector<std::string> arguments{"train", "small", "--run", "full", "--json"};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    EngineProcess engine(arguments, project_.path());
    engine.limitFiles(kFull);
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 1);
    const json error = json::parse(engine.output())["error"];
    EXPECT_EQ(error["code"], "io.write");
    EXPECT_THAT(error["file"].get<std::string>(), ::testing::HasSubstr("step-00000012"));
    const auto reader = store::RunReader::open(runFolder("full"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->values().at("state"), "failed");
    EXPECT_EQ((*reader)->lastStep(), 12);
    std::vector<std::int64_t> warned;
    for (const auto& event : (*reader)->events())
        if (event.text.find("cannot write") != std::string::npos) warned.push_back(event.step);
    EXPECT_THAT(warned, ::testing::ElementsAre(4, 8, 12, 12));  // at last also as the run's own reason
    EXPECT_TRUE((*reader)->checkpoints().empty());
}

// Half a run would stand in the lists for ever, and whoever pressed Start would wait for it.
TEST_F(TrainingTest, ARunWithoutDiskSpaceToBeginLeavesNoFolder) {
    std::vector<std::string> arguments{"train", "small", "--run", "whole", "--quiet"};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    ASSERT_EQ(run(arguments).code, 0);
    const auto refused = [this](const std::vector<std::string>& words, std::uint64_t room) {
        EngineProcess engine(words, project_.path());
        engine.limitFiles(room);
        engine.closeInput();
        EXPECT_EQ(engine.finish(), 1);
        EXPECT_EQ(json::parse(engine.output())["error"]["code"], "io.write");
        EXPECT_FALSE(std::filesystem::exists(runFolder("new")));
    };
    refused({"train", "small", "--run", "new", "--json"}, 100);
    refused({"fork", "whole", "--run", "new", "--json"}, kFull);
    EXPECT_TRUE(std::filesystem::exists(runFolder("whole") / "run.db"));
}

// A folder that cannot be written to, for root as well: there is a file in its place.
TEST_F(TrainingTest, TracesThatCannotBeWrittenCostNoMetric) {
    ASSERT_EQ(run({"train", "small", "--run", "t", "--max-steps", "5", "--quiet"}).code, 0);
    std::filesystem::remove_all(runFolder("t") / "traces");
    std::ofstream(runFolder("t") / "traces") << "";
    const auto resumed = run({"resume", "t", "--json", "--quiet"});
    EXPECT_EQ(resumed.code, 0) << resumed.log;
    const auto reader = store::RunReader::open(runFolder("t"));
    ASSERT_TRUE(reader);
    store::SeriesCursor cursor;
    store::Series loss;
    (*reader)->points("valid_loss", cursor, loss);
    EXPECT_THAT(loss.step, ::testing::ElementsAre(5, 6, 12));
    EXPECT_EQ((*reader)->samples(12).size(), 1U);
    EXPECT_TRUE((*reader)->samples(12).front().traceFile.empty());
    std::vector<std::string> warnings;
    for (const auto& event : (*reader)->events())
        if (event.text.find("cannot be changed") != std::string::npos) warnings.push_back(event.text);
    ASSERT_EQ(warnings.size(), 2U);  // of steps 6 and 12
    EXPECT_THAT(warnings[0],
                ::testing::AllOf(::testing::HasSubstr("t/traces"), ::testing::HasSubstr("permissions")));
    const auto trace = run({"trace", "t", "--input", "in the beginning", "--json"});
    EXPECT_EQ(trace.code, 1);
    EXPECT_EQ(trace.json()["error"]["code"], "io.write");
    EXPECT_THAT(trace.json()["error"]["remedy"].get<std::string>(), ::testing::HasSubstr("permissions"));
}

}  // namespace
}  // namespace kurve::testing
