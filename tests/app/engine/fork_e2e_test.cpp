// What a fork takes over from its parent's checkpoint.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/store/run_reader.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

class ForkTest : public TrainingTest {
protected:
    /// The next batch of a checkpoint: {"epoch","index"}.
    [[nodiscard]] json nextBatch(const std::string& id, int step) const {
        return json::parse(bytes(id, fmt::format("step-{:08}/state.json", step)))["data"];
    }
    [[nodiscard]] EngineResult fork(const std::string& id, const std::vector<std::string>& settings) const {
        std::vector<std::string> words{"fork", "a", "--run", id, "--json", "--quiet"};
        for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
        return run(words);
    }
};

// Batch 13 of the parent's epoch is another batch, or beyond the last, where the batches are others.
TEST_F(ForkTest, OtherBatchesBeginWithANewEpoch) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    const json before = nextBatch("a", 12);
    ASSERT_EQ(before, (json{{"epoch", 0}, {"index", 12}}));
    for (const auto& [id, setting] : {std::pair{"large", "train.batch_tokens=100000"},
                                      {"seed", "seed=5"},
                                      {"data", "data.max_length=40"}}) {
        const auto forked = fork(id, {setting});
        ASSERT_EQ(forked.code, 0) << forked.log;
        EXPECT_EQ(nextBatch(id, 12), (json{{"epoch", 1}, {"index", 0}})) << id;
        const auto trained = run({"resume", id, "--max-steps", "14", "--json", "--quiet"});
        EXPECT_EQ(trained.code, 0) << trained.log;
    }
    ASSERT_EQ(fork("same", {"train.lr=0.0004", "train.accumulate=2"}).code, 0);
    EXPECT_EQ(nextBatch("same", 12), before);
}

TEST_F(ForkTest, ASmallerCorpusBeginsWithANewEpoch) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "data.tokenizer.kind=byte"}).code, 0);
    ASSERT_EQ(nextBatch("a", 12), (json{{"epoch", 0}, {"index", 12}}));
    const std::string corpus = *readFile(project_ / "data/train.tsv");
    std::size_t end = 0;
    for (int line = 0; line < 6; ++line) end = corpus.find('\n', end) + 1;
    std::ofstream(project_ / "data/train.tsv") << corpus.substr(0, end);
    const auto resumed = run({"resume", "a", "--max-steps", "13", "--json", "--quiet"});
    ASSERT_EQ(resumed.code, 0) << resumed.log;
    EXPECT_EQ(nextBatch("a", 13), (json{{"epoch", 1}, {"index", 1}}));
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    std::string warnings;
    for (const auto& event : (*reader)->events())
        if (event.kind == "warning") warnings += event.text + "\n";
    EXPECT_THAT(warnings, ::testing::HasSubstr("a new epoch begins"));
}

// Its batches are of the training split alone.
TEST_F(ForkTest, OtherValidationDataLeaveTheEpochAsItIs) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    ASSERT_EQ(fork("tested", {"data.test=data/valid.tsv"}).code, 0);
    EXPECT_EQ(nextBatch("tested", 12), (json{{"epoch", 0}, {"index", 12}}));
    std::ofstream(project_ / "data/valid.tsv", std::ios::app) << "a new line\tA new line.\n";
    const auto resumed = run({"resume", "a", "--max-steps", "13", "--json", "--quiet"});
    ASSERT_EQ(resumed.code, 0) << resumed.log;
    EXPECT_EQ(nextBatch("a", 13), (json{{"epoch", 0}, {"index", 13}}));
}

TEST_F(ForkTest, WhatWasChangedWhileTrainingHoldsFromItsStepOn) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--max-steps", "100", "--quiet", "--set",
                   "checkpoint.every_steps=100", "--set", "eval.every_steps=0"})
                  .code,
              0);
    EngineProcess engine({"resume", "a", "--events", "--max-steps", "300"}, project_.path());
    engine.send({{"type", "pause"}});  // is read before the first step
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "set"}, {"key", "train.lr"}, {"value", 0.0007}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    engine.send({{"type", "resume"}});
    ASSERT_EQ(engine.finish(), 0);
    // The studio reads it: views/runs/live_changes.cpp.
    const json live = json::parse(bytes("a", "step-00000300/state.json"))["live"];
    ASSERT_EQ(live.size(), 1u);
    EXPECT_EQ(live[0], (json{live[0][0].get<int>(), "train.lr", "0.0007"}));
    const auto rate = [&](const std::string& checkpoint, std::vector<std::string> more) {
        const std::string id = fmt::format("from{}-{}", checkpoint, more.size());
        more.insert(more.begin(), {"fork", "a", "--checkpoint", checkpoint, "--run", id, "--quiet"});
        EXPECT_EQ(run(more).code, 0);
        return json::parse(run({"export", id, "--what", "config", "--format", "json"}).output)["train.lr"];
    };
    EXPECT_EQ(rate("300", {}), 0.0007);
    EXPECT_EQ(rate("300", {"--set", "train.lr=0.0004"}), 0.0004);
    EXPECT_NE(rate("100", {}), 0.0007) << "before the change";
}

TEST_F(ForkTest, AChangeBehindTheLastCheckpointIsSavedWithTheStop) {
    EngineProcess engine({"train", "small", "--run", "a", "--events", "--set", "train.steps=100000", "--set",
                          "checkpoint.every_steps=1", "--set", "eval.every_steps=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("type", "") == "checkpoint"; }));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "set"}, {"key", "train.lr"}, {"value", 0.0007}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    engine.send({{"type", "stop"}});
    engine.finish();
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    const std::string last = (*reader)->checkpoints().back().path.text();
    const json live = json::parse(*readFile(runFolder("a") / last / "state.json"))["live"];
    ASSERT_EQ(live.size(), 1u) << last;
    EXPECT_EQ(live[0][1], "train.lr");
}

}  // namespace
}  // namespace kurve::testing
