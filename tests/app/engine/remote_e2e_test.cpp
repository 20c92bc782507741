// Trainings on another machine, which is this one behind a real sshd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "core/base/file.h"
#include "core/remote/files.h"
#include "core/store/run_process.h"
#include "core/store/run_reader.h"
#include "tests/app/engine/engine_process.h"
#include "tests/app/engine/training_test.h"
#include "tests/support/run_dump.h"
#include "tests/support/ssh_server.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RemoteTest : public TrainingTest {
protected:
    void SetUp() override {
        if (const std::string missing = SshServer::missing(); !missing.empty()) GTEST_SKIP() << missing;
        TrainingTest::SetUp();
        ssh_ = std::make_unique<SshServer>();
        writeMachine();
    }
    /// What still trains there would outlive the test, as it should.
    void TearDown() override {
        const auto reader = store::RunReader::open(runThere());
        if (!reader) return;
        const auto values = (*reader)->values();
        if (store::writerRunsHere(values)) ::kill(std::stoi(values.at("pid")), SIGKILL);
    }
    void writeMachine(const std::string& more = "") const {
        std::ofstream(project_ / "machines.toml")
            << "[gpu]\nhost = \"gpu\"\nfolder = \"" << there().string() << "\"\n"
            << more;
    }
    [[nodiscard]] fs::path there() const { return other_ / "project"; }
    [[nodiscard]] fs::path runThere(const std::string& id = "r") const { return there() / "runs" / id; }

    enum class Lack : unsigned char { Nothing, Checkpoints };
    /// Both folders hold the same rows and the same files; `lack`: of checkpoints some may be there only.
    void expectSame(const std::string& id, Lack lack = Lack::Nothing) const {
        EXPECT_EQ(dumpedRun(runFolder(id)), dumpedRun(runThere(id)));
        for (const auto& file : remote::filesBelow(runThere(id))) {
            const auto here = readFile(runFolder(id) / file.path, kModelBytes);
            const bool mayLack = lack == Lack::Checkpoints && file.path.starts_with("checkpoints/");
            EXPECT_TRUE(here || mayLack) << file.path << " is there only";
            if (here) EXPECT_TRUE(*here == *readFile(runThere(id) / file.path, kModelBytes)) << file.path;
        }
        for (const auto& file : remote::filesBelow(runFolder(id)))
            EXPECT_TRUE(fs::exists(runThere(id) / file.path)) << file.path << " is here only";
        for (const auto& entry : fs::recursive_directory_iterator(runFolder(id)))
            EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path() << " was left";
    }
    /// {"code", "message", …} of a command that fails.
    [[nodiscard]] nlohmann::json errorOf(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        return run(arguments).json().value("error", nlohmann::json::object());
    }
    /// A program of the machine whose connection is cut, once, when it has done that request; the next one
    /// fails.
    void cutAfter(const std::string& request) const {
        const fs::path program = other_ / "cuts", cut = wasCut();
        const std::string failed = cut.string() + ".failed";
        std::ofstream(program) << "#!/bin/sh\n[ -e " << failed << R"( ] && exec kurve "$@"
[ -e )" << cut.string() << " ] && { touch "
                               << failed << R"(; exit 255; }
kurve "$@" | while IFS= read -r line; do
  case "$line" in
    *'"type":")" << request << R"("'*) touch )"
                               << cut.string() << R"(; pkill -KILL -P $$ -x kurve; exit;;
  esac
  printf '%s\n' "$line"
done
)";
        fs::permissions(program, fs::perms::owner_all);
        writeMachine("program = \"" + program.string() + "\"\n");
    }
    [[nodiscard]] fs::path wasCut() const { return other_ / "was-cut"; }
    /// Of a training that takes some seconds.
    [[nodiscard]] static std::vector<std::string> longTraining() {
        return {"train",
                "small",
                "--machine",
                "gpu",
                "--run",
                "r",
                "--events",
                "--max-steps",
                "1500",
                "--set",
                "eval.every_steps=100",
                "--set",
                "checkpoint.every_steps=300"};
    }

    TemporaryFolder other_;
    std::unique_ptr<SshServer> ssh_;
};

TEST_F(RemoteTest, TrainsThereAndHasAllOfItHere) {
    EngineProcess engine({"train", "small", "--machine", "gpu", "--run", "r", "--events"}, project_.path());
    ASSERT_TRUE(engine.waitFor([](const auto& event) { return hasState(event, "completed"); }));
    EXPECT_EQ(engine.found().value("machine", ""), "gpu");
    ASSERT_EQ(engine.finish(), 0) << engine.log();
    const auto done = engine.events().back();
    EXPECT_EQ(done["type"], "done");
    EXPECT_EQ(done["state"], "completed");
    EXPECT_EQ(done["steps"], 12);
    EXPECT_EQ(done["machine"], "gpu");
    EXPECT_THAT(done["checkpoint"], HasSubstr((project_ / "runs/r/checkpoints/").string()));
    EXPECT_GT(done["metrics"]["valid_loss"], 0);
    expectSame("r", Lack::Checkpoints);
    const auto runs = run({"runs", "--json"}).json()["runs"];
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0]["machine"], "gpu");
    EXPECT_EQ(runs[0]["state"], "completed");
    EXPECT_EQ(run({"sample", "r", "--input", "the king"}).code, 0) << "its checkpoint works here";
    const auto fetched = run({"fetch", "r", "--json"}).json();
    EXPECT_GT(fetched["files"], 0);
    expectSame("r");
    EXPECT_EQ(run({"fetch", "r", "--json"}).json()["files"], 0);
    const auto verified = run({"verify", "r"});
    EXPECT_EQ(verified.code, 0) << verified.log << verified.output;
    EXPECT_EQ(run({"machines", "runs", "gpu", "--json"}).json()["runs"][0]["id"], "r");
}

TEST_F(RemoteTest, ACutConnectionLosesNothing) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    std::mt19937 random(7);
    for (int cut = 0; cut < 10; ++cut) {
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1200));
        ssh_->cut();
    }
    ASSERT_EQ(engine.finish(), 0) << engine.log();
    EXPECT_EQ(engine.events().back()["steps"], 1500);
    const auto lost = [](const auto& event) { return hasState(event, "lost_contact"); };
    const auto& events = engine.events();
    const auto first = std::find_if(events.begin(), events.end(), lost);
    ASSERT_NE(first, events.end()) << "it did not even notice";
    EXPECT_GT((*first)["since"], 1.7e9);
    EXPECT_THAT((*first)["reason"], HasSubstr("no contact with gpu"));
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, TheTrainingOutlivesWhoFollowsIt) {
    {
        EngineProcess engine(longTraining(), project_.path());
        ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
        engine.signal(SIGKILL);
        engine.finish();
    }
    EXPECT_EQ(run({"runs", "--json"}).json()["runs"][0]["state"], "lost_contact");
    EngineProcess again({"follow", "r", "--events"}, project_.path());
    ASSERT_EQ(again.finish(), 0) << again.log();
    EXPECT_EQ(again.events().back()["steps"], 1500);
    EXPECT_EQ(again.events().back()["machine"], "gpu");
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, CommandsReachTheEngineThere) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    EXPECT_EQ(errorOf({"follow", "r"})["code"], "store.locked") << "followed twice";
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const auto& event) { return hasState(event, "paused"); }));
    engine.send({{"type", "sample"}, {"id", "a"}, {"input", "the king"}});
    ASSERT_TRUE(engine.waitForType("sampled"));
    EXPECT_EQ(engine.found()["id"], "a");
    engine.send({{"type", "ping"}, {"id", "p"}});
    ASSERT_TRUE(engine.waitForType("pong"));
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130) << engine.log();
    EXPECT_EQ(engine.events().back()["state"], "cancelled");
    EXPECT_LT(engine.events().back()["steps"], 1500);
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, AnInterruptStopsTheTrainingThereAndAnEndOnlyThisProcess) {
    {
        EngineProcess engine(longTraining(), project_.path());
        ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
        engine.signal(SIGTERM);
        EXPECT_EQ(engine.finish(), 130) << engine.log();
        EXPECT_EQ(engine.events().back()["state"], "running");
    }
    EngineProcess engine({"follow", "r", "--events", "--no-checkpoints"}, project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    engine.signal(SIGINT);
    EXPECT_EQ(engine.finish(), 130) << engine.log();
    EXPECT_EQ(engine.events().back()["state"], "cancelled");
    EXPECT_FALSE(fs::exists(runFolder("r") / "checkpoints")) << "nobody wanted them";
    expectSame("r", Lack::Checkpoints);
}

/// The engine there has been told, and ends when nobody hears it.
TEST_F(RemoteTest, TheEndAfterAnInterruptIsWaitedForAcrossACutConnection) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    const auto reader = store::RunReader::open(runThere());
    ASSERT_TRUE(reader);
    const int there = std::stoi((*reader)->values().at("pid"));
    ::kill(there, SIGSTOP);
    engine.signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::seconds(3));
    ssh_->cut();
    ASSERT_TRUE(engine.waitFor([](const auto& event) { return hasState(event, "lost_contact"); }));
    ::kill(there, SIGCONT);
    EXPECT_EQ(engine.finish(), 130) << engine.log();
    EXPECT_EQ(engine.events().back()["state"], "cancelled");
    expectSame("r", Lack::Checkpoints);
}

TEST_F(RemoteTest, AnEngineThatIsKilledThereHasCrashed) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    const auto values =
        store::readOnlyQuery(runThere() / "run.db", "SELECT value FROM run WHERE key = 'pid'");
    ASSERT_TRUE(values);
    ::kill(std::stoi(values->rows.at(0).at(0).get<std::string>()), SIGKILL);
    EXPECT_EQ(engine.finish(), 1);
    EXPECT_THAT(engine.log(), HasSubstr("gpu"));
    EXPECT_EQ(run({"runs", "--json"}).json()["runs"][0]["state"], "crashed");
}

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

/// Of a training that was killed: rows in its log, and a lock that nobody holds.
TEST_F(RemoteReferenceTest, ARunThatCrashedHereIsSentWhole) {
    ASSERT_EQ(echo({"--run", "base"}).code, 0);
    std::ofstream(runFolder("base") / "run.lock") << "1";
    const auto top = echo({"--machine", "gpu", "--run", "top", "--set", "model.base=base@8"});
    ASSERT_EQ(top.code, 0) << top.log << top.output;
    EXPECT_EQ(dumpedRun(runThere("base")), dumpedRun(runFolder("base")));
    EXPECT_FALSE(fs::exists(runThere("base") / "run.lock"));
}

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

TEST_F(RemoteTest, AConnectionThatBreaksAtTheStartTrainsOnce) {
    cutAfter("start");
    EngineProcess engine({"train", "small", "--machine", "gpu", "--run", "r", "--events"}, project_.path());
    EXPECT_EQ(engine.finish(), 0) << engine.log();
    EXPECT_TRUE(fs::exists(wasCut()));
    ASSERT_FALSE(engine.events().empty());
    EXPECT_EQ(engine.events().back()["steps"], 12);
    expectSame("r", Lack::Checkpoints);
}

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
    ASSERT_EQ(run({"resume", "r", "--max-steps", "16"}).code, 0) << "beyond its plan";
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

TEST_F(RemoteTest, ADryRunMeasuresThere) {
    const auto measured = run({"train", "small", "--machine", "gpu", "--dry-run", "--json"}).json();
    EXPECT_EQ(measured["machine"], "gpu");
    EXPECT_EQ(measured["dry_run"], true);
    EXPECT_GT(measured["step_seconds"]["median"], 0);
    std::vector<nlohmann::json> outcomes;
    for (const auto& file : fs::directory_iterator(there() / ".starts"))
        if (file.path().extension() == ".json")
            outcomes.push_back(nlohmann::json::parse(*readFile(file.path())));
    ASSERT_EQ(outcomes.size(), 1U);
    outcomes[0]["machine"] = "gpu";
    EXPECT_EQ(outcomes[0], measured) << "what was measured there";
    EXPECT_FALSE(fs::exists(there() / "runs"));
    EXPECT_FALSE(fs::exists(project_ / "runs"));
    const auto text = run({"train", "small", "--machine", "gpu", "--dry-run"});
    EXPECT_THAT(text.output, HasSubstr(" parameters, ")) << text.log;
    const auto wrong = errorOf({"train", "small", "--machine", "gpu", "--dry-run", "--device", "cuda:99"});
    EXPECT_THAT(wrong["code"], HasSubstr("device."));
    EXPECT_THAT(wrong["message"], HasSubstr("gpu: "));
}

TEST_F(RemoteTest, ACheckpointOfWhichOneFileIsNamedComesWhole) {
    ASSERT_EQ(run({"train", "small", "--machine", "gpu", "--run", "r"}).code, 0);
    std::string name;
    for (const auto& entry : fs::directory_iterator(runFolder("r") / "checkpoints"))
        name = "checkpoints/" + entry.path().filename().string();
    const std::string file = name + "/weights.safetensors";
    std::ofstream(runFolder("r") / file) << "damaged";
    const fs::path gathered =
        runFolder("r") / "checkpoints" / ("." + fs::path(name).filename().string() + ".part");
    fs::create_directory(gathered);
    std::ofstream(gathered / "older.safetensors") << "of one that was saved before";
    EXPECT_EQ(run({"fetch", "r", file}).code, 0);
    expectSame("r", Lack::Checkpoints);
    for (const auto& original : fs::directory_iterator(runThere("r") / name))
        EXPECT_TRUE(fs::exists(runFolder("r") / name / original.path().filename())) << original.path();
}

TEST_F(RemoteTest, ProblemsThereAreNamed) {
    const auto wrongDevice = errorOf({"train", "small", "--machine", "gpu", "--device", "cuda:99"});
    EXPECT_THAT(wrongDevice["code"], HasSubstr("device."));
    EXPECT_THAT(wrongDevice["message"], HasSubstr("gpu: "));
    EXPECT_TRUE(run({"runs", "--json"}).json()["runs"].empty()) << "a run that never was";
    EXPECT_EQ(errorOf({"follow", "none", "--machine", "gpu"})["code"], "run.missing");
    EXPECT_EQ(errorOf({"train", "small", "--machine", "gpv"})["code"], "machines.unknown");
    EXPECT_EQ(errorOf({"train", "smal", "--machine", "gpu"})["code"], "experiment.missing");
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
    const fs::path standIn = other_ / "stand-in";
    std::ofstream(standIn)
        << "#!/bin/sh\nread line\n"
           "echo '{\"v\":1,\"type\":\"hello\",\"id\":\"1\",\"protocol\":99,\"version\":\"9\"}'\n";
    fs::permissions(standIn, fs::perms::owner_all);
    writeMachine("program = \"" + standIn.string() + "\"\n");
    EXPECT_EQ(errorOf(check)["code"], "remote.other_version");
    EXPECT_THAT(errorOf(check)["message"], HasSubstr("protocol 99"));
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
