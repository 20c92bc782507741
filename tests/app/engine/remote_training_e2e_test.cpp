// Trainings on another machine, followed from here across cut connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/remote/files.h"
#include "core/store/query.h"
#include "core/store/run_reader.h"
#include "tests/app/engine/remote_fixture.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

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

/// The engine there can be told only when it has loaded its data.
TEST_F(RemoteTest, AStopThatComesWhileItLoadsThereIsKept) {
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitFor([](const auto& event) {
        return event.value("type", "") == "transfer" && event["done"] == event["total"];
    }));
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130) << engine.log();
    EXPECT_EQ(engine.events().back()["state"], "cancelled");
    EXPECT_LT(engine.events().back()["steps"], 1500);
}

/// Larger than those that are fetched unasked: it grows before the answer comes through.
TEST_F(RemoteTest, ALargeTraceThatWasAskedForIsHereWithTheAnswer) {
    writeProgram("kurve \"$@\" | stdbuf -oL sed '/\"type\":\"traced\"/e truncate -s 33M " +
                 (runThere() / "traces/requested-*").string() + "'\n");
    auto words = longTraining();
    *(std::ranges::find(words, "--max-steps") + 1) = "100000";
    EngineProcess engine(words, project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    engine.send({{"type", "trace"}, {"id", "a"}, {"input", "the king"}});
    ASSERT_TRUE(engine.waitForType("traced"));
    const fs::path file = engine.found().value("file", "");
    EXPECT_EQ(file.parent_path(), runFolder("r") / "traces");
    std::error_code none;
    EXPECT_EQ(fs::file_size(file, none), std::uintmax_t{33} << 20) << none.message();
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130) << engine.log();
}

TEST_F(RemoteTest, AStopReachesATrainingWhoseTracesAreBeingFetched) {
    auto words = longTraining();
    *(std::ranges::find(words, "--max-steps") + 1) = "100000";
    EngineProcess engine(words, project_.path());
    ASSERT_TRUE(engine.waitForType("progress")) << engine.finish() << engine.log();
    fs::create_directories(runThere() / "traces");
    for (int i = 10; i < 100; ++i) {
        const fs::path file = runThere() / "traces" / ("t" + std::to_string(i));
        std::ofstream(file).close();
        fs::resize_file(file, 30 << 20);
    }
    const auto waitUntil = [](const std::function<bool()>& condition) {
        for (int i = 0; i < 1200 && !condition(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
    };
    waitUntil([&] { return fs::exists(runFolder("r") / "traces/t10"); });
    engine.send({{"type", "stop"}});
    const auto stateThere = [&] {
        const auto reader = store::RunReader::open(runThere());
        return reader ? (*reader)->values()["state"] : std::string();
    };
    waitUntil([&] { return stateThere() == "cancelled"; });
    EXPECT_EQ(stateThere(), "cancelled");
    EXPECT_FALSE(fs::exists(runFolder("r") / "traces/t99")) << "it waited for all of them";
    engine.signal(SIGTERM);
    engine.finish();
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

TEST_F(RemoteTest, AConnectionThatBreaksAtTheStartTrainsOnce) {
    cutAfter("start");
    EngineProcess engine({"train", "small", "--machine", "gpu", "--run", "r", "--events"}, project_.path());
    EXPECT_EQ(engine.finish(), 0) << engine.log();
    EXPECT_TRUE(fs::exists(wasCut()));
    ASSERT_FALSE(engine.events().empty());
    EXPECT_EQ(engine.events().back()["steps"], 12);
    expectSame("r", Lack::Checkpoints);
}

/// Two trainings with a new corpus.
TEST_F(RemoteTest, AFileThatTwoSendArrivesOnce) {
    fs::create_directories(there());
    std::ofstream(there() / "project.toml") << "name = \"p\"\n";
    const std::string hash = sha256("abc");
    std::optional<remote::ArrivingFile> other;
    other.emplace(*remote::ArrivingFile::open(there() / "data/corpus", hash));
    EngineProcess server({"serve", "--stdio"}, project_.path());
    server.send({{"type", "hello"}, {"id", "1"}, {"folder", there().string()}});
    ASSERT_TRUE(server.waitForType("hello"));
    const auto put = [&](int offset, const char* data) {
        server.send({{"type", "put"},
                     {"id", "2"},
                     {"path", "data/corpus"},
                     {"sha256", hash},
                     {"bytes", 3},
                     {"offset", offset},
                     {"data", data}});
    };
    put(0, "YWJj");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    other.reset();
    const auto isAnswer = [](const auto& message) { return message.value("id", "") == "2"; };
    ASSERT_TRUE(server.waitFor(isAnswer));
    EXPECT_EQ(server.found()["type"], "put") << server.found();
    EXPECT_EQ(*readFile(there() / "data/corpus"), "abc");
    put(1, "YmM=");
    ASSERT_TRUE(server.waitFor(isAnswer));
    EXPECT_EQ(server.found()["offset"], 3) << "it is not asked for again";
    server.closeInput();
    EXPECT_EQ(server.finish(), 0) << server.log();
}

TEST_F(RemoteTest, ACorpusForTwoUsesIsSentOnce) {
    auto words = longTraining();
    words.insert(words.end(), {"--set", "data.test=data/valid.tsv"});
    EngineProcess engine(words, project_.path());
    ASSERT_TRUE(engine.waitForType("transfer")) << engine.finish() << engine.log();
    std::uintmax_t bytes = 0;
    for (const char* file : {"project.toml", "experiments/small.toml", "data/train.tsv", "data/valid.tsv"})
        bytes += fs::file_size(project_ / file);
    EXPECT_EQ(engine.found()["total"], bytes);
    engine.send({{"type", "stop"}});
    engine.finish();
}

/// As a home folder on another disk.
TEST_F(RemoteTest, PathsInEventsAreThoseHereWhereALinkLeadsToTheFolderThere) {
    fs::create_directories(other_ / "disk");
    fs::create_directory_symlink(other_ / "disk", other_ / "home");
    std::ofstream(project_ / "machines.toml")
        << "[gpu]\nhost = \"gpu\"\nfolder = \"" << (other_ / "home/project").string() << "\"\n";
    EngineProcess engine(longTraining(), project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint")) << engine.finish() << engine.log();
    EXPECT_THAT(engine.found()["path"], HasSubstr(runFolder("r").string()));
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130) << engine.log();
}

TEST_F(RemoteTest, FilesOfTheSameNameWhereSshBeginsAreNotTaken) {
    const fs::path home = other_ / "home";
    fs::create_directories(home / "r");
    for (const char* file : {"small.toml", "r/run.db"}) std::ofstream(home / file) << "another\n";
    writeProgram("cd " + home.string() + " && exec kurve \"$@\"\n");
    const auto trained = run({"train", "small", "--machine", "gpu", "--run", "r", "--max-steps", "8"});
    EXPECT_EQ(trained.code, 0) << trained.log;
    const auto resumed = run({"resume", "r"});
    EXPECT_EQ(resumed.code, 0) << resumed.log;
    expectSame("r", Lack::Checkpoints);
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
    const fs::path old = there() / ".starts/old.log", young = there() / ".starts/young.log";
    for (const auto& [file, days] : {std::pair(old, 31), std::pair(young, 29)}) {
        std::ofstream(file) << "why it ended";
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::days(days));
    }
    const auto text = run({"train", "small", "--machine", "gpu", "--dry-run"});
    EXPECT_THAT(text.output, HasSubstr(" parameters, ")) << text.log;
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(young));
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
    std::ofstream(gathered / ".weights.safetensors.1.part") << "of it as well";
    EXPECT_EQ(run({"fetch", "r", file}).code, 0);
    expectSame("r", Lack::Checkpoints);
    for (const auto& original : fs::directory_iterator(runThere("r") / name))
        EXPECT_TRUE(fs::exists(runFolder("r") / name / original.path().filename())) << original.path();
    EXPECT_FALSE(fs::exists(runFolder("r") / name / ".weights.safetensors.1.part"));
}

}  // namespace
}  // namespace kurve::testing
