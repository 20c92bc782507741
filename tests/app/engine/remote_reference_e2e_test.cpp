// Trainings on another machine that are built on a run of this one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "tests/app/engine/remote_fixture.h"
#include "tests/support/run_dump.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;

/// Runs of the family echo, which are built on others.
class RemoteReferenceTest : public RemoteTest {
protected:
    void SetUp() override {
        RemoteTest::SetUp();
        if (IsSkipped()) return;
        std::string text = *readFile(project_ / "experiments/causal.toml");
        text.replace(0, text.find("[data]"), "family = \"echo\"\n");
        text.replace(text.find("[model]"), text.find("[train]") - text.find("[model]"), "");
        std::ofstream(project_ / "experiments/echo.toml") << text;
        writeMachine("program = \"kurve_echo\"\n");
    }
    [[nodiscard]] EngineResult echo(std::vector<std::string> more) const {
        std::vector<std::string> all{"train", "echo", "--quiet", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return runEngine(all, project_.path(), "kurve_echo");
    }
};

/// A run that trains there and is followed here is the base of another one.
TEST_F(RemoteReferenceTest, AnOriginalThereIsNeverReplacedByItsCopy) {
    ASSERT_EQ(echo({"--machine", "gpu", "--run", "base"}).code, 0);
    const auto original = fs::last_write_time(runThere("base") / "run.db");
    const std::string before = *readFile(runThere("base") / "run.db");
    const auto top = echo({"--machine", "gpu", "--run", "top", "--set", "model.base=base@8"});
    ASSERT_EQ(top.code, 0) << top.log << top.output;
    EXPECT_TRUE(*readFile(runThere("base") / "run.db") == before);
    EXPECT_EQ(fs::last_write_time(runThere("base") / "run.db"), original);
    // As another machine of the name would send it.
    fs::rename(project_ / "machines.toml", project_ / "old");
    std::ofstream(project_ / "machines.toml") << "[new]\n" << readFile(project_ / "old")->substr(6);
    const auto again = echo({"--machine", "new", "--run", "again", "--set", "model.base=base@12"});
    ASSERT_EQ(again.code, 0) << again.log << again.output;
    EXPECT_TRUE(*readFile(runThere("base") / "run.db") == before) << "the machine refuses it itself";
    std::ofstream(runThere("base") / "checkpoints/step-00000012/weights.safetensors") << "another";
    const auto refused = echo({"--machine", "new", "--run", "third", "--set", "model.base=base@12"});
    EXPECT_EQ(refused.json()["error"]["code"], "remote.reference") << refused.log;
    EXPECT_EQ(*readFile(runThere("base") / "checkpoints/step-00000012/weights.safetensors"), "another");
    fs::rename(project_ / "old", project_ / "machines.toml");
    EXPECT_EQ(echo({"--machine", "gpu", "--run", "fourth", "--set", "model.base=base@8"}).code, 0)
        << "its copy here is not sent to the machine that trained it";
}

/// A rented machine: the next one has its name, and nothing of what was trained.
TEST_F(RemoteReferenceTest, AMachineThatWasMadeAnewIsSentTheRunsOfTheOldOne) {
    ASSERT_EQ(echo({"--machine", "gpu", "--run", "base"}).code, 0);
    fs::remove_all(there());
    // It broke off there when it was sent the last time.
    fs::create_directories(runThere("base") / "checkpoints");
    std::ofstream(runThere("base") / "checkpoints/first") << "x";
    fs::copy(project_ / "project.toml", there() / "project.toml");
    const auto top = echo({"--machine", "gpu", "--run", "top", "--set", "model.base=base@12"});
    ASSERT_EQ(top.code, 0) << top.log << top.output;
    EXPECT_EQ(dumpedRun(runThere("base")), dumpedRun(runFolder("base")));
}

/// Of a training that was killed: rows in its log, and a lock that nobody holds.
TEST_F(RemoteReferenceTest, ARunThatCrashedHereIsSentWhole) {
    ASSERT_EQ(echo({"--run", "base"}).code, 0);
    std::ofstream(runFolder("base") / "run.lock") << "1";
    const auto top = echo({"--machine", "gpu", "--run", "top", "--set", "model.base=base@8"});
    ASSERT_EQ(top.code, 0) << top.log << top.output;
    EXPECT_EQ(dumpedRun(runThere("base")), dumpedRun(runFolder("base")));
    EXPECT_FALSE(fs::exists(runThere("base") / "run.lock"));
}

}  // namespace
}  // namespace kurve::testing
