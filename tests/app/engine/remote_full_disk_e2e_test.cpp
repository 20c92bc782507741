// A full disk of another machine, and one of this while another trains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tests/app/engine/remote_fixture.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(RemoteTest, AFullDiskThereIsNamedAndWhatWasSentIsKept) {
    fs::create_directories(there());
    if (::mount("tmpfs", there().c_str(), "tmpfs", 0, "size=24k") != 0)
        GTEST_SKIP() << "a file system of its own needs the right to mount";
    const auto error = errorOf({"train", "small", "--machine", "gpu", "--run", "r"});
    ::umount(there().c_str());
    EXPECT_EQ(error["code"], "io.write");
    EXPECT_THAT(error["message"], AllOf(HasSubstr("gpu: "), HasSubstr("No space left on device")));
    EXPECT_FALSE(fs::exists(runFolder("r")));
    EXPECT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r"}).code, 0);
}

TEST_F(RemoteTest, AFullDiskHereIsNoFailureOfTheTrainingThere) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    engine.limitFiles(64 << 10);
    EXPECT_EQ(engine.finish(), 1);
    EXPECT_THAT(engine.log(), HasSubstr("kurve follow r --machine gpu"));
    const auto lost = [](const auto& event) { return hasState(event, "lost_contact"); };
    EXPECT_TRUE(std::ranges::any_of(engine.events(), lost)) << "what the studio would call failed";
    EXPECT_EQ(run({"follow", "r"}).code, 0);
    expectSame("r", Lack::Checkpoints);
}

/// The machine's project is on a small disk, which checkpoints fill. Nobody there could help: it pauses.
class RemoteFullDiskTest : public RemoteTest {
protected:
    void SetUp() override {
        RemoteTest::SetUp();
        if (IsSkipped()) return;
        fs::create_directories(there());
        if (::mount("tmpfs", there().c_str(), "tmpfs", 0, "size=3m") != 0)
            GTEST_SKIP() << "a file system of its own needs the right to mount";
        engine_ = std::make_unique<EngineProcess>(
            std::vector<std::string>{"train", "small", "--machine", "gpu", "--run", "r", "--events",
                                     "--max-steps", "200", "--set", "checkpoint.every_steps=4", "--set",
                                     "checkpoint.keep_last=100"},
            project_.path());
    }
    void TearDown() override {
        RemoteTest::TearDown();
        ::umount2(there().c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool pauses() {
        return engine_->waitFor([](const auto& event) { return hasState(event, "paused"); });
    }
    std::unique_ptr<EngineProcess> engine_;
};

TEST_F(RemoteFullDiskTest, ATrainingPausesAndGoesOnWhenThereIsSpace) {
    ASSERT_TRUE(pauses()) << engine_->finish() << engine_->log();
    EXPECT_THAT(engine_->found()["reason"], HasSubstr("No space left on device"));
    ASSERT_EQ(::mount("tmpfs", there().c_str(), "tmpfs", MS_REMOUNT, "size=200m"), 0);
    engine_->send({{"type", "resume"}});
    ASSERT_EQ(engine_->finish(), 0) << engine_->log();
    EXPECT_EQ(engine_->events().back()["steps"], 200);
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteFullDiskTest, ATrainingThatIsStoppedThenHasFailedOnBothSides) {
    ASSERT_TRUE(pauses()) << engine_->finish() << engine_->log();
    engine_->send({{"type", "stop"}});
    EXPECT_EQ(engine_->finish(), 1) << engine_->log();
    EXPECT_THAT(engine_->log(), AllOf(HasSubstr("gpu: "), HasSubstr("No space left on device")));
    const auto runs = run({"runs", "--json"}).json()["runs"];
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0]["state"], "failed");
}

}  // namespace
}  // namespace kurve::testing
