// Runs of another machine that go on there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "core/store/run_reader.h"
#include "tests/app/engine/remote_fixture.h"
#include "tests/support/run_dump.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(RemoteTest, ARunGoesOnWhereItWasTrained) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "whole"}).code, 0);
    ASSERT_EQ(
        run({"train", "small", "--machine", "gpu", "--run", "r", "--max-steps", "8", "--no-checkpoints"})
            .code,
        0);
    EngineProcess engine({"resume", "r", "--events"}, project_.path());
    ASSERT_EQ(engine.finish(), 0) << engine.log();
    for (const auto& event : engine.events())
        EXPECT_FALSE(hasState(event, "completed") && event["step"] < 12)
            << "that was how it ended before: " << event;
    EXPECT_EQ(engine.events().back()["steps"], 12);
    EXPECT_EQ(engine.events().back()["machine"], "gpu");
    expectSame("r", Lack::Checkpoints);
    EXPECT_EQ(bytes("r", "step-00000012/weights.safetensors"),
              bytes("whole", "step-00000012/weights.safetensors"))
        << "as if it had not been interrupted";
    ASSERT_EQ(
        run({"resume", "r", "--max-steps", "16", "--checkpoint", "runs/r/checkpoints/step-00000012"}).code, 0)
        << "beyond its plan";
    EXPECT_EQ(store::RunReader::open(runThere("r")).value()->lastStep(), 16);
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, AResumptionThatIsRefusedThereSaysWhyAndChangesNothing) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--no-checkpoints"}).code, 0);
    const std::string before = dumpedRun(runFolder("r"));
    const auto none = errorOf({"resume", "r", "--checkpoint", "999", "--max-steps", "20"});
    EXPECT_EQ(none["code"], "checkpoint.missing");
    EXPECT_THAT(none["message"], HasSubstr("gpu: "));
    EXPECT_EQ(errorOf({"resume", "r", "--set", "train.lr=1"})["code"], "resume.settings");
    EXPECT_EQ(dumpedRun(runFolder("r")), before);
    expectSame("r", Lack::Checkpoints);
    fs::resize_file(runThere() / "checkpoints/step-00000012/weights.safetensors", 100);
    EngineProcess engine({"resume", "r", "--events", "--max-steps", "20"}, project_.path());
    EXPECT_EQ(engine.finish(), 1) << engine.log();
    ASSERT_FALSE(engine.events().empty());
    EXPECT_EQ(engine.events().back()["code"], "checkpoint.damaged") << engine.events().back();
    EXPECT_EQ(engine.events().back()["checkpoint"], 8) << "what the studio offers";
    for (const auto& event : engine.events()) EXPECT_NE(event["type"], "state") << "it is as it was";
    EXPECT_FALSE(fs::exists(runFolder("r") / "checkpoints/step-00000008")) << "nothing new to fetch";
    EXPECT_EQ(errorOf({"resume", "r", "--max-steps", "20"})["checkpoint"], 8);
    fs::rename(project_ / "machines.toml", project_ / "old");
    const auto unknown = errorOf({"resume", "r"});
    EXPECT_EQ(unknown["code"], "machines.unknown");
    EXPECT_THAT(unknown["remedy"], HasSubstr("kurve fork r"));
}

TEST_F(RemoteTest, ARunThatTrainsThereIsNotResumed) {
    {
        EngineProcess engine(longTraining(), project_.path());
        ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
        engine.signal(SIGTERM);
        engine.finish();
    }
    const auto refused = errorOf({"resume", "r"});
    EXPECT_EQ(refused["code"], "resume.running");
    EXPECT_EQ(refused["message"], "gpu: the run is being trained");
    EXPECT_EQ(run({"follow", "r", "--no-checkpoints"}).code, 0);
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, AConnectionThatBreaksAtAResumptionResumesOnce) {
    ASSERT_EQ(
        run({"train", "small", "--machine", "gpu", "--run", "r", "--max-steps", "8", "--no-checkpoints"})
            .code,
        0);
    cutAfter("resume");
    EngineProcess engine({"resume", "r", "--events", "--max-steps", "300"}, project_.path());
    EXPECT_EQ(engine.finish(), 0) << engine.log();
    EXPECT_TRUE(fs::exists(wasCut()));
    EXPECT_EQ(engine.events().back()["steps"], 300);
    EXPECT_EQ(store::RunReader::open(runThere()).value()->segments().size(), 2U);
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, AnInterruptEndsTheTriesOfAResumption) {
    ASSERT_EQ(
        run({"train", "small", "--machine", "gpu", "--run", "r", "--max-steps", "8", "--no-checkpoints"})
            .code,
        0);
    cutAfter("resume");
    fs::create_symlink("/nowhere/failed", wasCut().string() + ".failed");  // so every later one fails
    EngineProcess engine({"resume", "r", "--events"}, project_.path());
    for (int i = 0; i < 300 && !fs::exists(wasCut()); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    engine.signal(SIGINT);
    EXPECT_EQ(engine.finish(), 130) << engine.log();
    ASSERT_FALSE(engine.events().empty());
    EXPECT_EQ(engine.events().back()["state"], "cancelled") << engine.events().back();
    EXPECT_THAT(engine.events().back()["reason"], HasSubstr("kurve follow r"));
}

}  // namespace
}  // namespace kurve::testing
