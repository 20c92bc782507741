// A model of several tokens at once, through the program: its perplexities, texts and dependence.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class NgramRun : public TrainingTest {
protected:
    json trained(const std::vector<std::string>& settings) {
        std::vector<std::string> arguments{"train", "ngram", "--run", "several", "--json", "--quiet"};
        for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        const auto made = run(arguments);
        EXPECT_EQ(made.code, 0) << made.log;
        return made.json();
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
        EXPECT_EQ(made.code, 2) << made.log;
        return made.json()["error"];
    }
    static double valueOf(const json& score) { return score["value"]; }
};

TEST_F(NgramRun, TrainingAndEvalGiveAveragePerplexities) {
    const json metrics = trained({})["metrics"];
    for (const char* name : {"future_nll_1", "future_nll_3", "valid_future_ppl", "valid_future_ppl_1",
                             "valid_future_ppl_3", "valid_future_ppl_geometric", "valid_length"})
        EXPECT_TRUE(metrics.contains(name)) << name;
    EXPECT_FALSE(metrics.contains("future_nll_4"));
    const json scores = done({"eval", "several"})["metrics"];
    double mean = 0, logs = 0;
    for (int j = 1; j <= 3; ++j) {
        const double one = valueOf(scores["future_ppl_" + std::to_string(j)]);
        mean += one / 3;
        logs += std::log(one) / 3;
    }
    EXPECT_NEAR(valueOf(scores["future_ppl"]), mean, 1e-9 * mean);
    EXPECT_NEAR(valueOf(scores["future_ppl_geometric"]), std::exp(logs), 1e-9 * mean);
    EXPECT_THAT(scores["future_ppl"]["signature"].get<std::string>(), HasSubstr("ahead:3"));
    EXPECT_TRUE(scores.contains("distinct-2"));
    EXPECT_EQ(refused({"eval", "several", "--metrics", "future_ppl_4"})["code"], "score.no_future");
    EXPECT_EQ(refused({"eval", "several", "--metrics", "nelbo"})["code"], "score.no_bound");
    const json exact = refused({"eval", "several", "--metrics", "ppl"});
    EXPECT_EQ(exact["code"], "score.no_likelihood");
    EXPECT_THAT(exact["remedy"].get<std::string>(), HasSubstr("future_ppl"));
}

TEST_F(NgramRun, WritesThreeTokensInAStep) {
    trained({});
    const auto prefixed = run({"sample", "several", "--prefix", "in the beginning", "--json", "--quiet"});
    ASSERT_EQ(prefixed.code, 0) << prefixed.log;
    EXPECT_THAT(prefixed.json()["samples"][0]["output"].get<std::string>(),
                ::testing::StartsWith("in the beginning"));
    const json trace = done({"trace", "several", "--unconditional", "--set", "sampler.min_length=8", "--set",
                             "sampler.max_length_b=8"});
    EXPECT_EQ(trace["steps"], 3) << "eight tokens and </s>";
    const auto branch = [&](const char* step) {
        return std::vector<std::string>{
            "trace",  "several", "--branch-of", trace["trace"],
            "--step", step,      "--edit",      R"({"kind":"force","position":5,"token":9})"};
    };
    EXPECT_EQ(done(branch("1"))["steps"], 3) << "position 5 is the second of the second step";
    EXPECT_EQ(refused(branch("0"))["code"], "branch.position");
    EXPECT_EQ(refused({"sample", "several", "--infill", "he [MASK] up"})["code"], "prompt.unsupported");
}

// A run that learned nothing is its own untrained network.
TEST_F(NgramRun, DependenceIsComparedWithTheInitialValues) {
    trained({"train.lr=1e-12", "map.kind=spline"});
    const json found = done({"dependence", "several", "--contexts", "3", "--samples", "20"});
    EXPECT_EQ(found["contexts"], 3);
    for (const char* network : {"trained", "untrained"}) {
        const json& matrix = found[network]["matrix"];
        ASSERT_EQ(matrix.size(), 3U);
        double pairs = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(matrix[i][i].get<double>(), 1, 1e-9);
            for (std::size_t j = 0; j < i; ++j) pairs += matrix[i][j].get<double>() / 3;
        }
        EXPECT_NEAR(valueOf(found[network]["off_diagonal"]), pairs, 1e-9);
        EXPECT_LT(valueOf(found[network]["permuted"]), pairs);
    }
    EXPECT_NEAR(valueOf(found["difference"]["off_diagonal"]), 0, 1e-4);
    const json other = done({"dependence", "several", "--contexts", "3", "--samples", "20", "--seed", "7"});
    EXPECT_NE(other["trained"], found["trained"]);
    const auto text = run({"dependence", "several", "--contexts", "3", "--samples", "20", "--quiet"});
    EXPECT_THAT(text.output, HasSubstr("only differences mean anything"));
    EXPECT_EQ(refused({"dependence", "several", "--split", "test"})["code"], "eval.no_split");
}

TEST_F(NgramRun, OfOneTokenThereIsNoDependence) {
    trained({"ngram.n=1"});
    const json one = refused({"dependence", "several"});
    EXPECT_EQ(one["code"], "dependence.one_token");
    EXPECT_EQ(one["field"], "run");
    EXPECT_FALSE(one["remedy"].get<std::string>().empty());
    ASSERT_EQ(run({"train", "causal", "--run", "causal", "--quiet"}).code, 0);
    EXPECT_EQ(refused({"dependence", "causal"})["code"], "dependence.one_token");
    EXPECT_EQ(refused({"dependence", "causal", "--samples", "1"})["code"].is_null(), false);
}

}  // namespace
}  // namespace kurve::testing
