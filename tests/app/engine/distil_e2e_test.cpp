#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/base/file.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

class DistilTest : public ::testing::Test {
protected:
    void SetUp() override {
        makeSmallProject(project_.path());
        ASSERT_EQ(run({"train", "experiments/small.toml", "--run", "teacher", "--quiet"}).code, 0);
    }
    [[nodiscard]] EngineResult run(const std::vector<std::string>& arguments) const {
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] std::string corpus(const std::string& name) const {
        const auto text = readFile(project_ / ("data/" + name + ".train.tsv"));
        return text ? *text : "missing";
    }
    TemporaryFolder project_;
};

// An untrained teacher writes nonsense of any length, so nothing may be left out for its length here.
const std::vector<std::string> kAll = {"--ratio", "1000", "--quiet", "--json", "--set", "sampler.steps=2"};

std::vector<std::string> distil(const std::string& name) {
    std::vector<std::string> arguments{"distil", "teacher", "--split", "train", "--name", name};
    arguments.insert(arguments.end(), kAll.begin(), kAll.end());
    return arguments;
}

TEST_F(DistilTest, MakesACorpusThatAStudentTrainsOn) {
    const auto made = run(distil("kd"));
    ASSERT_EQ(made.code, 0) << made.log;
    const auto document = made.json();
    EXPECT_EQ(document["file"], "data/kd.train.tsv");
    EXPECT_EQ(document["decoded"], document["total"]);
    const auto& tried = document["tried"];
    ASSERT_GE(tried.size(), 2U) << document.dump();
    EXPECT_EQ(tried.back()["weights"], "best");
    double highest = -1;
    std::string best;
    for (const auto& one : tried)
        if (one["valid_bleu"] > highest) {
            highest = one["valid_bleu"];
            best = one["weights"];
        }
    const std::size_t parts = best == "best" ? 0 : std::stoul(best.substr(3));
    EXPECT_EQ(document.value("averaged", nlohmann::json::array()).size(), parts) << document.dump();
    EXPECT_EQ(run(distil("kd")).json()["error"]["code"], "data.exists");
    const auto about = nlohmann::json::parse(*readFile(project_ / "data/kd.corpus.json"));
    EXPECT_EQ(about["distilled"]["run"], "teacher");
    const auto student =
        run({"train", "experiments/small.toml", "--run", "student", "--quiet", "--json", "--set",
             "data.distilled=true", "--set", "data.distilled_train=data/kd.train.tsv"});
    ASSERT_EQ(student.code, 0) << student.log;
    EXPECT_EQ(run({"verify", "--quiet"}).code, 0);
    const auto raw = run({"train", "experiments/small.toml", "--run", "raw", "--quiet", "--json"});
    EXPECT_NE(student.json()["metrics"]["loss"], raw.json()["metrics"]["loss"]) << "trained on other targets";
    const auto without =
        run({"train", "experiments/small.toml", "--quiet", "--json", "--set", "data.distilled=true"});
    EXPECT_EQ(without.json()["error"]["code"], "data.distilled_missing");
    EXPECT_EQ(without.json()["error"]["field"], "data.distilled_train");
}

TEST_F(DistilTest, ComparesTeachersWithReferencesAsTheTokenizerWritesThem) {
    for (const char* file : {"data/lord.train.tsv", "data/lord.valid.tsv"}) {
        std::ofstream pairs(project_ / file);
        for (int i = 0; i < 100; ++i) pairs << "i am the lord\tI Am The Lord\n";
    }
    const auto trained =
        run({"train", "causal", "--run", "lord", "--quiet", "--set", "data.train=data/lord.train.tsv",
             "--set", "data.valid=data/lord.valid.tsv", "--set", "data.tokenizer.lower_case=true", "--set",
             "data.tokenizer.kind=word", "--set", "train.steps=60", "--set", "train.lr=0.01"});
    ASSERT_EQ(trained.code, 0) << trained.log;
    const auto made = run({"distil", "lord", "--split", "train", "--name", "lord-kd", "--quiet", "--json"});
    ASSERT_EQ(made.code, 0) << made.log;
    EXPECT_GT(made.json()["tried"].back()["valid_bleu"], 99) << "it writes “i am the lord”";
}

TEST_F(DistilTest, GoesOnAfterAKillAsIfNothingHadHappened) {
    ASSERT_EQ(run(distil("whole")).code, 0);
    // What a killed job leaves: whole blocks, then a torn line. The first job's file is gone, so a second one
    // is stopped early by a disk that takes no corpus.
    std::filesystem::create_directories(project_ / "data/torn.train.tsv/occupied");
    const auto failed = run(distil("torn"));
    EXPECT_EQ(failed.json()["error"]["code"], "io.write") << failed.log;
    const auto kept = readFile(project_ / "data/.torn.distil");
    ASSERT_TRUE(kept) << "what was decoded is not lost";
    std::ofstream(project_ / "data/.torn.distil", std::ios::binary) << kept->substr(0, kept->size() - 9);
    std::filesystem::remove_all(project_ / "data/torn.train.tsv");
    const auto made = run(distil("torn"));
    ASSERT_EQ(made.code, 0) << made.log;
    EXPECT_EQ(made.json()["known"].get<int>() % 64, 0);
    EXPECT_GT(made.json()["known"], 0);
    EXPECT_LT(made.json()["known"], made.json()["total"]);
    EXPECT_EQ(corpus("torn"), corpus("whole"));
    EXPECT_FALSE(std::filesystem::exists(project_ / "data/.torn.distil"));
}

}  // namespace
}  // namespace kurve::testing
