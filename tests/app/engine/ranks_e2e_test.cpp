// Training in several processes: kurve train --nproc, and with a launcher's environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class RanksTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT",
                                 "TORCHELASTIC_USE_AGENT_STORE"})
            ::unsetenv(name);
    }
    void TearDown() override { SetUp(); }
    [[nodiscard]] EngineResult train(const std::string& id, std::vector<std::string> more) const {
        more.insert(more.begin(), {"train", "small", "--run", id, "--json", "--quiet"});
        return run(more);
    }
    [[nodiscard]] std::map<std::string, std::string> record(const std::string& id) const {
        const auto reader = store::RunReader::open(runFolder(id));
        return reader ? (*reader)->values() : std::map<std::string, std::string>();
    }
    [[nodiscard]] std::vector<std::string> events(const std::string& id) const {
        std::vector<std::string> texts;
        const auto reader = store::RunReader::open(runFolder(id));
        if (reader)
            for (const auto& event : (*reader)->events()) texts.push_back(event.text);
        return texts;
    }
    void expectSameCheckpoint(const std::string& a, const std::string& b, const std::string& step) const {
        for (const char* file : {"weights.safetensors", "optimizer.safetensors"})
            EXPECT_EQ(bytes(a, step + "/" + file), bytes(b, step + "/" + file)) << file;
    }
};

std::vector<int> childrenOf(int pid) {
    const auto text = readFile(fmt::format("/proc/{}/task/{}/children", pid, pid));
    std::vector<int> children;
    if (text)
        for (const auto& child : splitWords(*text)) children.push_back(std::stoi(child));
    return children;
}

bool isRunning(int pid) {
    const auto status = readFile(fmt::format("/proc/{}/stat", pid));
    return status && status->find(") Z ") == std::string::npos;
}

bool allEnd(const std::vector<int>& pids) {
    for (int i = 0; i < 200; ++i) {
        if (std::none_of(pids.begin(), pids.end(), isRunning)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

TEST_F(RanksTest, TrainsWhatOneProcessTrains) {
    const auto one = train("one", {}), two = train("two", {"--nproc", "2"}),
               again = train("again", {"--nproc=2"});
    ASSERT_EQ(one.code, 0) << one.log;
    ASSERT_EQ(two.code, 0) << two.log;
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_EQ(two.json()["steps"], 12);
    EXPECT_EQ(json::parse(record("two")["environment"])["processes"], 2) << "what the queue counts";
    EXPECT_NEAR(two.json()["metrics"]["loss"].get<double>(), one.json()["metrics"]["loss"].get<double>(),
                1e-4);
    EXPECT_NEAR(two.json()["metrics"]["valid_loss"].get<double>(),
                one.json()["metrics"]["valid_loss"].get<double>(), 1e-4);
    expectSameCheckpoint("two", "again", "step-00000012");
    EXPECT_NE(bytes("one", "step-00000012/weights.safetensors"),
              bytes("two", "step-00000012/weights.safetensors"))
        << "one process has computed all of it";
}

TEST_F(RanksTest, AResumedRunIsExactWithAsManyProcesses) {
    ASSERT_EQ(train("whole", {"--nproc", "2"}).code, 0);
    ASSERT_EQ(train("parts", {"--nproc", "2", "--max-steps", "7"}).code, 0);
    const auto parts = run({"resume", "parts", "--nproc", "2", "--json", "--quiet"});
    ASSERT_EQ(parts.code, 0) << parts.log;
    expectSameCheckpoint("whole", "parts", "step-00000012");
    EXPECT_THAT(events("parts"), Not(::testing::Contains(HasSubstr("not be bit-identical"))));

    ASSERT_EQ(train("other", {"--nproc", "2", "--max-steps", "7"}).code, 0);
    const auto other = run({"resume", "other", "--json", "--quiet"});
    ASSERT_EQ(other.code, 0) << other.log;
    EXPECT_THAT(events("other"),
                ::testing::Contains(HasSubstr("processes: 2 before, 1 now; --nproc 2 is exact")));
    for (const char* id : {"whole", "other"})  // the last session of "other" was one process
        EXPECT_EQ(run({"reproduce", id, "--json"}).json()["error"]["code"], "reproduce.ranks") << id;
    EXPECT_EQ(run({"reproduce", "whole", "--steps", "2", "--json"}).json()["error"]["code"],
              "reproduce.ranks");
}

TEST_F(RanksTest, AShardedStateIsSavedWholeAndResumedByAnyNumber) {
    const std::vector<std::string> averaged{"--set", "train.ema_decay=0.9"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), averaged.begin(), averaged.end());
        return more;
    };
    ASSERT_EQ(train("whole", with({"--nproc", "2"})).code, 0);
    for (const char* id : {"two", "one"}) {
        const auto begun =
            train(id, with({"--nproc", "2", "--max-steps", "7", "--set", "train.shard_optimizer=true"}));
        ASSERT_EQ(begun.code, 0) << begun.log;
    }
    const auto two = run({"resume", "two", "--nproc", "2", "--json", "--quiet"}),
               one = run({"resume", "one", "--json", "--quiet"});
    ASSERT_EQ(two.code, 0) << two.log;
    ASSERT_EQ(one.code, 0) << one.log;
    expectSameCheckpoint("whole", "two", "step-00000012");
    EXPECT_EQ(bytes("whole", "step-00000012/ema.safetensors"), bytes("two", "step-00000012/ema.safetensors"));
    EXPECT_NEAR(one.json()["metrics"]["loss"].get<double>(), two.json()["metrics"]["loss"].get<double>(),
                1e-4);
}

// What the lost rank held of the optimizer's state is lost with it.
TEST_F(RanksTest, AfterALostShardTheRunGoesOnFromItsLastCheckpoint) {
    EngineProcess engine(
        {"train", "small", "--run", "a", "--events", "--nproc", "2", "--set", "train.steps=100000", "--set",
         "checkpoint.every_steps=20", "--set", "eval.every_steps=20", "--set", "train.shard_optimizer=true"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    ::kill(childrenOf(engine.pid()).at(0), SIGKILL);
    EXPECT_EQ(engine.finish(), 1);
    EXPECT_EQ(record("a")["state"], "failed");
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader && !(*reader)->checkpoints().empty());
    const std::int64_t saved = (*reader)->checkpoints().back().step;
    EXPECT_EQ(saved % 20, 0);
    const auto on = run({"resume", "a", "--nproc", "2", "--max-steps", std::to_string(saved + 2), "--json"});
    EXPECT_EQ(on.code, 0) << on.log;
    EXPECT_EQ(on.json()["steps"], saved + 2);
}

TEST_F(RanksTest, TheMemoryOfAllProcessesIsCounted) {
    ASSERT_EQ(train("a", {"--max-steps", "1"}).code, 0);
    const auto memory = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"train", "small", "--estimate", "--json", "--quiet"});
        return run(more).json()["memory_mb"];
    };
    const json one = memory({}), four = memory({"--nproc", "4"}),
               sharded = memory({"--nproc", "4", "--set", "train.shard_optimizer=true"});
    for (const char* part : {"weights", "gradients", "optimizer"})
        EXPECT_DOUBLE_EQ(four[part].get<double>(), 4 * one[part].get<double>()) << part;
    // A quarter on each of the four, and the whole while a checkpoint is saved.
    EXPECT_NEAR(sharded["optimizer"].get<double>(), 2 * one["optimizer"].get<double>(), 1e-5);
    EXPECT_EQ(sharded["gradients"], four["gradients"]);
}

// A rank that trained on with the old value would have other weights than those that a resume gives it.
TEST_F(RanksTest, ChangesWhileTrainingReachAllRanks) {
    EngineProcess engine(
        {"train", "small", "--run", "a", "--events", "--nproc", "2", "--set", "train.steps=300", "--set",
         "checkpoint.every_steps=100", "--set", "checkpoint.keep_last=9", "--set", "eval.every_steps=1000"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("hello"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "set"}, {"key", "train.max_grad_norm"}, {"value", 0.01}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    EXPECT_LT(engine.found().value("step", 1000), 200);
    engine.send({{"type", "resume"}});
    ASSERT_EQ(engine.finish(), 0) << engine.log();
    const std::string file = "step-00000300/weights.safetensors", whole = bytes("a", file);
    const auto again = run({"resume", "a", "--checkpoint", "200", "--nproc", "2", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_TRUE(bytes("a", file) == whole);
}

// As Ctrl+C and a closed terminal do it, to all of them.
TEST_F(RanksTest, AStopEndsAllProcesses) {
    for (const int number : {SIGINT, SIGHUP}) {
        const std::string id = fmt::format("signal{}", number);
        EngineProcess engine(
            {"train", "small", "--run", id, "--events", "--nproc", "3", "--max-steps", "100000"},
            project_.path());
        ASSERT_TRUE(engine.waitForType("progress"));
        const auto children = childrenOf(engine.pid());
        EXPECT_EQ(children.size(), 2u);
        for (const int child : children) ::kill(child, number);
        engine.signal(number);
        EXPECT_EQ(engine.finish(), 130) << engine.log();
        EXPECT_TRUE(allEnd(children));
        EXPECT_EQ(record(id)["state"], "cancelled");
    }
}

TEST_F(RanksTest, ALostRankLeavesACheckpointOfTheLastStep) {
    EngineProcess engine({"train", "small", "--run", "a", "--events", "--nproc", "3", "--set",
                          "train.steps=100000", "--set", "checkpoint.every_steps=100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    const auto children = childrenOf(engine.pid());
    ASSERT_EQ(children.size(), 2u);
    ::kill(children[1], SIGKILL);
    EXPECT_EQ(engine.finish(), 1);
    EXPECT_TRUE(allEnd(children));
    const auto values = record("a");
    EXPECT_EQ(values.at("state"), "failed");
    EXPECT_THAT(values.at("reason"), HasSubstr(fmt::format("pid {}) is lost", children[1])));
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    ASSERT_FALSE((*reader)->checkpoints().empty());
    const std::int64_t saved = (*reader)->checkpoints().back().step;
    EXPECT_GT(saved, 0);
    // Nothing of the step that was under way is in it.
    const std::string end = std::to_string(saved + 5);
    const auto on = run({"resume", "a", "--nproc", "3", "--max-steps", end, "--json", "--quiet"});
    EXPECT_EQ(on.code, 0) << on.log;
    EXPECT_EQ(on.json()["steps"], saved + 5);
    ASSERT_EQ(train("whole", {"--nproc", "3", "--max-steps", end, "--set", "train.steps=100000"}).code, 0);
    expectSameCheckpoint("whole", "a", fmt::format("step-{:08}", saved + 5));
}

TEST_F(RanksTest, NoChildOutlivesAKilledParent) {
    EngineProcess engine(
        {"train", "small", "--run", "a", "--events", "--nproc", "3", "--max-steps", "100000"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    const auto children = childrenOf(engine.pid());
    ASSERT_EQ(children.size(), 2u);
    engine.signal(SIGKILL);
    EXPECT_EQ(engine.finish(), 128 + SIGKILL);
    EXPECT_TRUE(allEnd(children));
}

TEST_F(RanksTest, ALaunchersRanksMeetAndSayWhereTheyDiffer) {
    ::setenv("WORLD_SIZE", "2", 1);
    ::setenv("MASTER_ADDR", "127.0.0.1", 1);
    const auto both = [&](const char* port, std::vector<std::string> first, std::vector<std::string> second) {
        ::setenv("MASTER_PORT", port, 1);
        ::setenv("RANK", "1", 1);
        EngineProcess other(second, project_.path());
        ::setenv("RANK", "0", 1);
        const auto result = run(first);
        const int code = other.finish();
        return std::tuple(result, code, other.log(), other.output());
    };
    const auto [trained, code, log, output] = both(
        "31873", {"train", "small", "--run", "a", "--json", "--quiet"}, {"train", "small", "--run", "a"});
    EXPECT_EQ(trained.code, 0) << trained.log;
    EXPECT_EQ(code, 0) << log;
    EXPECT_EQ(output, "");
    EXPECT_EQ(trained.json()["steps"], 12);

    const auto [refused, otherCode, otherLog, nothing] =
        both("31874", {"train", "small", "--run", "b", "--json", "--quiet"},
             {"train", "small", "--run", "b", "--set", "train.lr=0.5"});
    EXPECT_EQ(refused.json()["error"]["code"], "distributed.differs") << refused.log;
    EXPECT_THAT(refused.log, HasSubstr("rank 1 has another experiment than rank 0"));
    EXPECT_EQ(otherCode, 2) << otherLog;
    EXPECT_FALSE(std::filesystem::exists(runFolder("b")));
}

// The variables are those of a torchrun that has started this process alone.
TEST_F(RanksTest, ChildrenGetTheCommandAndNoLaunchersVariables) {
    ::setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
    const auto trained = run(
        {"train", "--run", "a", "--nproc", "2", "--join-timeout", "30", "--json", "--quiet", "--", "small"});
    EXPECT_EQ(trained.code, 0) << trained.log;
    EXPECT_EQ(trained.json()["steps"], 12);
}

TEST_F(RanksTest, RefusesWhatCannotBe) {
    ::setenv("WORLD_SIZE", "2", 1);
    ::setenv("RANK", "2", 1);
    EXPECT_EQ(train("a", {}).json()["error"]["code"], "distributed.environment");
    ::setenv("RANK", "1", 1);
    ::setenv("MASTER_ADDR", "127.0.0.1", 1);
    ::setenv("MASTER_PORT", "31875", 1);
    EXPECT_EQ(train("a", {"--nproc", "2"}).json()["error"]["code"], "distributed.nested");
    const auto alone = train("a", {"--join-timeout", "1"});
    EXPECT_EQ(alone.json()["error"]["code"], "distributed.unreachable");
    EXPECT_EQ(alone.code, 1);
    EXPECT_EQ(std::count(alone.log.begin(), alone.log.end(), '\n'), 1) << alone.log;
    EXPECT_EQ(run({"train", "small", "--nproc", "0", "--json"}).json()["error"]["code"], "cli.usage");
    EXPECT_EQ(run({"train", "small", "--nproc", "2", "--dry-run", "--json"}).json()["error"]["code"],
              "cli.usage");
    EXPECT_EQ(train("a", {"--resume-latest"}).json()["error"]["code"], "cli.usage");
    for (const char* name : {"RANK", "WORLD_SIZE"}) ::unsetenv(name);
    EXPECT_EQ(train("a", {"--nproc", "2", "--device", "cuda:1"}).json()["error"]["code"],
              "distributed.device");
}

class RestartedJob : public RanksTest {
protected:
    /// A command of the job, whose run is killed in the end.
    static std::vector<std::string> start(std::vector<std::string> more) {
        more.insert(more.begin(), {"train", "small", "--set", "train.steps=3000"});
        return more;
    }
    /// It has a checkpoint then, and says that it is running.
    void cutOff() const {
        EngineProcess cut(start({"--run", "cut", "--events", "--set", "checkpoint.every_steps=5"}),
                          project_.path());
        ASSERT_TRUE(cut.waitForType("checkpoint"));
        cut.signal(SIGKILL);
        cut.finish();
    }
    /// As if it ran elsewhere, with its last sign of life so many seconds ago.
    void claimElsewhere(store::RunWriter& writer, double secondsAgo) const {
        for (const char* key : {"host", "boot_id"}) writer.set(key, "elsewhere");
        writer.set("heartbeat_wall", fmt::format("{:.3f}", wallSeconds() - secondsAgo));
        ASSERT_TRUE(writer.flush());
    }
    const std::vector<std::string> job_ =
        start({"--resume-latest", "--max-seconds", "0.3", "--json", "--quiet"});
};

TEST_F(RestartedJob, WaitsForNewsOfARunOfAnotherMachine) {
    cutOff();
    {
        const auto writer = store::RunWriter::open(runFolder("cut"));
        ASSERT_TRUE(writer);
        claimElsewhere(**writer, 27);  // it is given up 3 seconds from now
    }
    const auto on = run(job_);
    ASSERT_EQ(on.code, 0) << on.log;
    EXPECT_EQ(on.json()["run"], "cut");
}

TEST_F(RestartedJob, LeavesARunThatLivesElsewhereAlone) {
    cutOff();
    std::atomic<bool> ends = false;
    const auto writer = store::RunWriter::open(runFolder("cut"));
    ASSERT_TRUE(writer);
    claimElsewhere(**writer, 0);
    std::thread beating([&] {
        for (; !ends; std::this_thread::sleep_for(std::chrono::milliseconds(100)))
            claimElsewhere(**writer, 0);
    });
    const auto refused = run(job_);
    ends = true;
    beating.join();
    EXPECT_EQ(refused.json()["error"]["code"], "resume.running") << refused.log;
    EXPECT_THAT(refused.log, HasSubstr("\"cut\""));
}

TEST_F(RestartedJob, RankZeroSaysWhichRunItIs) {
    cutOff();
    const auto steps = [this] {
        std::vector<std::int64_t> all;
        const auto reader = store::RunReader::open(runFolder("cut"));
        if (reader)
            for (const auto& row : (*reader)->checkpoints()) all.push_back(row.step);
        return all;
    };
    const std::int64_t before = steps().back();
    const auto on = run(start({"--resume-latest", "--nproc", "3", "--max-steps", std::to_string(before + 3),
                               "--set", "checkpoint.every_steps=1", "--json", "--quiet"}));
    ASSERT_EQ(on.code, 0) << on.log;
    EXPECT_EQ(on.json()["run"], "cut");
    EXPECT_THAT(steps(), ::testing::IsSupersetOf({before + 2, before + 3}))
        << "its settings of reporting are not those of the job";
}

TEST_F(RestartedJob, ContinuesTheLatestRunThatWasCutOff) {
    cutOff();
    auto job = job_;
    job.insert(job.end(), {"--set", "checkpoint.every_steps=5"});
    auto other = job;
    other.insert(other.end(), {"--seed", "5"});
    EXPECT_NE(run(other).json()["run"], "cut") << "another seed";
    const auto on = run(job);
    ASSERT_EQ(on.code, 0) << on.log;
    EXPECT_EQ(on.json()["run"], "cut");
    EXPECT_GT(on.json()["steps"], 5);
    const auto again = run(job);
    EXPECT_EQ(again.json()["run"], "cut") << "its session's time was over, it has steps left";
    const auto whole = [&](int more) {
        auto arguments = job;
        arguments.insert(arguments.end(),
                         {"--max-steps", std::to_string(again.json()["steps"].get<int>() + more)});
        arguments[std::find(arguments.begin(), arguments.end(), "0.3") - arguments.begin()] = "100";
        return run(arguments).json()["run"];
    };
    EXPECT_EQ(whole(2), "cut");
    EXPECT_NE(whole(2), "cut") << "it has made its steps";
}

// Of the processes that train, one at a time is killed at some moment: what is left names it, ends and can be
// resumed. KURVE_LOST_RANKS says how often.
TEST_F(RanksTest, SurvivesTheLossOfAnyRankAtAnyMoment) {
    const char* wanted = std::getenv("KURVE_LOST_RANKS");
    const int times = wanted == nullptr ? 3 : std::atoi(wanted);
    for (int i = 0; i < times; ++i) {
        const std::string id = fmt::format("run{}", i);
        EngineProcess engine({"train", "small", "--run", id, "--events", "--nproc", "3", "--max-steps",
                              "100000", "--set", "checkpoint.every_steps=7"},
                             project_.path());
        ASSERT_TRUE(engine.waitForType("progress"));
        const auto children = childrenOf(engine.pid());
        ASSERT_EQ(children.size(), 2u);
        std::this_thread::sleep_for(std::chrono::milliseconds((i * 137) % 400));
        const int killed = i % 3;
        ::kill(killed == 0 ? engine.pid() : children[static_cast<std::size_t>(killed - 1)], SIGKILL);
        EXPECT_EQ(engine.finish(), killed == 0 ? 128 + SIGKILL : 1);
        EXPECT_TRUE(allEnd(children)) << i;
        if (killed > 0)
            EXPECT_THAT(
                record(id)["reason"],
                HasSubstr(fmt::format("pid {}) is lost", children[static_cast<std::size_t>(killed - 1)])))
                << i;
        const auto reader = store::RunReader::open(runFolder(id));
        ASSERT_TRUE(reader);
        if ((*reader)->checkpoints().empty()) continue;  // before the first
        const std::int64_t from = (*reader)->checkpoints().back().step;
        const auto on =
            run({"resume", id, "--nproc", "2", "--max-steps", std::to_string(from + 2), "--json", "--quiet"});
        EXPECT_EQ(on.code, 0) << i << on.log;
    }
}

}  // namespace
}  // namespace kurve::testing
