// Scores of a run in the run list, and what its files take on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/store/disk_use.h"
#include "core/store/evaluations.h"
#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "tests/core/store/project_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using testing::TemporaryFolder;

nlohmann::json evaluation(const char* split, const char* checkpoint, double bleu) {
    return {{"split", split}, {"checkpoint", checkpoint}, {"metrics", {{"bleu", {{"value", bleu}}}}}};
}

TEST(Evaluations, BecomeNumbersOfTheRunTheNewestFirst) {
    const TemporaryFolder folder;
    const Project project = projectIn(folder.path());
    makeRun(project, "r", {{"state", "completed"}});
    const auto index = indexOf(project);
    EXPECT_FALSE(runOf(*index, "r").metrics.contains("eval_test_bleu"));
    const auto run = project.runFolder("r");
    ASSERT_TRUE(saveEvaluation(run, evaluation("test", "last", 30)));
    ASSERT_TRUE(saveEvaluation(run, evaluation("valid", "last", 40)));
    ASSERT_TRUE(saveEvaluation(run, evaluation("test", "best", 31)));
    std::ofstream(run / "evaluations/torn.json") << "{";
    ASSERT_TRUE(index->refresh());
    const auto metrics = runOf(*index, "r").metrics;
    EXPECT_EQ(metrics.at("eval_test_bleu"), 31);
    EXPECT_EQ(metrics.at("eval_valid_bleu"), 40);
    EXPECT_TRUE(RunFilter::parse("eval_test_bleu>30.5")->matches(runOf(*index, "r")));
}

TEST(Evaluations, WithOtherSettingsStandBesideTheRunsOwn) {
    const TemporaryFolder folder;
    const Project project = projectIn(folder.path());
    makeRun(project, "r", {{"state", "completed"}});
    const auto run = project.runFolder("r");
    auto warm = evaluation("test", "last", 20), cold = evaluation("test", "last", 25);
    warm["sampler"] = {{"sampler.temperature", "0.7"}, {"sampler.method", "sample"}};
    cold["sampler"] = {{"sampler.temperature", "0.1"}};
    ASSERT_TRUE(saveEvaluation(run, evaluation("test", "last", 30)));
    ASSERT_TRUE(saveEvaluation(run, warm));
    ASSERT_TRUE(saveEvaluation(run, cold));
    EXPECT_EQ(evaluatedNumbers(run),
              (std::map<std::string, double>{{"eval_test_bleu", 30},
                                             {"eval_test_bleu@method=sample,temperature=0.7", 20},
                                             {"eval_test_bleu@temperature=0.1", 25}}));
    warm["metrics"]["bleu"]["value"] = 21;
    ASSERT_TRUE(saveEvaluation(run, warm));
    EXPECT_EQ(storedEvaluations(run).size(), 3U) << "the same settings once more replace their own";
}

// Places four tokens apart and next to each other are other questions.
TEST(Evaluations, OfBrierNameHowFarApartTheirPlacesAre) {
    const TemporaryFolder folder;
    makeRun(projectIn(folder.path()), "r", {{"state", "completed"}});
    const auto run = projectIn(folder.path()).runFolder("r");
    auto drawn = evaluation("test", "last", 30);
    drawn["metrics"]["brierlm"] = {{"value", 5}, {"signature", "estimator:exact|every:4|temperature:0.5"}};
    ASSERT_TRUE(saveEvaluation(run, drawn));
    drawn["limit"] = 10;
    drawn["metrics"] = {{"brierlm", {{"value", 6}, {"signature", "estimator:exact|every:1"}}}};
    ASSERT_TRUE(saveEvaluation(run, drawn));
    EXPECT_EQ(evaluatedNumbers(run),
              (std::map<std::string, double>{{"eval_test_bleu", 30},
                                             {"eval_test_brierlm@every=4", 5},
                                             {"eval_test_brierlm@every=1,limit=10", 6}}));
    RunSummary summary;
    summary.metrics = evaluatedNumbers(run);
    EXPECT_TRUE(RunFilter::parse("eval_test_brierlm@limit=10,every=1>5")->matches(summary));
}

TEST(Evaluations, OfBrierStandBesideThoseOfOtherPlacesOfTheSameWeights) {
    const TemporaryFolder folder;
    makeRun(projectIn(folder.path()), "r", {{"state", "completed"}});
    const auto run = projectIn(folder.path()).runFolder("r");
    const auto save = [&](const char* signature, double brierlm, double bleu) {
        auto document = evaluation("test", "last", bleu);
        document["checkpoint_sha256"] = "aa";
        document["metrics"]["brierlm"] = {{"value", brierlm}, {"signature", signature}};
        ASSERT_TRUE(saveEvaluation(run, document));
    };
    save("estimator:exact|every:4", 5, 30);
    save("estimator:exact|every:1", 6, 31);
    EXPECT_EQ(evaluatedNumbers(run), (std::map<std::string, double>{{"eval_test_bleu", 31},
                                                                    {"eval_test_brierlm@every=1", 6},
                                                                    {"eval_test_brierlm@every=4", 5}}));
    save("estimator:exact|every:4", 7, 31);
    EXPECT_EQ(storedEvaluations(run).size(), 3U);
    EXPECT_EQ(evaluatedNumbers(run).at("eval_test_brierlm@every=4"), 7);
}

// Anybody may have written what lies in the folder.
TEST(Evaluations, AreReadWhateverTheirMembersHold) {
    const TemporaryFolder folder;
    makeRun(projectIn(folder.path()), "r", {{"state", "completed"}});
    const auto run = projectIn(folder.path()).runFolder("r");
    ASSERT_TRUE(saveEvaluation(run, evaluation("valid", "last", 1)));
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    for (const std::string wrong : {"null", "3", "[]", "{}", "true", deep.c_str()})
        for (const char* member : {"signature", "value", "limit", "sampler", "split", "metrics"}) {
            auto document = evaluation("test", "last", 30);
            document["metrics"]["bleu"]["signature"] = "x";
            document["limit"] = "x";
            document["sampler"] = "x";
            const bool inScore = member == std::string("signature") || member == std::string("value");
            (inScore ? document["metrics"]["bleu"] : document)[member] = "WRONG";
            std::string text = document.dump();
            text.replace(text.find("\"WRONG\""), 7, wrong);
            std::ofstream(run / "evaluations/edited.json") << text;
            EXPECT_EQ(evaluatedNumbers(run).at("eval_valid_bleu"), 1) << member << ' ' << wrong.substr(0, 9);
        }
}

TEST(Evaluations, NamesOfTheirNumbersAreTakenApart) {
    const auto name = scoreName("eval_test_self_bleu@every=4,temperature=0.7");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->split, "test");
    EXPECT_EQ(name->metric, "self_bleu");
    EXPECT_EQ(name->settings, "every=4,temperature=0.7");
    EXPECT_EQ(scoreName("eval_valid_bleu")->metric, "bleu");
    EXPECT_EQ(scoreName("eval_valid_bleu")->settings, "");
    for (const char* other : {"valid_bleu", "eval_", "eval_ratio", "bleu", ""})
        EXPECT_FALSE(scoreName(other));
}

TEST(Evaluations, OfOtherMetricsOfTheSameWeightsAreKept) {
    const TemporaryFolder folder;
    makeRun(projectIn(folder.path()), "r", {{"state", "completed"}});
    const auto run = projectIn(folder.path()).runFolder("r");
    auto bleu = evaluation("test", "last", 30), ppl = evaluation("test", "last", 0);
    ppl["metrics"] = {{"ppl", {{"value", 9}}}};
    for (auto* document : {&bleu, &ppl}) (*document)["checkpoint_sha256"] = "aa";
    using Numbers = std::map<std::string, double>;
    ASSERT_TRUE(saveEvaluation(run, bleu));
    ASSERT_TRUE(saveEvaluation(run, ppl));
    EXPECT_EQ(evaluatedNumbers(run), (Numbers{{"eval_test_bleu", 30}, {"eval_test_ppl", 9}}));
    auto quick = bleu;
    quick["limit"] = 10;
    quick["metrics"]["bleu"]["value"] = 50;
    ASSERT_TRUE(saveEvaluation(run, quick));
    EXPECT_EQ(evaluatedNumbers(run),
              (Numbers{{"eval_test_bleu", 30}, {"eval_test_ppl", 9}, {"eval_test_bleu@limit=10", 50}}))
        << "of the first ten pairs only";
    bleu["checkpoint_sha256"] = "bb";
    ASSERT_TRUE(saveEvaluation(run, bleu));
    EXPECT_EQ(evaluatedNumbers(run), (Numbers{{"eval_test_bleu", 30}, {"eval_test_bleu@limit=10", 50}}))
        << "other weights of the same name";
    quick["scorer"] = "one";
    ASSERT_TRUE(saveEvaluation(run, quick));
    quick["scorer"] = "two";
    quick["metrics"] = {{"gen_ppl", {{"value", 4}}}};
    ASSERT_TRUE(saveEvaluation(run, quick));
    EXPECT_EQ(evaluatedNumbers(run).at("eval_test_bleu@limit=10"), 50) << "which no scorer gave";
}

// The file of a score that is kept is written anew with those that join it.
TEST(Evaluations, TheScoreSavedLastCountsWhicheverFileIsTheNewest) {
    const TemporaryFolder folder;
    makeRun(projectIn(folder.path()), "r", {{"state", "completed"}});
    const auto run = projectIn(folder.path()).runFolder("r");
    const auto save = [&](const char* checkpoint, const char* metric, const nlohmann::json& value) {
        ASSERT_TRUE(saveEvaluation(run, {{"split", "valid"},
                                         {"checkpoint", checkpoint},
                                         {"checkpoint_sha256", checkpoint},
                                         {"metrics", {{metric, {{"value", value}}}}}}));
    };
    save("a", "bleu", 20);
    save("b", "bleu", 30);
    save("a", "chrf", 40);
    using Numbers = std::map<std::string, double>;
    EXPECT_EQ(evaluatedNumbers(run), (Numbers{{"eval_valid_bleu", 30}, {"eval_valid_chrf", 40}}));
    save("a", "ppl", 9);
    save("b", "ppl", "inf");
    EXPECT_EQ(evaluatedNumbers(run), (Numbers{{"eval_valid_bleu", 30}, {"eval_valid_chrf", 40}}))
        << "the older 9 is not the newest perplexity";
}

TEST(Evaluations, OfAnotherScorerStandBesideThoseOfTheFirst) {
    const TemporaryFolder folder;
    makeRun(projectIn(folder.path()), "r", {{"state", "completed"}});
    const auto run = projectIn(folder.path()).runFolder("r");
    const auto save = [&](const char* scorer, const std::vector<std::string>& metrics, double value) {
        nlohmann::json document{{"split", "test"}, {"checkpoint", "last"}, {"checkpoint_sha256", "aa"}};
        for (const auto& metric : metrics) document["metrics"][metric] = {{"value", value}};
        document["scorer"] = scorer;
        ASSERT_TRUE(saveEvaluation(run, document));
    };
    save("lm step-00000400 ab", {"chrf", "gen_ppl", "mauve"}, 1);
    save("lm step-00000400 ab", {"mauve"}, 2);
    save("lm step-00000800 cd", {"gen_ppl"}, 3);
    const std::map<std::string, double> both{{"eval_test_chrf", 1},
                                             {"eval_test_gen_ppl@scorer=lm@step-00000400", 1},
                                             {"eval_test_gen_ppl@scorer=lm@step-00000800", 3},
                                             {"eval_test_mauve@scorer=lm@step-00000400", 2}};
    EXPECT_EQ(evaluatedNumbers(run), both);
    save("lm step-00000400 ef", {"gen_ppl"}, 4);
    EXPECT_EQ(evaluatedNumbers(run).size(), 3U) << "mauve was by other weights of that name";
    RunSummary summary;
    summary.metrics = both;
    EXPECT_TRUE(RunFilter::parse("eval_test_gen_ppl@scorer=lm@step-00000800>2")->matches(summary));
}

void fill(const std::filesystem::path& file, std::size_t bytes) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << std::string(bytes, 'x');
}

TEST(DiskUse, SeparatesCheckpointsFromTracesAndWhatIsReclaimable) {
    const TemporaryFolder folder;
    const Project project = projectIn(folder.path());
    makeRun(project, "small", {{"state", "completed"}});
    {
        auto writer = RunWriter::open(project.runFolder("large"));
        ASSERT_TRUE(writer);
        const double metrics[] = {1, 5, 3, 2, 4};  // the first is the lowest, the second the highest
        for (int i = 0; i < 5; ++i) {
            CheckpointRow row;
            row.step = 10 * (i + 1);
            row.path = RunFile("checkpoints/" + std::to_string(i));
            row.metric = metrics[i];
            row.bytes = 1000;
            row.pinned = i == 3;
            (*writer)->checkpoint(row);
            fill(project.runFolder("large") / row.path.text() / "model.safetensors", 1000);
        }
        ASSERT_TRUE((*writer)->flush());
    }
    fill(project.runFolder("large") / "traces/a.safetensors", 300);
    fill(project.runFolder("large") / "traces/b.safetensors", 200);
    const auto use = diskUse(project, *indexOf(project)->runs());
    ASSERT_EQ(use.size(), 2U);
    EXPECT_EQ(use[0].run, "large");
    EXPECT_EQ(use[0].checkpoints, 5000);
    EXPECT_EQ(use[0].traces, 500);
    EXPECT_EQ(use[0].spare, 1000) << "neither newest (4) nor an end of the metric (0, 1) nor pinned (3)";
    EXPECT_GT(use[0].rest, 0);
    ASSERT_EQ(use[0].files.size(), 2U);
    EXPECT_EQ(use[0].files[1].file, "traces/b.safetensors");
    EXPECT_EQ(use[1].traces, 0);
    const auto spare = [&] { return diskUse(project, *indexOf(project)->runs())[0].spare; };
    RunWriter::open(project.runFolder("large")).value()->set("machine", "gpu");
    EXPECT_EQ(spare(), 0) << "those of a copy are pruned on its machine";
    RunWriter::open(project.runFolder("large")).value()->beginSegment(60, "resumed");
    EXPECT_EQ(spare(), 1000);
    std::filesystem::remove_all(project.runFolder("large") / "checkpoints/2");
    EXPECT_EQ(spare(), 0) << "the one that would have gone is not here";
}

TEST(DiskUse, OfARunIsReadAgainWhenACheckpointWasFetched) {
    const TemporaryFolder folder;
    const Project project = projectIn(folder.path());
    makeRun(project, "copy", {{"state", "completed"}});
    const auto index = indexOf(project);
    const auto before = runOf(*index, "copy").bytes;
    fill(project.runFolder("copy") / "checkpoints/1/weights.safetensors", 5000);
    EXPECT_THAT(*index->refresh(), ::testing::ElementsAre("copy")) << "though run.db did not change";
    EXPECT_EQ(runOf(*index, "copy").bytes, before + 5000);
}

}  // namespace
}  // namespace kurve::store
