// `kurve sweep` on a model of a dozen steps: the numbers mean nothing, their bookkeeping does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <set>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/frontier/sweep_point.h"
#include "core/trace/trace.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SweepTest : public ::testing::Test {
protected:
    void SetUp() override {
        makeSmallProject(project_.path());
        ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    }
    [[nodiscard]] EngineResult run(const std::vector<std::string>& arguments) const {
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] EngineResult sweep(const std::string& grid, std::vector<std::string> more = {}) const {
        std::vector<std::string> all{"sweep", "a", "--grid", grid, "--limit", "6", "--seeds", "2", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return run(all);
    }
    TemporaryFolder project_;
};

TEST_F(SweepTest, ComputesEveryPointOnce) {
    const auto first = sweep("sampler.steps=1,2,4");
    ASSERT_EQ(first.code, 0) << first.log;
    EXPECT_EQ(first.json()["computed"], 3);
    EXPECT_THAT(first.json()["points"], SizeIs(3));
    const auto again = sweep("sampler.steps=1,2,4,8");
    EXPECT_EQ(again.json()["computed"], 1);
    EXPECT_EQ(again.json()["cached"], 3);
    const auto document = first.json();
    for (const auto& point : document["points"])
        EXPECT_THAT(again.json()["points"], ::testing::Contains(point));
    EXPECT_EQ(sweep("sampler.steps=1", {"--force"}).json()["computed"], 1);
    EXPECT_EQ(sweep("sampler.steps=1", {"--split", "valid", "--seed", "9"}).json()["computed"], 1);
    EXPECT_THAT(frontier::loadPoints(project_ / "runs/a").points, SizeIs(5));
    const auto both = sweep("sampler.steps=1,2", {"--grid", "sampler.noise_factor=1"}).json();
    EXPECT_EQ(both["cached"], 2) << "the run's own factor";
    for (const auto& point : both["points"]) EXPECT_EQ(point["settings"].size(), 2U) << "those of this grid";
}

// Whoever uses the point's settings decodes as it was decoded.
TEST_F(SweepTest, SettingsOfAPointHaveThoseOfSet) {
    const auto swept = sweep("sampler.steps=2,4", {"--set", "sampler.noise_factor=3", "--set",
                                                   "sampler.noise_factor=2", "--set", "sampler.steps=8"});
    ASSERT_EQ(swept.code, 0) << swept.log;
    EXPECT_EQ(swept.json()["points"][0]["settings"],
              json({{"sampler.noise_factor", "2"}, {"sampler.steps", "2"}}));
    const auto stored = frontier::loadPoints(project_ / "runs/a").points;
    for (const auto& point : stored) EXPECT_EQ(point.settings.at("sampler.noise_factor"), "2");
    EXPECT_EQ(sweep("sampler.steps=2", {"--grid", "sampler.noise_factor=2"}).json()["cached"], 1)
        << "the same point";
}

// The trace of a point's text has the text as its output.
TEST_F(SweepTest, ATextOfAPointCanBeDenoisedAgain) {
    const json point = sweep("sampler.steps=4").json()["points"][0];
    EngineProcess engine({"sample", "a", "--serve", "--own-sampler"}, project_.path());
    std::set<std::uint64_t> rows;
    for (const json& text : point["texts"])
        for (std::size_t draw = 0; draw < 2; ++draw) {
            const std::uint64_t row = text["noise"]["row"];
            rows.insert(row);
            const auto seed =
                point["seeds"][draw].get<std::uint64_t>() + text["noise"]["seed_offset"].get<std::uint64_t>();
            engine.send({{"type", "trace"},
                         {"input", text["source"]},
                         {"sampler", {{"steps", 4}}},
                         {"seed", seed},
                         {"row", row}});
            ASSERT_TRUE(engine.waitForType("traced"));
            const json said = engine.found();
            EXPECT_EQ(said["output"], text["outputs"][draw]) << text["source"] << " row " << row;
            if (draw > 0 || row == 0) continue;
            engine.send(
                {{"type", "branch"}, {"parent", said["trace"]}, {"step", 1}, {"edits", json::array()}});
            ASSERT_TRUE(engine.waitForType("traced"));
            EXPECT_EQ(engine.found()["output"], said["output"]) << "a branch has the noise of its parent";
        }
    EXPECT_EQ(rows, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5}));
    // So small a model writes the same whatever it draws; its latents tell the rows apart.
    std::vector<std::vector<float>> latents;
    for (const int row : {0, 3, 3}) {
        engine.send({{"type", "trace"}, {"input", "in the beginning"}, {"row", row}, {"what", {"latent"}}});
        ASSERT_TRUE(engine.waitForType("traced"));
        const auto recorded = trace::readTrace(engine.found()["file"].get<std::string>());
        ASSERT_TRUE(recorded) << recorded.error().text();
        latents.push_back(recorded->block("latent")->data);
    }
    EXPECT_NE(latents[0], latents[1]);
    EXPECT_EQ(latents[1], latents[2]);
    engine.send({{"type", "trace"}, {"input", "x"}, {"row", "first"}});
    ASSERT_TRUE(engine.waitForType("error"));
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

TEST_F(SweepTest, RefusesADiversityWhereLessIsBetter) {
    const auto refused = sweep("sampler.steps=1", {"--diversity", "self-bleu"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, HasSubstr("less is better: self-bleu"));
    EXPECT_THAT(refused.log, HasSubstr("one-minus-self-bleu"));
    EXPECT_NE(sweep("sampler.steps=1", {"--diversity", "reps_word"}).code, 0);
    const auto samples = sweep("sampler.steps=1", {"--diversity", "div-4"});
    EXPECT_EQ(samples.code, 2);
    EXPECT_THAT(samples.log, HasSubstr("div-4 compares samples"));
}

// The numbers of a point are those of the commands that exist: sample with each seed, then score.
TEST_F(SweepTest, AgreesWithSampleAndScore) {
    const json point = sweep("sampler.steps=2", {"--seed", "5"}).json()["points"][0];
    std::vector<double> bleu;
    std::vector<std::string> files;
    for (const char* seed : {"5", "6"}) {
        const auto samples =
            run({"sample", "a", "--count", "6", "--seed", seed, "--set", "sampler.steps=2", "--json"}).json();
        std::string hypotheses, references;
        for (const auto& sample : samples["samples"]) {
            hypotheses += sample["output"].get<std::string>() + "\n";
            references += sample["reference"].get<std::string>() + "\n";
        }
        files.push_back("hyp" + std::string(seed));
        std::ofstream(project_ / files.back()) << hypotheses;
        std::ofstream(project_ / "ref") << references;
        bleu.push_back(run({"score", "bleu", "--hyp", files.back(), "--ref", "ref", "--json"})
                           .json()["value"]
                           .get<double>());
    }
    EXPECT_NEAR(point["quality"]["bleu"]["by_seed"][0].get<double>(), bleu[0], 1e-9);
    EXPECT_NEAR(point["quality"]["bleu"]["value"].get<double>(), (bleu[0] + bleu[1]) / 2, 1e-9);
    const json between = run({"score", "self-bleu", "--hyp", files[0], "--ref", files[1], "--json"}).json();
    EXPECT_NEAR(point["diversity"]["one-minus-self-bleu"]["value"].get<double>(),
                1 - between["value"].get<double>() / 100, 1e-9);
}

// The scorer is another run; gen_ppl of a point is what score ppl says of the same texts.
TEST_F(SweepTest, AScorerScoresThePoints) {
    ASSERT_EQ(
        run({"train", "causal", "--run", "scorer", "--quiet", "--set", "model.max_positions=1000"}).code, 0);
    EXPECT_THAT(sweep("sampler.steps=2", {"--quality", "chrf,gen_ppl"}).log, HasSubstr("--scorer RUN"));
    EXPECT_THAT(sweep("sampler.steps=2", {"--quality", "gen_ppl", "--scorer", "scorer"}).log,
                HasSubstr("rewards repetition"));
    EXPECT_THAT(sweep("sampler.steps=2", {"--scorer", "a"}).log, HasSubstr("is of the family difformer"));
    const auto swept = sweep("sampler.steps=2", {"--seed", "5", "--scorer", "scorer"});
    ASSERT_EQ(swept.code, 0) << swept.log;
    const json point = swept.json()["points"][0];
    EXPECT_THAT(point["scorer"].get<std::string>(), ::testing::StartsWith("scorer step-"));
    EXPECT_TRUE(point["diversity"].contains("entropy"));
    const auto samples =
        run({"sample", "a", "--count", "6", "--seed", "5", "--set", "sampler.steps=2", "--json"}).json();
    std::string hypotheses, references, sources;
    for (const auto& sample : samples["samples"]) {
        hypotheses += sample["output"].get<std::string>() + "\n";
        references += sample["reference"].get<std::string>() + "\n";
        sources += sample["input"].get<std::string>() + "\n";
    }
    std::ofstream(project_ / "hyp") << hypotheses;
    std::ofstream(project_ / "ref") << references;
    std::ofstream(project_ / "src") << sources;
    const auto ppl = [&](const char* file) {
        return run({"score", "ppl", "--run", "scorer", "--checkpoint", "best", "--src", "src", "--hyp", file,
                    "--json"})
            .json()["value"]
            .get<double>();
    };
    const json& perplexity = point["quality"]["gen_ppl"];
    EXPECT_NEAR(perplexity["by_seed"][0].get<double>(), ppl("hyp"), 1e-4 * ppl("hyp"));
    EXPECT_LE(perplexity["ci95"][0].get<double>(), perplexity["value"].get<double>());
    EXPECT_LE(perplexity["value"].get<double>(), perplexity["ci95"][1].get<double>());
    EXPECT_NEAR(point["reference_quality"]["gen_ppl"].get<double>(), ppl("ref"), 1e-4 * ppl("ref"));
    EXPECT_NEAR(point["reference_quality"]["mauve"].get<double>(), 1, 1e-9) << "of themselves";
    EXPECT_LE(point["quality"]["mauve"]["value"].get<double>(), 1);
    EXPECT_EQ(sweep("sampler.steps=2", {"--seed", "5", "--scorer", "scorer"}).json()["cached"], 1);
    const auto scored = run({"eval", "a", "--limit", "6", "--seed", "5", "--set", "sampler.steps=2",
                             "--metrics", "gen_ppl,mauve", "--scorer", "scorer", "--json"});
    ASSERT_EQ(scored.code, 0) << scored.log;
    const json metrics = scored.json()["metrics"];
    EXPECT_NEAR(metrics["gen_ppl"]["value"].get<double>(), ppl("hyp"), 1e-4 * ppl("hyp"));
    EXPECT_TRUE(metrics.contains("entropy")) << "never alone";
    EXPECT_NEAR(metrics["mauve"]["value"].get<double>(),
                point["quality"]["mauve"]["by_seed"][0].get<double>(), 1e-6);
}

TEST_F(SweepTest, NamesSettingsThatChangeNothing) {
    ASSERT_EQ(run({"train", "causal", "--run", "c", "--quiet"}).code, 0);
    const auto swept = [&](const std::string& method) {
        return run({"sweep", "c", "--grid", "sampler.temperature=0.5,2", "--grid", "sampler.method=" + method,
                    "--limit", "6", "--seeds", "2", "--json"})
            .json()["without_effect"];
    };
    EXPECT_EQ(swept("beam"), json({"sampler.temperature"}));
    EXPECT_EQ(swept("sample"), json::array());
}

TEST_F(SweepTest, StopsOnRequestAndContinues) {
    EngineProcess process(
        {"sweep", "a", "--grid", "sampler.steps=1..40", "--limit", "6", "--seeds", "2", "--events"},
        project_.path());
    ASSERT_TRUE(process.waitForType("swept"));
    process.signal(SIGINT);
    EXPECT_EQ(process.finish(), 130);
    ASSERT_EQ(process.events().back()["type"], "done");
    const int computed = process.events().back()["computed"].get<int>();
    EXPECT_GE(computed, 1);
    EXPECT_EQ(computed + process.events().back()["left"].get<int>(), 40);
    const auto rest = sweep("sampler.steps=1..40");
    EXPECT_EQ(rest.json()["cached"], computed);
    EXPECT_EQ(rest.json()["computed"], 40 - computed);
}

// What is reported while it works counts the refinement, too, and nothing that is known already.
TEST_F(SweepTest, ProgressCountsEveryPointThatIsStillToCome) {
    const auto progress = [this](const std::vector<std::string>& arguments) {
        EngineProcess process(arguments, project_.path());
        std::vector<json> reported;
        EXPECT_TRUE(process.waitForType("done"));
        EXPECT_EQ(process.finish(), 0);
        for (const auto& event : process.events())
            if (event["type"] == "progress") reported.push_back(event);
        return reported;
    };
    const auto reported = progress({"sweep", "a", "--grid", "sampler.steps=1,40", "--limit", "6", "--seeds",
                                    "2", "--refine", "2", "--events"});
    ASSERT_GE(reported.size(), 2U);
    for (std::size_t i = 0; i < reported.size(); ++i) {
        EXPECT_EQ(reported[i]["step"], i + 1);
        EXPECT_EQ(reported[i]["total"], 4);
    }
    EXPECT_GT(reported[1]["eta_seconds"].get<double>(), 0) << "the refinement is still to come";
    for (const auto& known :
         progress({"sweep", "a", "--grid", "sampler.steps=1,40", "--limit", "6", "--seeds", "2", "--events"}))
        EXPECT_EQ(known.value("eta_seconds", 0.0), 0) << "nothing is left to decode";
}

TEST_F(SweepTest, EstimatesWithoutWriting) {
    const auto estimate = sweep("sampler.steps=1,2", {"--estimate"});
    ASSERT_EQ(estimate.code, 0) << estimate.log;
    EXPECT_EQ(estimate.json()["points"], 2);
    EXPECT_GT(estimate.json()["seconds"].get<double>(), 0);
    EXPECT_FALSE(std::filesystem::exists(project_ / "runs/a/sweeps"));
    ASSERT_EQ(sweep("sampler.steps=1,2").code, 0);
    const json known = sweep("sampler.steps=1,2", {"--estimate"}).json();
    EXPECT_EQ(known["cached"], 2);
    EXPECT_EQ(known["seconds"], 0);
    const json finer = sweep("sampler.steps=1,2", {"--estimate", "--refine", "3"}).json();
    EXPECT_EQ(finer["points"], 2);
    EXPECT_EQ(finer["refine"], 3);
    EXPECT_GT(finer["seconds"].get<double>(), 0) << "the refined points take time, too";
}

TEST_F(SweepTest, RefusesWhatItCannotDo) {
    const auto problem = [&](const std::string& grid, std::vector<std::string> more = {}) {
        const auto result = sweep(grid, std::move(more));
        EXPECT_EQ(result.code, 2) << grid;
        return result.log;
    };
    EXPECT_THAT(problem("sampler.stepz=1"), HasSubstr("sampler.steps"));
    EXPECT_THAT(problem("sampler.steps=0"), HasSubstr("too small"));
    EXPECT_THAT(problem("train.lr=1"), HasSubstr("sampler.*"));
    EXPECT_THAT(problem("sampler.steps=4..1"), HasSubstr("grow"));
    EXPECT_THAT(problem("sampler.steps=1", {"--quality", "blue"}), HasSubstr("bleu"));
    const auto lonely = run(
        {"sweep", "a", "--grid", "sampler.steps=1", "--seeds", "1", "--diversity", "one-minus-self-bleu"});
    EXPECT_EQ(lonely.code, 2);
    EXPECT_THAT(lonely.log, HasSubstr("--seeds 2"));
}

TEST_F(SweepTest, ADamagedPointIsComputedAgain) {
    ASSERT_EQ(sweep("sampler.steps=1").code, 0);
    for (const auto& entry : std::filesystem::directory_iterator(project_ / "runs/a/sweeps"))
        std::ofstream(entry.path()) << "{";
    EXPECT_EQ(sweep("sampler.steps=1").json()["computed"], 1);
}

}  // namespace
}  // namespace kurve::testing
