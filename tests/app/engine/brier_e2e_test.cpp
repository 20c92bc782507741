// Brier scores by draws, through the program.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BrierRun : public TrainingTest {
protected:
    json done(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto made = run(arguments);
        EXPECT_EQ(made.code, 0) << made.log;
        return made.code == 0 ? made.json() : json();
    }
    json refused(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto made = run(arguments);
        EXPECT_EQ(made.code, 2) << made.log;
        return made.json()["error"];
    }
    static double valueOf(const json& score) { return score["value"]; }

    /// What holds of the scores of any model.
    static void expectConsistent(const json& scores, const std::string& signature) {
        double product = 1;
        for (int n = 1; n <= 4; ++n) {
            const std::string of = std::to_string(n);
            const json& brier = scores["brier-" + of];
            EXPECT_NEAR(
                valueOf(brier),
                2 * valueOf(scores["brier-accuracy-" + of]) - valueOf(scores["brier-collision-" + of]), 1e-9);
            EXPECT_NEAR(brier["ci95"][0].get<double>() + brier["ci95"][1].get<double>(), 2 * valueOf(brier),
                        1e-9);
            EXPECT_LE(brier["ci95"][0], brier["ci95"][1]);
            EXPECT_EQ(brier["signature"], signature);
            EXPECT_GT(brier["n"], 0);
            product = valueOf(brier) > 0 && product > 0 ? product * valueOf(brier) / 100 : 0;
        }
        const json& all = scores["brierlm"];
        EXPECT_NEAR(valueOf(all), 100 * std::pow(product, 0.25), 1e-6);
        EXPECT_EQ(all["signature"], product > 0 ? signature : signature + "|degenerate");
    }
};

TEST_F(BrierRun, OfChunks) {
    const json codes = done({"train", "chunks", "--run", "codes"});
    std::string calm = *readFile(project_ / "experiments/ngram.toml");
    calm.replace(calm.find("ngram"), 5, "calm");
    std::ofstream(project_ / "experiments/calm.toml") << calm;
    const json trained =
        done({"train", "calm", "--run", "calm", "--set", "model.autoencoder=codes"})["metrics"];
    for (const char* name : {"valid_brier_1", "valid_brier_4", "valid_brierlm", "valid_energy_known_chunk"})
        EXPECT_TRUE(trained.contains(name)) << name;
    EXPECT_FALSE(trained.contains("brier_1"));

    const json all = done({"eval", "calm", "--metrics", "brier", "--save"});
    EXPECT_EQ(all["metrics"].size(), 13U);
    EXPECT_EQ(all["network_calls"], 0) << "no text is written";
    expectConsistent(all["metrics"], "draws:16|estimator:all-pairs|every:4");
    EXPECT_EQ(done({"eval", "calm", "--metrics", "brier"})["metrics"], all["metrics"]) << "the same seed";
    const json one = done({"eval", "calm", "--metrics", "brier-2", "--brier-draws", "4"})["metrics"];
    EXPECT_EQ(one.size(), 1U);
    EXPECT_EQ(one["brier-2"]["signature"], "draws:4|estimator:all-pairs|every:4");
    const json published =
        done({"eval", "calm", "--metrics", "brier", "--brier-two-samples", "--brier-every", "8"})["metrics"];
    expectConsistent(published, "draws:2|estimator:two-samples|every:8");
    EXPECT_LT(published["brier-1"]["n"], all["metrics"]["brier-1"]["n"]);
    EXPECT_TRUE(done({"eval", "calm"})["metrics"].contains("brierlm")) << "it has no likelihood";

    EXPECT_EQ(refused({"eval", "calm", "--metrics", "brier", "--brier-every", "6"})["code"],
              "score.brier_every");
    EXPECT_THAT(refused({"eval", "calm", "--metrics", "nelbo"})["remedy"].get<std::string>(),
                HasSubstr("brier"));
    EXPECT_EQ(run({"eval", "calm", "--metrics", "brier", "--brier-draws", "1", "--quiet"}).code, 2);
    const auto text = run({"eval", "calm", "--metrics", "brier", "--quiet"});
    EXPECT_THAT(text.output, HasSubstr("brierlm"));
    EXPECT_THAT(text.output, HasSubstr("brier-collision-4"));
    EXPECT_EQ(refused({"eval", "codes", "--metrics", "brierlm"})["code"], "score.no_draws");
}

TEST_F(BrierRun, OfATransformerOfTexts) {
    ASSERT_EQ(run({"train", "causal", "--set", "data.kind=text", "--run", "causal", "--quiet"}).code, 0);
    const json every = done({"eval", "causal", "--metrics", "brier"})["metrics"],
               fourth = done({"eval", "causal", "--metrics", "brier", "--brier-every", "4"})["metrics"];
    expectConsistent(every, "estimator:exact|every:1");
    expectConsistent(fourth, "estimator:exact|every:4");
    EXPECT_GT(every["brierlm"]["n"], fourth["brierlm"]["n"]);
    EXPECT_FALSE(done({"eval", "causal"})["metrics"].contains("brierlm"));
}

// Of a CALM the scoring takes most of a point's time.
TEST_F(BrierRun, AnEstimateOfASweepScoresToo) {
    std::ofstream(project_ / "data/short.tsv") << "i\tI\n";
    done({"train", "causal", "--set", "data.kind=text", "--set", "data.valid=data/short.tsv", "--set",
          "eval.every_steps=0", "--run", "causal"});
    EXPECT_EQ(refused({"sweep", "causal", "--grid", "sampler.temperature=1,0.5", "--estimate"})["code"],
              "metric.empty");
}

TEST_F(BrierRun, OthersAreRefused) {
    ASSERT_EQ(run({"train", "text", "--run", "text", "--quiet"}).code, 0);
    const json error = refused({"eval", "text", "--metrics", "brier"});
    EXPECT_EQ(error["code"], "score.no_draws");
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("mdlm"));
    EXPECT_THAT(error["remedy"].get<std::string>(), HasSubstr("calm"));
    ASSERT_EQ(run({"train", "causal", "--run", "pairs", "--quiet"}).code, 0);
    EXPECT_EQ(refused({"eval", "pairs", "--metrics", "brier-1"})["code"], "score.no_draws");
}

TEST_F(BrierRun, TheMetricsAreDescribed) {
    for (const char* id : {"brierlm", "brier-1", "brier-accuracy-4", "brier-collision-2", "valid_brierlm"})
        EXPECT_EQ(done({"describe", "metrics", id})["metrics"][0]["better"],
                  std::string(id).find("collision") == std::string::npos ? "higher" : "lower")
            << id;
}

}  // namespace
}  // namespace kurve::testing
