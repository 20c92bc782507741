// What a run decodes with where nobody says otherwise: kurve default-sampler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/store/default_sampler.h"
#include "core/store/evaluations.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DefaultSamplerTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--max-steps", "2"}).code, 0);
    }
    /// The steps that `kurve sample a …` decodes with; the experiment says 4.
    [[nodiscard]] int steps(std::vector<std::string> more = {}) const {
        std::vector<std::string> all{"sample", "a", "--count", "1", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        const auto sample = run(all);
        EXPECT_EQ(sample.code, 0) << sample.log;
        return sample.json()["sampler"]["steps"].get<int>();
    }
};

TEST_F(DefaultSamplerTest, HoldsForSampleTraceAndEvalUntilItIsDropped) {
    EXPECT_EQ(steps(), 4);
    const auto set = run({"default-sampler", "a", "--set", "sampler.steps=2", "--json"});
    ASSERT_EQ(set.code, 0) << set.log;
    EXPECT_EQ(set.json()["settings"]["sampler.steps"], "2");
    EXPECT_EQ(steps(), 2);
    EXPECT_EQ(steps({"--set", "sampler.steps=3"}), 3) << "what is said in the command goes first";
    EXPECT_EQ(steps({"--own-sampler"}), 4);
    EXPECT_THAT(run({"sample", "a", "--count", "1"}).log, HasSubstr("default sampler: steps=2"));
    EXPECT_EQ(run({"trace", "a", "--input", "he went", "--json", "--summary"}).json()["steps"],
              run({"trace", "a", "--input", "he went", "--json", "--summary", "--own-sampler", "--set",
                   "sampler.steps=2"})
                  .json()["steps"]);
    const auto scored = run({"eval", "a", "--metrics", "chrf", "--json", "--save"});
    EXPECT_EQ(scored.json()["sampler"]["sampler.steps"], "2") << "the score says what it was decoded with";
    EXPECT_FALSE(
        run({"eval", "a", "--metrics", "chrf", "--json", "--own-sampler"}).json().contains("sampler"));
    ASSERT_EQ(run({"default-sampler", "a", "--clear"}).code, 0);
    EXPECT_EQ(steps(), 4);
}

TEST_F(DefaultSamplerTest, AScoreOfAnotherSeedStandsBesideTheRunsOwn) {
    const auto seeded = [&](const char* seed) {
        return run({"eval", "a", "--metrics", "chrf", "--json", "--save", "--seed", seed}).json();
    };
    EXPECT_FALSE(seeded("1").contains("sampler")) << "the seed of the experiment";
    EXPECT_EQ(seeded("7")["sampler"]["seed"], 7);
    const auto numbers = store::evaluatedNumbers(runFolder("a"));
    EXPECT_TRUE(numbers.contains("eval_valid_chrf"));
    EXPECT_TRUE(numbers.contains("eval_valid_chrf@seed=7"));
}

TEST_F(DefaultSamplerTest, ASweepVariesTheRunsOwnSettings) {
    const std::vector<std::string> sweep{"sweep",   "a", "--grid", "sampler.noise_beam=1", "--limit", "3",
                                         "--seeds", "2", "--json"};
    const auto before = run(sweep);
    ASSERT_EQ(before.code, 0) << before.log;
    ASSERT_EQ(run({"default-sampler", "a", "--set", "sampler.steps=2"}).code, 0);
    EXPECT_EQ(run(sweep).json()["cached"], 1) << "the same point";
}

TEST_F(DefaultSamplerTest, RefusesWhatTheRunCannotDecodeWith) {
    const auto unknown = run({"default-sampler", "a", "--set", "sampler.stepz=2"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.log, HasSubstr("sampler.steps"));
    EXPECT_EQ(run({"default-sampler", "a", "--set", "train.lr=1"}).code, 2);
    EXPECT_EQ(run({"default-sampler", "a", "--set", "sampler.steps=2", "--clear"}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(store::defaultSamplerFile(runFolder("a"))));
}

TEST_F(DefaultSamplerTest, ADamagedOrForeignDefaultStopsTheCommandByName) {
    std::ofstream(store::defaultSamplerFile(runFolder("a"))) << "{";
    const auto damaged = run({"sample", "a", "--count", "1"});
    EXPECT_NE(damaged.code, 0);
    EXPECT_THAT(damaged.log, HasSubstr("sampler.json"));
    std::ofstream(store::defaultSamplerFile(runFolder("a")))
        << R"({"settings": {"sampler.top_k": "5"}})";  // no setting of this family
    const auto foreign = run({"sample", "a", "--count", "1"});
    EXPECT_NE(foreign.code, 0);
    EXPECT_THAT(foreign.log, HasSubstr("sampler.json"));
    EXPECT_THAT(foreign.log, HasSubstr("--clear"));
    EXPECT_THAT(run({"sample", "a", "--count", "1", "--own-sampler"}).log, Not(HasSubstr("sampler.json")));
    ASSERT_EQ(run({"default-sampler", "a", "--clear"}).code, 0);
    EXPECT_EQ(steps(), 4);
}

}  // namespace
}  // namespace kurve::testing
