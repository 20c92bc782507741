// The same numbers again: after a resume, in a replay and in a reproduction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

// N steps, then N more after a resume, against 2N at once: the whole checkpoint, byte for byte.
class ExactTest : public TrainingTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ExactTest, ResumeEqualsGoingOn) {
    const std::string experiment = std::string("experiments/") + GetParam() + ".toml";
    const auto whole = run({"train", experiment, "--run", "whole", "--json", "--quiet"});
    ASSERT_EQ(whole.code, 0) << whole.log;
    EXPECT_EQ(whole.json()["steps"], 12);
    ASSERT_EQ(run({"train", experiment, "--run", "parts", "--max-steps", "7", "--quiet"}).code, 0);
    const auto parts = run({"resume", "parts", "--json", "--quiet"});
    ASSERT_EQ(parts.code, 0) << parts.log;
    EXPECT_EQ(parts.json()["steps"], 12);
    for (const char* file : {"step-00000012/weights.safetensors", "step-00000012/optimizer.safetensors"})
        EXPECT_EQ(bytes("whole", file), bytes("parts", file)) << file;
}

TEST_P(ExactTest, ReplayGivesTheSameNumbers) {
    const std::string experiment = std::string("experiments/") + GetParam() + ".toml";
    ASSERT_EQ(run({"train", experiment, "--run", "r", "--quiet"}).code, 0);
    for (const auto& [steps, from] : {std::pair{"1", 8}, {"4", 8}, {"99", 0}}) {
        const auto replayed = run({"reproduce", "r", "--steps", steps, "--json", "--quiet"});
        ASSERT_EQ(replayed.code, 0) << replayed.log;
        EXPECT_EQ(replayed.json()["from"], from) << steps;
        EXPECT_EQ(replayed.json()["to"], 12);
        EXPECT_EQ(replayed.json()["equal"], true);
        EXPECT_FALSE(replayed.json().contains("first_difference"));
    }
}

// It trained to the end, and only then said that there was nothing to compare with.
TEST_F(TrainingTest, AReplayOfWeightsAloneIsRefusedAtOnce) {
    ASSERT_EQ(
        run({"train", "small", "--run", "s", "--quiet", "--set", "checkpoint.save_weights_only=true"}).code,
        0);
    for (const char* steps : {"1", "12"}) {
        const auto refused = run({"reproduce", "s", "--steps", steps, "--json"});
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.json()["error"]["code"], "checkpoint.weights_only");
        EXPECT_THAT(refused.log, ::testing::Not(::testing::HasSubstr("replaying step")));
    }
}

INSTANTIATE_TEST_SUITE_P(Families, ExactTest, ::testing::Values("small", "curve", "causal"));

TEST_F(TrainingTest, AReproductionIsEqualToTheBit) {
    // Resumed in the middle of a logging window, and with a live change on the way.
    ASSERT_EQ(run({"train", "small", "--run", "a", "--max-steps", "5", "--quiet", "--set",
                   "eval.every_steps=1000", "--set", "checkpoint.every_steps=1000"})
                  .code,
              0);
    EngineProcess engine({"resume", "a", "--events", "--max-steps", "30"}, project_.path());
    ASSERT_TRUE(engine.waitForType("hello"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "set"}, {"key", "train.lr"}, {"value", 0.0007}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    engine.send({{"type", "resume"}});
    EXPECT_EQ(engine.finish(), 0);
    const auto again = run({"reproduce", "a", "--run", "b", "--json", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_EQ(again.json()["steps"], 30);
    EXPECT_EQ(again.json()["equal"], true) << again.output;
    EXPECT_EQ(again.json()["compared"], 15) << "2, 4 … 30";
    EXPECT_EQ(bytes("a", "step-00000030/weights.safetensors"),
              bytes("b", "step-00000030/weights.safetensors"));
    const auto reader = store::RunReader::open(runFolder("b"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->values().at("reproduces"), "a");
    EXPECT_EQ((*reader)->values().at("reproduce_difference"), "none");
    EXPECT_THAT((*reader)->values().at("live_settings"), ::testing::HasSubstr("train.lr"));
}

TEST_F(TrainingTest, AForkIsReproducedFromItsFirstCheckpoint) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    ASSERT_EQ(
        run({"fork", "a", "--checkpoint", "8", "--run", "f", "--set", "train.lr=0.0004", "--quiet"}).code, 0);
    const auto trained = run({"resume", "f", "--max-steps", "16", "--json", "--quiet"});
    ASSERT_EQ(trained.code, 0) << trained.log;
    const auto again = run({"reproduce", "f", "--run", "g", "--json", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_EQ(again.json()["equal"], true) << again.output;
    EXPECT_EQ(again.json()["compared"], 4) << "10, 12, 14, 16";
    EXPECT_EQ(bytes("f", "step-00000016/weights.safetensors"),
              bytes("g", "step-00000016/weights.safetensors"));
    // Pruned here, it is still the parent's; without that one there is nothing to begin from.
    std::filesystem::remove_all(runFolder("f") / "checkpoints" / "step-00000008");
    const auto fromParent = run({"reproduce", "f", "--run", "h", "--json", "--quiet"});
    ASSERT_EQ(fromParent.code, 0) << fromParent.log;
    EXPECT_EQ(fromParent.json()["equal"], true) << fromParent.output;
    std::filesystem::remove_all(runFolder("a") / "checkpoints" / "step-00000008");
    const auto gone = run({"reproduce", "f", "--json", "--quiet"});
    EXPECT_EQ(gone.code, 2);
    EXPECT_EQ(gone.json()["error"]["code"], "reproduce.fork");
}

TEST_F(TrainingTest, AReplayOnOtherDataNamesWhatDiffers) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    std::ofstream(project_ / "data/train.tsv", std::ios::app) << "a new line\tA new line.\n";
    const auto replayed = run({"reproduce", "a", "--steps", "99", "--json", "--quiet"});
    EXPECT_EQ(replayed.code, 1) << replayed.log;
    const json found = replayed.json();
    EXPECT_EQ(found["equal"], false);
    EXPECT_GT(found["largest_difference"].get<double>(), 0);
    EXPECT_NE(found["first_difference"], "");
    EXPECT_EQ(found["problems"][0]["code"], "replay.differs");
}

TEST_F(TrainingTest, AReproductionNamesTheFirstStepThatDiffers) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    {
        // As another build would have logged it: the last bit of one loss.
        store::Series loss;
        {
            const auto reader = store::RunReader::open(runFolder("a"));
            ASSERT_TRUE(reader);
            store::SeriesCursor cursor;
            (*reader)->points("loss", cursor, loss);
        }
        auto writer = store::RunWriter::open(runFolder("a"));
        ASSERT_TRUE(writer);
        (*writer)->beginSegment(7, "resumed");
        for (std::size_t i = 3; i < loss.size(); ++i)
            (*writer)->scalar("loss", loss.step[i], loss.wall[i],
                              loss.step[i] < 10 ? loss.value[i] : std::nextafter(loss.value[i], 1e9));
    }
    const auto again = run({"reproduce", "a", "--json", "--quiet"});
    ASSERT_EQ(again.code, 1) << again.log;
    EXPECT_EQ(again.json()["equal"], false);
    EXPECT_EQ(again.json()["first_difference"], 10);
    EXPECT_EQ(again.json()["other_environment"], "");
    // The same on what says that it was another machine.
    {
        auto writer = store::RunWriter::open(runFolder("a"));
        ASSERT_TRUE(writer);
        (*writer)->set("environment",
                       R"({"cpu":"Quux 9000","device":"cuda:1","host":"elsewhere","libtorch":"2.0"})");
    }
    const auto elsewhere = run({"reproduce", "a", "--run", "e"});
    EXPECT_EQ(elsewhere.code, 1);
    EXPECT_THAT(elsewhere.output,
                ::testing::HasSubstr("it was trained on another machine: cpu Quux 9000, here "));
    EXPECT_THAT(elsewhere.output, ::testing::HasSubstr("libtorch 2.0, here "));
    EXPECT_THAT(elsewhere.output,
                ::testing::HasSubstr("; sums on a GPU are added in another order each time"));
    EXPECT_EQ(run({"reproduce", "a", "--quiet", "--threads", "2"}).code, 2);
}

// Hours of training said only that it differs, and from step 2 on.
TEST_F(TrainingTest, AReproductionOnOtherDataIsReportedBeforeAndAfter) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    const auto same = run({"reproduce", "a", "--json", "--quiet"});
    EXPECT_EQ(same.json()["same_data"], true);
    std::ofstream(project_ / "data/train.tsv", std::ios::app) << "a new line\tA new line.\n";
    const auto other = run({"reproduce", "a", "--run", "o", "--quiet"});
    ASSERT_EQ(other.code, 1) << other.log;
    const auto reader = store::RunReader::open(runFolder("o"));
    ASSERT_TRUE(reader);
    std::string warnings;
    for (const auto& event : (*reader)->events())
        if (event.step == 0 && event.kind == "warning") warnings += event.text;
    EXPECT_THAT(warnings, ::testing::HasSubstr("the reproduction will not be bit-identical"));
    EXPECT_THAT(other.output, ::testing::HasSubstr("the corpora or their settings changed since"));
}

TEST_F(TrainingTest, StepsOnTopOfThePlanHaveALearningRate) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "train.steps=4", "--set",
                   "train.schedule=linear", "--set", "train.warmup_steps=0", "--set", "log.every_steps=1"})
                  .code,
              0);
    ASSERT_EQ(run({"resume", "a", "--max-steps", "8", "--quiet"}).code, 0);
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    store::SeriesCursor cursor;
    store::Series rates;
    (*reader)->points("lr", cursor, rates);
    ASSERT_EQ(rates.size(), 8U);
    for (std::size_t i = 4; i < 8; ++i) EXPECT_GT(rates.value[i], 0) << "step " << rates.step[i];
    const auto again = run({"reproduce", "a", "--run", "b", "--json", "--quiet"});
    EXPECT_EQ(again.json()["equal"], true) << again.output;
}

TEST_F(TrainingTest, AForkOfARunPlannedByTimeTrainsForItsTime) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--max-steps", "6", "--set", "train.steps=0",
                   "--set", "train.seconds=0.5", "--set", "train.expected_steps=3"})
                  .code,
              0);
    ASSERT_EQ(run({"fork", "a", "--checkpoint", "6", "--run", "f", "--quiet"}).code, 0);
    const auto trained = run({"resume", "f", "--json", "--quiet"});
    ASSERT_EQ(trained.code, 0) << trained.log;
    EXPECT_GT(trained.json()["steps"], 6);
}

// As the dry run and the Launch page say.
TEST_F(TrainingTest, ATimeLimitAlsoEndsARunThatIsPlannedBySteps) {
    const auto made = run({"train", "small", "--run", "a", "--json", "--quiet", "--set", "train.steps=20000",
                           "--set", "train.seconds=0.5"});
    ASSERT_EQ(made.code, 0) << made.log;
    EXPECT_LT(made.json()["steps"], 20000);
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->values().at("reason"), "time limit reached: 0.5 seconds");
}

// A resume finishes what --max-steps had added, as it does without a time limit.
TEST_F(TrainingTest, ARunExtendedAfterItsTimeGoesOnAfterACrash) {
    for (const std::string steps : {"12", "10000", "0"}) {  // below and above what is added, and by time
        const std::string id = "of" + steps;
        ASSERT_EQ(run({"train", "small", "--run", id, "--quiet", "--set", "train.seconds=0.001", "--set",
                       "train.steps=" + steps})
                      .code,
                  0);
        EXPECT_LT(run({"resume", id, "--json", "--quiet"}).json()["steps"], 12) << "its time is over";
        EngineProcess engine({"resume", id, "--max-steps", "60", "--events"}, project_.path());
        ASSERT_TRUE(engine.waitForType("checkpoint"));
        engine.signal(SIGKILL);
        engine.finish();
        const auto on = run({"resume", id, "--json", "--quiet"});
        ASSERT_EQ(on.code, 0) << on.log;
        EXPECT_EQ(on.json()["steps"], 60) << steps;
    }
}

TEST_F(TrainingTest, AForkCanBeginToAverageItsWeights) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--max-steps", "4"}).code, 0);
    const auto forked = run({"fork", "a", "--run", "f", "--quiet", "--set", "train.ema_decay=0.9"});
    ASSERT_EQ(forked.code, 0) << forked.log;
    EXPECT_EQ(run({"resume", "f", "--max-steps", "6", "--quiet"}).code, 0);
    EXPECT_EQ(bytes("f", "step-00000006/ema.safetensors").find("missing"), std::string::npos);
}

TEST_F(TrainingTest, SaysThatNothingMeasuresTheMetricOfTheBest) {
    EngineProcess engine({"train", "text", "--run", "a", "--events", "--set", "checkpoint.metric=valid_bleu"},
                         project_.path());
    EXPECT_EQ(engine.finish(), 0);
    int warnings = 0;
    for (const auto& event : engine.events())
        warnings += event.value("code", "") == "checkpoint.no_metric" ? 1 : 0;
    EXPECT_EQ(warnings, 1) << "once, not at every evaluation";
    const std::string out = (project_ / "weights.safetensors").string();
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"sample", "a", "--count", "1"},
                                               {"export", "a", "--what", "weights", "--out", out, "--force"},
                                               {"fork", "a"},
                                               {"resume", "a", "--max-steps", "12"}})
        for (const char* which : {"best", "last"}) {
            auto words = command;
            words.insert(words.end(), {"--checkpoint", which});
            EXPECT_EQ(run(words).log.find("is the last, step 12") != std::string::npos,
                      which == std::string("best"))
                << command.front();
        }
    ASSERT_EQ(run({"train", "text", "--run", "b", "--quiet"}).code, 0);
    EXPECT_EQ(run({"sample", "b", "--count", "1", "--checkpoint", "best"}).log.find("is the last"),
              std::string::npos);
}

TEST_F(TrainingTest, AResumeThatCannotBeExactSaysSo) {
    const auto reported = [&] {
        const auto reader = store::RunReader::open(runFolder("x"));
        std::vector<std::string> texts;
        for (const auto& event : (*reader)->events())
            if (event.text.find("bit-identical") != std::string::npos) texts.push_back(event.text);
        return texts;
    };
    ASSERT_EQ(run({"train", "small", "--run", "x", "--max-steps", "4", "--quiet"}).code, 0);
    ASSERT_EQ(run({"resume", "x", "--max-steps", "6", "--quiet"}).code, 0);
    EXPECT_THAT(reported(), ::testing::IsEmpty());
    std::ofstream(project_ / "data/valid.tsv", std::ios::app) << "one more\tOne more.\n";
    EngineProcess engine({"resume", "x", "--max-steps", "7", "--threads", "2", "--events", "--set",
                          "eval.samples=0", "--set", "eval.prompt_count=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("warning")) << engine.log();
    EXPECT_EQ(engine.found()["code"], "resume.not_exact");
    EXPECT_EQ(engine.finish(), 0);
    const auto texts = reported();
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_THAT(texts[0], ::testing::HasSubstr("--threads 1"));
    EXPECT_THAT(texts[1], ::testing::HasSubstr("corpora"));
}

}  // namespace
}  // namespace kurve::testing
