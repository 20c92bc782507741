// Checkpoints: kept, pinned, pruned, averaged, and sound after a kill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "core/store/evaluations.h"
#include "core/store/run_reader.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

TEST_F(TrainingTest, PruningFreesWhatItSaidBefore) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "checkpoint.every_steps=2", "--set",
                   "checkpoint.keep_last=6"})
                  .code,
              0);
    const auto own = run({"checkpoints", "a", "--json", "--quiet"}).json();
    EXPECT_EQ(own["prunable_bytes"], 0);
    const std::size_t all = own["checkpoints"].size();
    ASSERT_GE(all, 5U);
    ASSERT_EQ(run({"checkpoints", "a", "--pin", "4", "--quiet"}).code, 0);
    const std::vector<std::string> policy{"checkpoints", "a", "--keep-last", "1",
                                          "--keep-best", "0", "--json",      "--quiet"};
    const auto before = run(policy).json();
    EXPECT_EQ(before["checkpoints"].size(), all) << "nothing is removed without --prune";
    const auto freed = before["prunable_bytes"].get<std::int64_t>();
    EXPECT_GT(freed, 0);
    auto words = policy;
    words.emplace_back("--prune");
    const auto pruned = run(words).json();
    EXPECT_EQ(pruned["bytes"].get<std::int64_t>(), before["bytes"].get<std::int64_t>() - freed);
    EXPECT_EQ(pruned["prunable_bytes"], 0);
    ASSERT_EQ(pruned["checkpoints"].size(), 2U);
    EXPECT_EQ(pruned["checkpoints"][0]["step"], 4);
    EXPECT_EQ(pruned["checkpoints"][1]["step"], 12);
    std::size_t folders = 0;
    for (const auto& entry : std::filesystem::directory_iterator(runFolder("a") / "checkpoints"))
        folders += entry.is_directory();
    EXPECT_EQ(folders, 2U);
    EXPECT_EQ(run({"verify", "a", "--quiet"}).code, 0);
}

TEST_F(TrainingTest, KilledAtAnyMomentKeepsTheLastGoodCheckpoint) {
    for (int round = 0; round < 3; ++round) {
        const std::string id = "k" + std::to_string(round);
        {
            EngineProcess engine({"train", "small", "--run", id, "--events", "--max-steps", "100000", "--set",
                                  "checkpoint.every_steps=1", "--set", "eval.every_steps=0"},
                                 project_.path());
            for (int i = 0; i <= round * 2; ++i) ASSERT_TRUE(engine.waitForType("checkpoint"));
            engine.signal(SIGKILL);
            EXPECT_EQ(engine.finish(), 128 + SIGKILL);
        }
        const auto more = run(
            {"resume", id, "--max-steps", "60", "--json", "--quiet", "--set", "checkpoint.every_steps=0"});
        EXPECT_EQ(more.code, 0) << more.log;
    }
}

// The mean's tensors are checked in checkpoint_test; here: which ones it takes, and what is said.
TEST_F(TrainingTest, GeneratesWithTheMeanOfTheBestCheckpoints) {
    ASSERT_EQ(run({"train", "small", "--run", "m", "--quiet", "--set", "checkpoint.keep_best=5", "--set",
                   "checkpoint.keep_last=1", "--set", "checkpoint.every_steps=0", "--set",
                   "eval.every_steps=3", "--set", "checkpoint.metric=valid_loss"})
                  .code,
              0);
    const auto reader = store::RunReader::open(runFolder("m"));
    ASSERT_TRUE(reader);
    auto rows = (*reader)->checkpoints();
    ASSERT_EQ(rows.size(), 4U);  // steps 3, 6, 9 and 12: each among the five best
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.metric < b.metric; });
    const auto mean = run({"sample", "m", "--input", "in the beginning", "--checkpoint", "avg3", "--json"});
    ASSERT_EQ(mean.code, 0) << mean.log;
    ASSERT_EQ(mean.json()["averaged"].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(mean.json()["averaged"][i], (runFolder("m") / rows[i].path.text()).string());
    const auto trace =
        run({"trace", "m", "--input", "in the beginning", "--checkpoint", "avg2", "--json", "--summary"});
    ASSERT_EQ(trace.code, 0) << trace.log;
    EXPECT_EQ(trace.json()["averaged"].size(), 2U);
    const auto eval = run({"eval", "m", "--checkpoint", "avg4", "--json"});
    EXPECT_EQ(eval.json()["step"], 12) << eval.log;
    const auto kept = run({"eval", "m", "--checkpoint", "avg4", "--json", "--save"});
    ASSERT_EQ(run({"eval", "m", "--json", "--save"}).code, 0);
    EXPECT_TRUE(std::filesystem::exists(runFolder("m") / "evaluations" / "valid-step-00000012.json"));
    std::filesystem::remove(runFolder("m") / "evaluations" / "valid-step-00000012.json");
    const auto numbers = store::evaluatedNumbers(runFolder("m"));
    ASSERT_TRUE(numbers.contains("eval_valid_bleu")) << kept.log;
    EXPECT_EQ(numbers.at("eval_valid_bleu"), eval.json()["metrics"]["bleu"]["value"].get<double>());
    const auto one = run({"sample", "m", "--input", "in the beginning", "--checkpoint", "avg1", "--json"});
    EXPECT_EQ(one.json()["checkpoint"], (runFolder("m") / rows[0].path.text()).string());
    const auto many = run({"sample", "m", "--input", "x", "--checkpoint", "avg5", "--json"});
    EXPECT_EQ(many.code, 2);
    EXPECT_EQ(many.json()["error"]["code"], "checkpoint.too_few");
    EXPECT_THAT(many.json()["error"]["remedy"].get<std::string>(), ::testing::HasSubstr("avg4"));
    EXPECT_EQ(run({"resume", "m", "--checkpoint", "avg3", "--json"}).json()["error"]["code"],
              "checkpoint.average");
}

// While it trains the engine alone writes the record, so the command asks it; at rest the command writes.
TEST_F(TrainingTest, PinsCheckpointsWhileItTrainsAndAtRest) {
    EngineProcess engine({"train", "small", "--run", "p", "--events", "--max-steps", "100000", "--set",
                          "checkpoint.every_steps=2", "--set", "checkpoint.keep_last=1", "--set",
                          "checkpoint.keep_best=0", "--set", "eval.every_steps=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "checkpoint"}});
    const auto step = [](const json& row) { return row["step"].get<std::int64_t>(); };
    const auto listed = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"checkpoints", "p", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments).json()["checkpoints"];
    };
    engine.send({{"type", "sample"}, {"id", "saved"}, {"input", "the king"}});
    ASSERT_TRUE(engine.waitForType("sampled"));
    const json one = listed({});
    ASSERT_EQ(one.size(), 1U) << one;
    EXPECT_EQ(one[0]["kept_as"], json({"newest"}));
    const std::int64_t pinned = step(one[0]);
    engine.send({{"type", "pin"}, {"id", "a"}, {"step", pinned}});
    ASSERT_TRUE(engine.waitForType("pinned"));
    EXPECT_EQ(engine.found()["id"], "a");
    engine.send({{"type", "pin"}, {"id", "b"}, {"step", 999999}});
    ASSERT_TRUE(engine.waitForType("error"));
    EXPECT_EQ(engine.found()["code"], "checkpoint.missing");
    EXPECT_EQ(listed({"--unpin", std::to_string(pinned)})[0]["pinned"], false);
    EXPECT_EQ(listed({"--pin", "last"})[0]["kept_as"], json({"newest", "pinned"}));
    engine.send({{"type", "resume"}});
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);

    const json two = listed({});
    ASSERT_EQ(two.size(), 2U) << two;
    EXPECT_EQ(step(two[0]), pinned);
    EXPECT_EQ(two[0]["kept_as"], json({"pinned"}));
    EXPECT_EQ(two[1]["kept_as"], json({"newest"}));
    EXPECT_EQ(listed({"--unpin", std::to_string(pinned)})[0]["kept_as"], json::array());
    ASSERT_EQ(run({"resume", "p", "--max-steps", std::to_string(step(two[1]) + 2), "--quiet"}).code, 0);
    const json after = listed({});
    ASSERT_EQ(after.size(), 1U) << after;
    EXPECT_EQ(step(after[0]), step(two[1]) + 2);
    EXPECT_EQ(run({"checkpoints", "p", "--pin", "7777777", "--json"}).json()["error"]["code"],
              "checkpoint.missing");
}

// The last checkpoint is written before the run knows that it is the last, and evaluated after.
TEST_F(TrainingTest, TheFinalEvaluationCountsForTheLastCheckpoint) {
    ASSERT_EQ(run({"train", "small", "--run", "e", "--quiet", "--set", "eval.every_steps=0", "--set",
                   "checkpoint.metric=valid_loss"})
                  .code,
              0);
    const auto reader = store::RunReader::open(runFolder("e"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->checkpoints().back().step, 12);
    EXPECT_EQ((*reader)->checkpoints().back().metric, *(*reader)->last("valid_loss"));
    EXPECT_EQ(run({"verify", "e"}).code, 0);
}

// What a kill in the middle of removing one can leave behind, and what only a person can.
TEST_F(TrainingTest, VerifyAndRepairKnowCheckpointsWithoutAnEntryAndTheReverse) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "checkpoint.keep_last=3"}).code, 0);
    const auto rows = [&] {
        const auto reader = store::RunReader::open(runFolder("a"));
        return (*reader)->checkpoints().size();
    };
    const std::size_t all = rows();
    ASSERT_GE(all, 2U);
    {
        auto writer = store::RunWriter::open(runFolder("a"));
        ASSERT_TRUE(writer);
        (*writer)->removeCheckpoint("checkpoints/step-00000012");
    }
    EXPECT_EQ(run({"verify", "a", "--quiet"}).code, 0) << "it is whole, and found";
    EXPECT_EQ(run({"verify", "a", "--repair", "--quiet"}).code, 0);
    EXPECT_EQ(rows(), all);
    std::filesystem::remove_all(runFolder("a") / "checkpoints/step-00000012");
    const auto damaged = run({"verify", "a", "--json", "--quiet"});
    EXPECT_EQ(damaged.code, 1);
    EXPECT_EQ(damaged.json()["problems"][0]["code"], "checkpoint.missing");
    EXPECT_EQ(run({"verify", "a", "--repair", "--quiet"}).code, 0);
    EXPECT_EQ(rows(), all - 1);
}

TEST_F(TrainingTest, AFileOfATerabyteIsDamagedAtOnce) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    std::filesystem::resize_file(runFolder("a") / "checkpoints/step-00000012/weights.safetensors",
                                 std::uintmax_t{1} << 40);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"resume", "a", "--max-steps", "13"}, {"sample", "a", "--count", "2"}}) {
        auto requested = words;
        requested.emplace_back("--json");
        const auto refused = run(requested);
        EXPECT_NE(refused.code, 0);
        EXPECT_EQ(refused.json()["error"]["code"], "checkpoint.damaged") << refused.output;
    }
    EXPECT_EQ(run({"verify", "a", "--json"}).json()["problems"][0]["code"], "checkpoint.damaged");
}

TEST_F(TrainingTest, DamageIsNamedWithTheCheckpointBefore) {
    ASSERT_EQ(run({"train", "small", "--run", "d", "--quiet"}).code, 0);
    const auto file = runFolder("d") / "checkpoints/step-00000012/weights.safetensors";
    std::filesystem::resize_file(file, 100);
    const auto result = run({"sample", "d", "--input", "x", "--json"});
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.json()["error"]["code"], "checkpoint.damaged");
    EXPECT_NE(result.json()["error"]["remedy"].get<std::string>().find("--checkpoint 8"), std::string::npos);
    EXPECT_EQ(run({"sample", "d", "--input", "x", "--checkpoint", "8"}).code, 0);
    // What is offered is sound itself.
    std::filesystem::remove(runFolder("d") / "checkpoints/step-00000008/optimizer.safetensors");
    const auto resumed = run({"resume", "d", "--max-steps", "14", "--json", "--quiet"});
    EXPECT_EQ(resumed.json()["error"]["code"], "checkpoint.damaged");
    EXPECT_NE(resumed.json()["error"]["remedy"].get<std::string>().find("--checkpoint 6"), std::string::npos);
    EXPECT_EQ(resumed.json()["error"]["checkpoint"], 6);
    EngineProcess watched({"resume", "d", "--max-steps", "14", "--events"}, project_.path());
    ASSERT_TRUE(watched.waitForType("error"));
    EXPECT_EQ(watched.found()["checkpoint"], 6) << "what the studio reads";
    watched.finish();
    EXPECT_EQ(run({"resume", "d", "--checkpoint", "6", "--max-steps", "7", "--quiet"}).code, 0);
}

TEST_F(TrainingTest, DamageOfTheOldestIsNamedWithTheOneAfter) {
    ASSERT_EQ(run({"train", "small", "--run", "d", "--quiet"}).code, 0);
    const auto list = run({"checkpoints", "d", "--json"}).json()["checkpoints"];
    ASSERT_GE(list.size(), 2U);
    const auto remedyOf = [&](const json& row) {
        const auto requested =
            run({"sample", "d", "--input", "x", "--checkpoint", row["step"].dump(), "--json"});
        EXPECT_EQ(requested.json()["error"]["code"], "checkpoint.damaged") << requested.output;
        return requested.json()["error"]["remedy"].get<std::string>();
    };
    const auto damage = [&](const json& row) {
        std::filesystem::resize_file(runFolder("d") / row["path"] / "weights.safetensors", 100);
    };
    damage(list[0]);
    EXPECT_EQ(remedyOf(list[0]), "use the sound one after it: --checkpoint " + list[1]["step"].dump());
    for (std::size_t i = 1; i < list.size(); ++i) damage(list[i]);
    EXPECT_EQ(remedyOf(list[0]), "no other checkpoint is sound; train it again (kurve reproduce d)");
}

TEST_F(TrainingTest, ARunThatEndedHasNoCheckpointToWaitFor) {
    ASSERT_EQ(run({"train", "small", "--run", "g", "--quiet"}).code, 0);
    std::filesystem::remove_all(runFolder("g") / "checkpoints");
    const auto requested = run({"sample", "g", "--input", "x", "--json"});
    EXPECT_EQ(requested.json()["error"]["code"], "checkpoint.missing") << requested.output;
    EXPECT_EQ(requested.json()["error"]["message"], "the run has no checkpoint");
    EXPECT_NE(requested.json()["error"]["remedy"].get<std::string>().find("train it again"),
              std::string::npos);
}

TEST_F(TrainingTest, ARunThatTrainsSaysWhenItsFirstCheckpointComes) {
    EngineProcess engine({"train", "small", "--run", "f", "--events", "--max-steps", "100000", "--set",
                          "checkpoint.every_steps=90000", "--set", "eval.every_steps=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    const auto requested = run({"sample", "f", "--input", "x", "--json"});
    EXPECT_EQ(requested.json()["error"]["code"], "checkpoint.missing");
    const std::string said = requested.json()["error"]["message"];
    EXPECT_NE(said.find("no checkpoint yet: the first comes at step 90000"), std::string::npos) << said;
    EXPECT_NE(requested.json()["error"]["remedy"].get<std::string>().find("F8"), std::string::npos);
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);
}

}  // namespace
}  // namespace kurve::testing
