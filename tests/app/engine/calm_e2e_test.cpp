// CALM in its two stages, through the program: a run that is built on another run.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

class CalmRun : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        const std::filesystem::path folder = project_ / "experiments";
        std::string text = *readFile(folder / "chunks.toml");
        const auto put = [&](const std::string& behind, const std::string& what) {
            text.insert(text.find(behind) + behind.size(), what);
        };
        text.erase(text.find("_autoencoder"), std::string("_autoencoder").size());
        put("[model]\n", "autoencoder = \"codes\"\nheads = 2\n");
        std::ofstream(folder / "continuous.toml") << text;
    }
    json done(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto made = run(arguments);
        EXPECT_EQ(made.code, 0) << made.log;
        return made.json();
    }
    json refused(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto made = run(arguments);
        EXPECT_NE(made.code, 0) << made.log;
        return made.json()["error"];
    }
};

TEST_F(CalmRun, TrainsInTwoStagesWritesAndGoesOnWithoutTheOtherRun) {
    EXPECT_EQ(refused({"train", "continuous", "--run", "texts"})["code"], "run.missing");
    const json codes = done({"train", "chunks", "--run", "codes"})["metrics"];
    for (const char* name : {"loss_token", "kl", "valid_token_accuracy", "valid_chunk_accuracy_mean",
                             "valid_token_accuracy_noise_50", "valid_latent_std", "valid_bleu"})
        EXPECT_TRUE(codes.contains(name)) << name;
    const json again = done({"sample", "codes", "--input", "he went out"});
    EXPECT_FALSE(again["samples"][0]["output"].get<std::string>().empty());
    EXPECT_EQ(refused({"sample", "codes", "--count", "1"})["code"], "prompt.unsupported");

    const json texts = done({"train", "continuous", "--run", "texts", "--max-steps", "8"})["metrics"];
    for (const char* name : {"energy_fidelity", "energy_diversity", "valid_energy_known_chunk",
                             "valid_energy_random_chunk", "valid_fell_back"})
        EXPECT_TRUE(texts.contains(name)) << name;
    std::filesystem::remove_all(runFolder("codes"));  // a copy lies in the run
    EXPECT_EQ(done({"resume", "texts"})["steps"], 12);
    const json written = done({"sample", "texts", "--prefix", "he went", "--set", "sampler.algorithm=batch",
                               "--set", "sampler.draws=8"});
    const json& statistics = written["samples"][0]["statistics"];
    EXPECT_GE(statistics["draws"], 8);  // more where the prompt ends within a chunk
    EXPECT_GE(statistics["fell_back"], 0);
    EXPECT_EQ(done({"trace", "texts", "--prefix", "he", "--summary"})["run"], "texts");
    EXPECT_EQ(refused({"sample", "texts", "--count", "1", "--set", "sampler.algorithm=batch", "--set",
                       "sampler.temperature=0.4"})["code"],
              "sampler.temperature");
}

TEST_F(CalmRun, AChunkIsForcedByItsTextAndTemperaturesAreSwept) {
    done({"train", "chunks", "--run", "codes"});
    done({"train", "continuous", "--run", "texts"});
    const json parent = done({"trace", "texts", "--prefix", "he"});
    const json& shown = parent["frames"].back()["tokens"];
    ASSERT_GE(shown.size(), 2U) << parent.dump();
    const std::string chunk = shown.back(), branchOf = parent["trace"];
    const json edit{{"kind", "force"}, {"position", shown.size() - 2}, {"token", chunk}};
    const auto step =
        std::to_string(parent["frames"].size() - std::min<std::size_t>(2, parent["frames"].size()));
    const json branch =
        done({"trace", "texts", "--branch-of", branchOf, "--step", step, "--edit", edit.dump()});
    EXPECT_EQ(branch["frames"].back()["tokens"][shown.size() - 2], chunk);
    const json error = refused({"trace", "texts", "--branch-of", branchOf, "--edit",
                                R"({"kind":"force","position":1,"token":"no such chunk at all"})"});
    EXPECT_EQ(error["code"], "branch.token");

    const json swept =
        done({"sweep", "texts", "--grid", "sampler.algorithm=batch", "--grid", "sampler.temperature=1,0.5",
              "--grid", "sampler.draws=20", "--limit", "3", "--seeds", "1"});
    ASSERT_EQ(swept["points"].size(), 2U);
    for (const json& point : swept["points"]) {
        EXPECT_TRUE(point["quality"].contains("brier-accuracy-1")) << point.dump();
        const double diversity = point["diversity"]["one-minus-brier-collision-1"]["value"];
        EXPECT_GE(diversity, 0);
        EXPECT_LE(diversity, 100);
    }
    EXPECT_EQ(
        refused({"sweep", "texts", "--grid", "sampler.draws=20", "--diversity", "brier-collision-1"})["code"],
        "sweep.metric_direction");
    EXPECT_EQ(refused({"sweep", "codes", "--grid", "sampler.noise=0", "--quality", "brier-accuracy-1",
                       "--diversity", "distinct-2"})["code"],
              "score.no_draws");
}

TEST_F(CalmRun, AnAutoencoderOfAnotherTokenizerIsRefused) {
    done({"train", "chunks", "--run", "others", "--set", "data.tokenizer.vocabulary=200"});
    const json error = refused({"train", "continuous", "--run", "more", "--set", "model.autoencoder=others"});
    EXPECT_EQ(error["code"], "reference.other_tokenizer");
    EXPECT_EQ(error["field"], "model.autoencoder");
}

}  // namespace
}  // namespace kurve::testing
