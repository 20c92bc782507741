// What another machine refuses, and the ways not to reach it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "tests/app/engine/remote_fixture.h"
#include "tests/support/run_dump.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(RemoteTest, ARunOfThisProjectIsNotReplaced) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r", "--no-checkpoints"}).code, 0);
    fs::remove_all(runFolder("r"));
    ASSERT_EQ(run({"train", "small", "--run", "r", "--max-steps", "4"}).code, 0);
    const std::string before = dumpedRun(runFolder("r"));
    for (const char* command : {"follow", "fetch"})
        EXPECT_EQ(errorOf({command, "r", "--machine", "gpu"})["code"], "run.exists") << command;
    EXPECT_EQ(dumpedRun(runFolder("r")), before);
}

TEST_F(RemoteTest, AFolderThereThatIsSomethingElseStaysAsItIs) {
    fs::create_directories(there());
    std::ofstream(there() / "letter.txt") << "mine";
    EXPECT_EQ(errorOf({"train", "small", "--machine", "gpu"})["code"], "remote.folder");
    EXPECT_EQ(std::distance(fs::directory_iterator(there()), {}), 1);
    fs::remove(there() / "letter.txt");
    std::ofstream(there() / "project.toml") << "name = \"Another\"\n";
    const auto other = errorOf({"train", "small", "--machine", "gpu"});
    EXPECT_EQ(other["code"], "remote.folder");
    EXPECT_THAT(other["message"], HasSubstr("Another"));
    EXPECT_THAT(other["remedy"], HasSubstr("folder ="));
    EXPECT_EQ(*readFile(there() / "project.toml"), "name = \"Another\"\n");
}

TEST_F(RemoteTest, ProblemsThereAreNamed) {
    const auto wrongDevice = errorOf({"train", "small", "--machine", "gpu", "--device", "cuda:99"});
    EXPECT_THAT(wrongDevice["code"], HasSubstr("device."));
    EXPECT_THAT(wrongDevice["message"], HasSubstr("gpu: "));
    EXPECT_TRUE(run({"runs", "--json"}).json()["runs"].empty()) << "a run that never was";
    EXPECT_EQ(errorOf({"follow", "none", "--machine", "gpu"})["code"], "run.missing");
    EngineProcess none({"follow", "none", "--machine", "gpu", "--events"}, project_.path());
    EXPECT_TRUE(none.waitFor([](const auto& event) { return hasState(event, "failed"); }));
    EXPECT_EQ(errorOf({"train", "small", "--machine", "gpv"})["code"], "machines.unknown");
    EXPECT_EQ(errorOf({"train", "smal", "--machine", "gpu"})["code"], "experiment.missing");
}

/// The packages and packaging/run have no CUDA kernels.
TEST_F(RemoteTest, AGpuThatIsNotUsedIsNamedByTheCheck) {
    writeProgram("kurve \"$@\" | sed -u 's/\"cuda\":\"[^\"]*\"/\"cuda\":\"none: no kernels\"/'\n");
    const auto checked = run({"machines", "check", "gpu"});
    EXPECT_EQ(checked.code, 0) << checked.log;
    EXPECT_THAT(checked.output, HasSubstr("no GPU is used there: no kernels"));
    EXPECT_THAT(checked.output, HasSubstr("cmake --preset cuda"));
}

TEST_F(RemoteTest, WhyThereIsNoContactIsSaidAnew) {
    writeProgram("exec kurve \"$@\"\n");
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    writeProgram("read line\necho '{\"v\":1,\"type\":\"hello\",\"id\":\"1\",\"protocol\":99}'\n");
    ssh_->cut();
    EXPECT_TRUE(engine.waitFor([](const auto& event) {
        return hasState(event, "lost_contact") &&
               event.value("reason", "").find("protocol 99") != std::string::npos;
    }));
    writeProgram("exec kurve \"$@\"\n");
    EXPECT_EQ(engine.finish(), 0) << engine.log();
}

TEST_F(RemoteTest, AnEventOfAnotherFormDoesNotEndWhoShowsIt) {
    writeProgram(R"(kurve "$@" | while IFS= read -r line; do
  printf '%s\n' "$line" '{"v":1,"type":"engine","event":{"type":"progress","step":"x","metrics":[]}}'
done
)");
    const auto trained = run({"train", "small", "--machine", "gpu", "--run", "r"});
    EXPECT_EQ(trained.code, 0) << trained.log;
}

/// Whoever follows would signal that process of this machine.
TEST_F(RemoteTest, AProcessThatAMachineNamesIsNotToldOf) {
    writeProgram(R"(kurve "$@" | while IFS= read -r line; do
  printf '%s\n' "$line" '{"v":1,"type":"engine","event":{"type":"hello","protocol":1,"pid":4242}}'
done
)");
    EngineProcess engine({"train", "small", "--machine", "gpu", "--run", "r", "--events"}, project_.path());
    EXPECT_EQ(engine.finish(), 0) << engine.log();
    for (const auto& event : engine.events()) EXPECT_NE(event.value("pid", 0), 4242) << event;
}

TEST_F(RemoteTest, EveryWayNotToReachItHasItsError) {
    const std::vector<std::string> check{"machines", "check", "gpu"};
    const auto reached = run({"machines", "check", "gpu", "--json"}).json();
    EXPECT_EQ(reached["reachable"], true);
    EXPECT_EQ(reached["same_version"], true);
    EXPECT_GT(reached["free_bytes"], 0);
    EXPECT_EQ(reached["devices"][0]["id"], "cpu");
    writeMachine("program = \"no-such-kurve\"\n");
    EXPECT_EQ(errorOf(check)["code"], "remote.no_program");
    EXPECT_THAT(errorOf(check)["remedy"], HasSubstr("apt install"));
    writeProgram(
        "read line\n"
        "echo '{\"v\":1,\"type\":\"hello\",\"id\":\"1\",\"protocol\":99,\"version\":\"9\"}'\n");
    EXPECT_EQ(errorOf(check)["code"], "remote.other_version");
    EXPECT_THAT(errorOf(check)["message"], HasSubstr("protocol 99"));
    writeProgram(R"(kurve "$@" | {
  IFS= read -r hello && printf '%s\n' "$hello"
  IFS= read -r answer && head -c 9000000 /dev/zero | tr '\0' x && echo && cat
})");
    EXPECT_EQ(errorOf(check)["code"], "wire.too_long") << "it waits for an answer";
    writeMachine();
    ssh_->forgetHostKey();
    EXPECT_EQ(errorOf(check)["code"], "remote.host_key_unknown");
    ssh_ = nullptr;
    ssh_ = std::make_unique<SshServer>();
    ssh_->replaceHostKey();
    EXPECT_EQ(errorOf(check)["code"], "remote.host_key_changed");
    ssh_ = nullptr;
    ssh_ = std::make_unique<SshServer>();
    ssh_->refuseKeys();
    EXPECT_EQ(errorOf(check)["code"], "remote.authentication");
    ssh_->stop();
    EXPECT_EQ(errorOf(check)["code"], "remote.unreachable");
    ::setenv("KURVE_SSH", "/no/ssh", 1);
    EXPECT_EQ(errorOf(check)["code"], "remote.no_ssh");
}

}  // namespace
}  // namespace kurve::testing
