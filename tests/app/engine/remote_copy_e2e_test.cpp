// The copy here of a run on another machine: what counts as its checkpoints, and that it stays a copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/store/project.h"
#include "core/store/trace_trash.h"
#include "tests/app/engine/remote_fixture.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// keep_last there is 1: what was fetched of the first training is pruned when the second has ended.
TEST_F(RemoteTest, WhatIsPrunedThereIsNoCheckpointHere) {
    const auto train = [&](std::vector<std::string> words) { return run(words).code; };
    ASSERT_EQ(train({"train", "small", "--machine", "gpu", "--run", "r", "--set", "checkpoint.keep_last=1",
                     "--set", "checkpoint.keep_best=0"}),
              0);
    ASSERT_EQ(train({"resume", "r", "--max-steps", "16"}), 0);
    ASSERT_TRUE(fs::exists(runFolder("r") / "checkpoints/step-00000012")) << "it stays here";
    const auto listed = run({"checkpoints", "r", "--json"}).json()["checkpoints"];
    ASSERT_EQ(listed.size(), 1U) << listed;
    EXPECT_EQ(listed[0]["step"], 16);
    EXPECT_THAT(run({"sample", "r", "--input", "the king", "--json"}).json()["checkpoint"].get<std::string>(),
                HasSubstr("step-00000016"));
}

TEST_F(RemoteTest, TheLastCheckpointIsTheOneSavedLast) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--set", "checkpoint.keep_last=3",
                   "--set", "checkpoint.every_steps=4", "--set", "eval.every_steps=0"})
                  .code,
              0);
    ASSERT_EQ(run({"fetch", "r"}).code, 0);
    EngineProcess engine({"resume", "r", "--checkpoint", "4", "--max-steps", "6", "--events"},
                         project_.path());
    ASSERT_EQ(engine.finish(), 0) << engine.log();
    ASSERT_TRUE(fs::exists(runThere() / "checkpoints/step-00000012")) << "the attempt that was left";
    EXPECT_THAT(engine.events().back()["checkpoint"], HasSubstr("step-00000006"));
    EXPECT_TRUE(fs::exists(runFolder("r") / "checkpoints/step-00000006"));
}

/// Everything that opens a run.db for writing, beside a training.
TEST_F(RemoteTest, ACopyStaysOneWhateverIsDoneWithIt) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--no-checkpoints"}).code, 0);
    EXPECT_EQ(errorOf({"checkpoints", "r", "--pin", "12"})["code"], "checkpoint.missing");
    EXPECT_EQ(run({"verify", "r"}).code, 0) << "what was not fetched is no damage";
    ASSERT_EQ(run({"fetch", "r", "last"}).code, 0);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"checkpoints", "r", "--pin", "12"}, {"checkpoints", "r", "--prune"}}) {
        const auto refused = errorOf(words);
        EXPECT_EQ(refused["code"], "remote.copy") << refused;
        EXPECT_THAT(refused["message"], HasSubstr("gpu"));
    }
    EXPECT_EQ(run({"verify", "r", "--repair"}).code, 0);
    expectSame("r", Lack::Checkpoints);
    EXPECT_GT(run({"fetch", "r", "--json"}).json()["files"], 0);
    expectSame("r");
}

TEST_F(RemoteTest, AFolderThatIsRemovedWhileItIsFollowedIsNoticed) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    fs::remove_all(runFolder("r"));
    EXPECT_EQ(engine.finish(), 1);
    EXPECT_THAT(engine.log(), AllOf(HasSubstr("removed"), HasSubstr("kurve follow r --machine gpu")));
    EXPECT_FALSE(fs::exists(runFolder("r")));
}

TEST_F(RemoteTest, ATraceInTheTrashIsNotFetchedAgain) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r"}).code, 0);
    const auto project = *store::Project::open(project_.path());
    const store::TraceFile trace{"r", store::RunFile("traces/one.safetensors")};
    fs::create_directories(runThere() / "traces");
    std::ofstream(runThere() / trace.file.text()) << "a trace";
    ASSERT_EQ(run({"fetch", "r"}).code, 0);
    ASSERT_TRUE(trace.file.isIn(runFolder("r")));
    const auto trashed = store::inTrash(trace, "batch");
    ASSERT_TRUE(store::moveTraces(project, {&trace, 1}, {&trashed, 1}));
    EXPECT_EQ(run({"fetch", "r", "--json"}).json()["files"], 0);
    EXPECT_FALSE(trace.file.isIn(runFolder("r")));
    ASSERT_TRUE(store::moveTraces(project, {&trashed, 1}, {&trace, 1})) << "the trash gives it back";
    expectSame("r");
    ASSERT_TRUE(store::moveTraces(project, {&trace, 1}, {&trashed, 1}));
    ASSERT_EQ(*store::purgeTraces(project, {&trashed, 1}), 7);
    EXPECT_EQ(run({"fetch", "r", "--json"}).json()["files"], 0);
    EXPECT_FALSE(trace.file.isIn(runFolder("r")));
    EXPECT_EQ(run({"verify", "r"}).code, 0);
}

TEST_F(RemoteTest, WhatAFetchNamesIsThereAfterwards) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--no-checkpoints"}).code, 0);
    for (const char* name : {"12", "checkpoints/step-12", "traces/none"})
        EXPECT_EQ(errorOf({"fetch", "r", name})["code"], "checkpoint.missing") << name;
    // It is pruned there while it is fetched.
    const fs::path pruned = runThere() / "checkpoints/step-00000012";
    writeProgram(R"(kurve "$@" | while IFS= read -r line; do
  case "$line" in *'"type":"fetch"'*) rm -rf )" +
                 pruned.string() + R"(;; esac
  printf '%s\n' "$line"
done
)");
    fs::copy(pruned, other_ / "kept", fs::copy_options::recursive);
    EXPECT_EQ(errorOf({"fetch", "r", "last"})["code"], "checkpoint.missing");
    EXPECT_FALSE(fs::exists(runFolder("r") / "checkpoints/.step-00000012.part"));
    EXPECT_EQ(errorOf({"fetch", "r", "last"})["code"], "checkpoint.missing") << "it is gone";
    writeMachine();
    fs::rename(other_ / "kept", pruned);
    EXPECT_GT(run({"fetch", "r", "checkpoints/", "--json"}).json()["files"], 0);
    const fs::path interrupted = runFolder("r") / "checkpoints/.step-00000099.part";
    fs::create_directories(interrupted);
    std::ofstream(interrupted / "weights.safetensors") << "of a checkpoint that was pruned there since";
    EXPECT_EQ(run({"fetch", "r", "last"}).code, 0) << "it is here";
    EXPECT_FALSE(fs::exists(interrupted));
}

TEST_F(RemoteTest, NothingIsWrittenOrDeletedThroughALinkInItsWay) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--no-checkpoints"}).code, 0);
    const TemporaryFolder victim;
    std::ofstream(victim / "file") << "precious";
    fs::create_directories(runFolder("r") / "checkpoints");
    fs::create_directory_symlink(victim.path(), runFolder("r") / "checkpoints/.step-00000012.part");
    EXPECT_EQ(errorOf({"fetch", "r"})["code"], "io.link");
    EXPECT_EQ(*readFile(victim / "file"), "precious");
    EXPECT_EQ(std::distance(fs::directory_iterator(victim.path()), {}), 1) << "something was written there";
}

/// The files arrive slowly enough for both.
TEST_F(RemoteTest, TwoFetchesOfACheckpointLeaveItWhole) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--no-checkpoints"}).code, 0);
    writeProgram(R"(kurve "$@" | while IFS= read -r line; do
  case "$line" in *'"type":"fetch"'*) sleep 0.5;; esac
  printf '%s\n' "$line"
done
)");
    EngineProcess first({"fetch", "r", "last"}, project_.path()),
        second({"fetch", "r", "last"}, project_.path());
    first.finish();
    second.finish();
    expectSame("r", Lack::Checkpoints);
    for (const auto& original : fs::directory_iterator(runThere() / "checkpoints/step-00000012"))
        EXPECT_TRUE(fs::exists(runFolder("r") / "checkpoints/step-00000012" / original.path().filename()))
            << original.path();
}

TEST_F(RemoteTest, AFetchIsStoppedAndGoesOn) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r"}).code, 0);
    fs::create_directories(runThere() / "traces");
    constexpr std::uintmax_t kLarge = 200 << 20;
    std::ofstream(runThere() / "traces/large").close();
    fs::resize_file(runThere() / "traces/large", kLarge);
    for (const bool bySignal : {false, true}) {
        EngineProcess engine({"fetch", "r", "traces", "--events"}, project_.path());
        ASSERT_TRUE(engine.waitForType("transfer")) << engine.finish() << engine.log();
        EXPECT_EQ(engine.found()["path"], "traces/large");
        if (bySignal)
            engine.signal(SIGTERM);
        else
            engine.send({{"type", "stop"}});
        EXPECT_EQ(engine.finish(), 130) << engine.log();
        EXPECT_THAT(engine.log(), HasSubstr("stopped; what has arrived stays"));
        EXPECT_FALSE(fs::exists(runFolder("r") / "traces/large"));
    }
    EXPECT_EQ(run({"fetch", "r", "traces"}).code, 0);
    EXPECT_EQ(fs::file_size(runFolder("r") / "traces/large"), kLarge);
}

}  // namespace
}  // namespace kurve::testing
