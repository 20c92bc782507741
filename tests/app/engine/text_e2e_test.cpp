// Texts without a source, from training to trace, through the program.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TextRun : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        const auto trained = run({"train", "text", "--run", "text", "--json", "--quiet"});
        ASSERT_EQ(trained.code, 0) << trained.log;
        metrics_ = trained.json()["metrics"];
    }
    nlohmann::json samples(std::vector<std::string> options) {
        options.insert(options.begin(), {"sample", "text"});
        options.insert(options.end(), {"--json", "--quiet"});
        const auto made = run(options);
        EXPECT_EQ(made.code, 0) << made.log;
        return made.code == 0 ? made.json()["samples"] : nlohmann::json();
    }
    std::string refused(std::vector<std::string> options) {
        options.insert(options.end(), {"--json", "--quiet"});
        const auto made = run(options);
        EXPECT_EQ(made.code, 2) << made.log;
        return made.json()["error"]["code"];
    }
    nlohmann::json metrics_;
};

TEST_F(TextRun, TrainsSamplesTracesAndIsScored) {
    for (const char* name :
         {"valid_nelbo", "valid_bits_per_char", "valid_ppl_bound", "valid_length", "masked_nll"})
        EXPECT_TRUE(metrics_.contains(name)) << name;
    EXPECT_FALSE(metrics_.contains("valid_bleu"));

    const auto free = samples({"--count", "3"});
    ASSERT_EQ(free.size(), 3U);
    EXPECT_EQ(samples({"--count", "3"}), free) << "the same seed";
    const auto prefixed = samples({"--prefix", "in the beginning", "--count", "2"});
    ASSERT_EQ(prefixed.size(), 2U);
    for (const auto& one : prefixed)
        EXPECT_THAT(one["output"].get<std::string>(), ::testing::StartsWith("in the beginning"));
    const auto filled = samples({"--infill", "he [MASK:2] up"});
    EXPECT_THAT(filled[0]["output"].get<std::string>(), ::testing::StartsWith("he"));
    EXPECT_THAT(filled[0]["output"].get<std::string>(), ::testing::EndsWith("up"));

    const auto trace = run({"trace", "text", "--infill", "he [MASK:2] up", "--json", "--quiet"});
    ASSERT_EQ(trace.code, 0) << trace.log;
    EXPECT_EQ(trace.json()["output"], filled[0]["output"]);
    EXPECT_EQ(trace.json()["steps"], 2) << "one for each mask";
    const auto branch = run({"trace", "text", "--branch-of", trace.json()["trace"], "--step", "1", "--edit",
                             R"({"kind":"force","position":2,"token":9})", "--json", "--quiet"});
    EXPECT_EQ(branch.code, 0) << branch.log;

    const auto scored = run({"eval", "text", "--limit", "4", "--json", "--quiet"});
    ASSERT_EQ(scored.code, 0) << scored.log;
    const auto metrics = scored.json()["metrics"];
    EXPECT_NEAR(metrics["ppl_bound"]["value"].get<double>(),
                std::exp(metrics["nelbo"]["value"].get<double>()), 1e-9);
    EXPECT_THAT(metrics["nelbo"]["signature"].get<std::string>(), HasSubstr("exact-count draws:4"));
    EXPECT_TRUE(metrics.contains("distinct-2"));
}

// Four lines of three words fill a block: 16 tokens and </s>, 4 x 9 characters and one for the block's end.
TEST_F(TrainingTest, BitsPerCharacterOfRunningTextCountEachLineEndOnce) {
    for (const char* split : {"train", "valid"}) {
        std::ofstream file(project_ / ("data/lines." + std::string(split)));
        for (int i = 0; i < 40; ++i) file << (i % 3 == 0 ? "aa bb cc\n" : "cc aa dd\n");
    }
    std::ofstream(project_ / "experiments/lines.toml")
        << "family = \"transformer\"\npreset = \"tiny-text\"\n[data]\nkind = \"text\"\nformat = "
           "\"running\"\nblock = 18\ntrain = \"data/lines.train\"\nvalid = \"data/lines.valid\"\n"
           "tokenizer.kind = \"whitespace\"\ntokenizer.vocabulary = 20\n[train]\nsteps = 3\n";
    const auto trained = run({"train", "lines", "--run", "lines", "--quiet"});
    ASSERT_EQ(trained.code, 0) << trained.log;
    const auto scored = run({"eval", "lines", "--metrics", "ppl,bits_per_char", "--json", "--quiet"});
    ASSERT_EQ(scored.code, 0) << scored.log;
    const auto metrics = scored.json()["metrics"];
    EXPECT_NEAR(metrics["bits_per_char"]["value"].get<double>(),
                17 * std::log2(metrics["ppl"]["value"].get<double>()) / (4 * 9 + 1), 1e-6);
}

TEST_F(TextRun, RefusesWhatATextModelHasNot) {
    EXPECT_EQ(refused({"sample", "text", "--input", "in the beginning"}), "prompt.unsupported");
    EXPECT_EQ(refused({"sample", "text", "--infill", "no blank"}), "prompt.no_blank");
    EXPECT_EQ(refused({"sample", "text", "--infill", "he [MASK:0] up"}), "prompt.blank");
    EXPECT_EQ(refused({"eval", "text", "--metrics", "bleu"}), "metric.no_references");
    EXPECT_EQ(refused({"eval", "text", "--metrics", "ppl"}), "score.no_likelihood");
    for (const char* count : {"0", "1000000000000"})
        EXPECT_EQ(run({"sample", "text", "--count", count, "--quiet"}).code, 2) << count;
    std::string tooLong = "he";
    for (int i = 0; i < 200; ++i) tooLong += " went";
    EXPECT_EQ(refused({"sample", "text", "--prefix", tooLong}), "sample.too_long");
    EXPECT_EQ(refused({"train", "small", "--set", "data.kind=text", "--run", "x"}), "config.bad_choice")
        << "a family of pairs";
    EXPECT_EQ(refused({"train", "small", "--set", "data.kind=documents", "--run", "x"}), "config.bad_choice");
    fs::rename(project_ / "data", project_ / "elsewhere");
    EXPECT_EQ(samples({"--count", "2"}).size(), 2U) << "needs no corpus";
}

}  // namespace
}  // namespace kurve::testing
