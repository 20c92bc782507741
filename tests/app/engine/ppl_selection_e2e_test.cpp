// Candidates chosen by another run: sampler.selection = "ppl".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/trace/trace.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

class PplSelectionTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        // Untrained models write texts of any length.
        ASSERT_EQ(
            run({"train", "causal", "--run", "scorer", "--quiet", "--set", "model.max_positions=1000"}).code,
            0);
    }
    [[nodiscard]] EngineResult ranked(std::vector<std::string> arguments) const {
        for (const std::string more : {"--json", "--quiet", "--set", "sampler.selection=ppl", "--set",
                                       "sampler.scorer=scorer", "--set", "sampler.length_beam=5"})
            arguments.push_back(more);
        return run(arguments);
    }
    /// Mean log-probability of each pair's tokens by `kurve score ppl`, which reads files.
    [[nodiscard]] std::vector<double> scores(const std::vector<std::string>& sources,
                                             const std::vector<std::string>& targets) const {
        std::ofstream src(project_ / "src.txt"), hyp(project_ / "hyp.txt");
        for (const auto& line : sources) src << line << '\n';
        for (const auto& line : targets) hyp << line << '\n';
        src.close();
        hyp.close();
        const auto scored = run({"score", "ppl", "--run", "scorer", "--checkpoint", "best", "--src",
                                 "src.txt", "--hyp", "hyp.txt", "--json"});
        EXPECT_EQ(scored.code, 0) << scored.log;
        std::vector<double> means;
        const json pairs = scored.json()["pairs"];
        for (const auto& pair : pairs)
            means.push_back(pair["log_probability"].get<double>() / pair["tokens"].get<double>());
        return means;
    }
    /// That the candidates stand in the order of the scorer's scores, which are theirs, and the first is the
    /// output.
    void expectRanked(const json& samples) const {
        std::vector<std::string> sources, targets;
        for (const auto& sample : samples)
            for (const auto& candidate : sample["candidates"]) {
                sources.push_back(sample["input"]);
                targets.push_back(candidate["output"]);
            }
        const std::vector<double> means = scores(sources, targets);
        std::size_t i = 0;
        for (const auto& sample : samples) {
            EXPECT_EQ(sample["candidates"].size(), 5U);
            EXPECT_EQ(sample["output"], sample["candidates"][0]["output"]);
            EXPECT_EQ(sample["score"], sample["candidates"][0]["score"]);
            for (std::size_t c = 0; c < sample["candidates"].size(); ++c, ++i) {
                EXPECT_NEAR(sample["candidates"][c]["score"].get<double>(), means[i], 1e-4);
                if (c > 0) EXPECT_GE(means[i - 1], means[i] - 1e-4);
            }
        }
    }
};

TEST_F(PplSelectionTest, ChoosesWhatAnExhaustiveRankingChooses) {
    for (const char* family : {"small", "curve", "masked"}) {
        SCOPED_TRACE(family);
        ASSERT_EQ(run({"train", family, "--run", family, "--quiet", "--max-steps", "2"}).code, 0);
        const auto sample = ranked({"sample", family, "--count", "4"});
        ASSERT_EQ(sample.code, 0) << sample.log;
        expectRanked(sample.json()["samples"]);
        const auto plain =
            run({"sample", family, "--count", "4", "--json", "--set", "sampler.length_beam=5"});
        EXPECT_NE(plain.json()["samples"], sample.json()["samples"]) << "the family's own order";

        const std::string input = sample.json()["samples"][2]["input"];
        const auto alone = ranked({"sample", family, "--input", input});
        const auto recorded = ranked({"trace", family, "--input", input});
        ASSERT_EQ(recorded.code, 0) << recorded.log;
        EXPECT_EQ(recorded.json()["output"], alone.json()["samples"][0]["output"]);
        const auto trace = trace::readTrace(recorded.json()["file"].get<std::string>());
        ASSERT_TRUE(trace);
        EXPECT_THAT(trace->metaText("scorer"), ::testing::StartsWith("scorer step-"));
        // What is recorded is the winner, and can be taken up again.
        const auto again = run({"trace", family, "--branch-of", recorded.json()["file"], "--json"});
        ASSERT_EQ(again.code, 0) << again.log;
        EXPECT_EQ(again.json()["frames"], recorded.json()["frames"]);
        EXPECT_EQ(again.json()["output"], recorded.json()["output"]);
    }
}

TEST_F(PplSelectionTest, WhatTheScorerCannotReadComesLast) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet", "--max-steps", "2"}).code, 0);
    ASSERT_EQ(run({"train", "causal", "--run", "short", "--quiet", "--max-steps", "2", "--set",
                   "model.max_positions=50"})
                  .code,
              0);
    const auto sample = run({"sample", "r", "--count", "12", "--json", "--set", "sampler.selection=ppl",
                             "--set", "sampler.scorer=short", "--set", "sampler.length_beam=64"});
    ASSERT_EQ(sample.code, 0) << sample.log;
    int unread = 0;
    const json samples = sample.json()["samples"];
    for (const auto& one : samples) {
        bool read = true;
        for (const auto& candidate : one["candidates"]) {
            EXPECT_TRUE(read || candidate["score"].is_null());
            read = read && !candidate["score"].is_null();
            unread += read ? 0 : 1;
        }
    }
    EXPECT_GT(unread, 0);
    // Some of these candidates are short enough; their source is not.
    ASSERT_EQ(run({"train", "masked", "--run", "m", "--quiet", "--max-steps", "2"}).code, 0);
    std::string source = "a";
    for (int i = 0; i < 60; ++i) source += " a";
    const auto behind = run({"sample", "m", "--input", source, "--json", "--set", "sampler.selection=ppl",
                             "--set", "sampler.scorer=short", "--set", "sampler.length_beam=64", "--set",
                             "sampler.length_beam_kind=topk"});
    ASSERT_EQ(behind.code, 0) << behind.log;
    const json candidates = behind.json()["samples"][0]["candidates"];
    for (const auto& candidate : candidates) EXPECT_TRUE(candidate["score"].is_null()) << candidate;
}

TEST_F(PplSelectionTest, ReachesEvalSweepServeAndTraining) {
    ASSERT_EQ(ranked({"train", "small", "--run", "r"}).code, 0);
    const auto sample = run({"sample", "r", "--count", "12", "--json"});  // the run's own setting
    const json samples = sample.json()["samples"];
    expectRanked(samples);
    std::vector<std::string> outputs;
    for (const auto& one : samples) outputs.push_back(one["output"]);

    const auto eval = run({"eval", "r", "--metrics", "chrf", "--json"});
    ASSERT_EQ(eval.code, 0) << eval.log;
    std::ofstream hyp(project_ / "out.txt"), ref(project_ / "ref.txt");
    for (const auto& one : samples) {
        hyp << one["output"].get<std::string>() << '\n';
        ref << one["reference"].get<std::string>() << '\n';
    }
    hyp.close();
    ref.close();
    const auto chrf = run({"score", "chrf", "--hyp", "out.txt", "--ref", "ref.txt", "--json"});
    EXPECT_EQ(eval.json()["metrics"]["chrf"]["value"], chrf.json()["value"]);

    const auto sweep = run({"sweep", "r", "--grid", "sampler.selection=likelihood,ppl", "--quality", "chrf",
                            "--diversity", "distinct-2", "--seeds", "1", "--json"});
    ASSERT_EQ(sweep.code, 0) << sweep.log;
    const json points = sweep.json()["points"];
    ASSERT_EQ(points.size(), 2U);
    EXPECT_NE(points[0]["quality"]["chrf"]["value"], points[1]["quality"]["chrf"]["value"]);
    EXPECT_EQ(points[1]["quality"]["chrf"]["value"], chrf.json()["value"]);

    EngineProcess engine({"sample", "r", "--serve", "--set", "sampler.selection=likelihood"},
                         project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
    const json input = samples[0]["input"];
    const auto send = [&](json sampler) {
        engine.send({{"type", "sample"}, {"id", "a"}, {"input", input}, {"sampler", std::move(sampler)}});
        EXPECT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "a"; }));
        return engine.found();
    };
    const json ranked = send({{"selection", "ppl"}});
    ASSERT_EQ(ranked["type"], "sampled") << ranked;
    EXPECT_EQ(ranked["samples"][0]["output"], outputs[0]);
    EXPECT_EQ(send({{"selection", "ppl"}, {"scorer", "nobody"}})["code"], "run.missing");
    EXPECT_EQ(send({{"selection", "likelihood"}})["type"], "sampled") << "an error ends nothing";
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

TEST_F(PplSelectionTest, NamesARunThatCannotScoreBeforeAnyWork) {
    const auto error = [&](const std::string& scorer) {
        const auto train = run({"train", "small", "--run", "never", "--json", "--quiet", "--set",
                                "sampler.selection=ppl", "--set", "sampler.scorer=" + scorer});
        EXPECT_FALSE(std::filesystem::exists(runFolder("never"))) << scorer;
        const json found = train.json()["error"];
        EXPECT_EQ(found["field"], "sampler.scorer") << train.output;
        EXPECT_EQ(run({"train", "small", "--dry-run", "--json", "--set", "sampler.selection=ppl", "--set",
                       "sampler.scorer=" + scorer})
                      .json()["error"]["code"],
                  found["code"]);
        return found["code"].get<std::string>();
    };
    EXPECT_EQ(error(""), "sample.scorer");
    EXPECT_EQ(error("nobody"), "run.missing");
    EXPECT_EQ(error("never"), "run.missing") << "itself, before it exists";
    // A run that scores itself, and one without weights.
    ASSERT_EQ(run({"train", "small", "--run", "other", "--max-steps", "2", "--quiet"}).code, 0);
    EXPECT_EQ(error("other"), "reference.unfit");
    const auto itself = run({"sample", "other", "--input", "in the beginning", "--json", "--set",
                             "sampler.selection=ppl", "--set", "sampler.scorer=other"});
    EXPECT_EQ(itself.json()["error"]["code"], "reference.unfit");
    std::filesystem::remove_all(runFolder("scorer") / "checkpoints");
    EXPECT_EQ(error("scorer"), "checkpoint.missing");
}

TEST_F(PplSelectionTest, ARunKeepsACopyOfItsScorer) {
    ASSERT_EQ(run({"train", "small", "--run", "reranked", "--max-steps", "2", "--quiet", "--set",
                   "sampler.selection=ppl", "--set", "sampler.scorer=scorer"})
                  .code,
              0);
    const auto sample = [&] {
        const auto result = run({"sample", "reranked", "--input", "in the beginning", "--json", "--quiet"});
        EXPECT_EQ(result.code, 0) << result.output;
        return result.json()["samples"];
    };
    const json before = sample();
    std::filesystem::remove_all(runFolder("scorer"));
    EXPECT_EQ(sample(), before);
    EXPECT_EQ(run({"resume", "reranked", "--max-steps", "4", "--json", "--quiet"}).code, 0);
    std::filesystem::remove_all(runFolder("reranked") / "references");
    const json error = run({"resume", "reranked", "--max-steps", "6", "--json", "--quiet"}).json()["error"];
    EXPECT_EQ(error["code"], "reference.missing");
    EXPECT_EQ(error["field"], "sampler.scorer");
    const auto forked = run({"fork", "reranked", "--run", "freed", "--json", "--set",
                             "sampler.selection=likelihood", "--set", "sampler.scorer="});
    ASSERT_EQ(forked.code, 0) << forked.output << forked.log;
    const auto resumed = run({"resume", "freed", "--max-steps", "6", "--json", "--quiet"});
    EXPECT_EQ(resumed.code, 0) << resumed.output << resumed.log;
    EXPECT_EQ(resumed.json()["steps"], 6) << resumed.output;
}

// It reads texts, not ids: its own tokenizer makes its tokens.
TEST_F(PplSelectionTest, AScorerWithAnotherTokenizerReadsTheTexts) {
    std::filesystem::remove_all(runFolder("scorer"));
    ASSERT_EQ(run({"train", "causal", "--run", "scorer", "--quiet", "--set", "model.max_positions=1000",
                   "--set", "data.tokenizer.vocabulary=200"})
                  .code,
              0);
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet", "--max-steps", "2"}).code, 0);
    const auto sample = ranked({"sample", "r", "--count", "4"});
    ASSERT_EQ(sample.code, 0) << sample.log;
    expectRanked(sample.json()["samples"]);
}

}  // namespace
}  // namespace kurve::testing
