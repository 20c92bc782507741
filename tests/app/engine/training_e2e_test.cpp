// A training from its start to its end: what it records, warns of and stops at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/base/child_output.h"
#include "core/base/hash.h"
#include "core/store/project_revision.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

TEST_F(TrainingTest, LeavesACompleteRecord) {
    const auto result =
        run({"train", "small", "--run", "a", "--json", "--quiet", "--set", "log.histogram_steps=4"});
    ASSERT_EQ(result.code, 0) << result.log;
    const json document = result.json();
    EXPECT_EQ(document["state"], "completed");
    EXPECT_EQ(document["run"], "a");
    for (const char* metric : {"loss", "rounding_nll", "valid_loss", "valid_bleu", "lr", "grad_norm",
                               "update_ratio", "rss_mb", "cpu_percent"})
        EXPECT_TRUE(document["metrics"].contains(metric)) << metric;
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader) << reader.error().text();
    const auto values = (*reader)->values();
    EXPECT_EQ(values.at("state"), "completed");
    EXPECT_EQ(values.at("family"), "difformer");
    EXPECT_EQ(json::parse(values.at("environment"))["threads"], 1);
    EXPECT_EQ((*reader)->samples().size(), 2U);
    EXPECT_EQ((*reader)->traces().size(), 2U);
    EXPECT_EQ((*reader)->segments().size(), 1U);
    EXPECT_EQ((*reader)->checkpoints().back().step, 12);
    EXPECT_FALSE((*reader)->histograms("loss").empty());
    for (const char* kind : {"weights", "gradients", "activations"})
        EXPECT_EQ((*reader)->histograms(std::string(kind) + "/decoder_layer_0").size(), 3U) << kind;
    store::SeriesCursor cursor;
    store::Series loss;
    (*reader)->points("loss", cursor, loss);
    EXPECT_THAT(loss.step, ::testing::ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(TrainingTest, EndsWithTheMainNumbersForPeople) {
    const auto check = [](const EngineResult& result, const char* steps) {
        ASSERT_EQ(result.code, 0) << result.log;
        EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 6) << result.output;
        EXPECT_THAT(result.output,
                    ::testing::MatchesRegex(
                        std::string("steps +") + steps +
                        "\nlast loss +[0-9.]+\nvalid[a-z_ ]+ +[0-9.]+\ntokens per second +[0-9]+\n"
                        "wall time +[0-9.]+ s\nrun a completed .*kurve runs, /.*/runs/a\n"));
    };
    check(run({"train", "small", "--run", "a", "--quiet"}), "12");
    check(run({"resume", "a", "--max-steps", "14", "--quiet"}), "14");
}

TEST_F(TrainingTest, AlertsAreNotedAndActedUpon) {
    std::ofstream(project_ / "alerts.json")
        << R"({"alerts": [{"on": "above", "metric": "loss", "value": 0.001, "do": "stop"},
                          {"on": "done", "do": "note"}]})";
    EngineProcess engine({"train", "small", "--run", "a", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("alert"));
    EXPECT_EQ(engine.found()["action"], "stop");
    EXPECT_EQ(engine.finish(), 130);
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    EXPECT_THAT((*reader)->values().at("reason"), ::testing::HasSubstr("alert: loss is"));
    EXPECT_FALSE((*reader)->checkpoints().empty()) << "a stop keeps everything";
    std::ofstream(project_ / "alerts.json") << R"({"alerts": [{"on": "above"}]})";
    const auto refused = run({"train", "small", "--json", "--quiet"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.json()["error"]["code"], "alerts.syntax");
}

TEST_F(TrainingTest, HistogramsOfWeightsAndGradientsAreRecorded) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "log.histogram_steps=4"}).code, 0);
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    std::size_t weights = 0, gradients = 0;
    for (const auto& name : (*reader)->histogramNames()) {
        weights += name.rfind("weights/", 0) == 0;
        gradients += name.rfind("gradients/", 0) == 0;
        if (name == "loss") continue;
        const auto rows = (*reader)->histograms(name);
        ASSERT_EQ(rows.size(), 3U) << name;
        EXPECT_EQ(rows[2].step, 12);
        EXPECT_EQ(json::parse(rows[0].json)["edges"].size(), 41U);
        EXPECT_EQ((*reader)->histograms(name, 4).size(), 2U);
    }
    EXPECT_GT(weights, 2U);
    EXPECT_EQ(weights, gradients);
}

TEST_F(TrainingTest, ADryRunMeasuresAndWritesNothing) {
    const auto result = run({"train", "small", "--dry-run", "--json", "--quiet"});
    ASSERT_EQ(result.code, 0) << result.log;
    EXPECT_TRUE(!std::filesystem::exists(project_ / "runs") || std::filesystem::is_empty(project_ / "runs"));
    const json measured = result.json();
    EXPECT_EQ(measured["steps"], 10);
    EXPECT_EQ(measured["total_steps"], 12);
    EXPECT_GT(measured["step_seconds"]["median"].get<double>(), 0);
    EXPECT_LE(measured["step_seconds"]["min"], measured["step_seconds"]["median"]);
    EXPECT_LE(measured["step_seconds"]["median"], measured["step_seconds"]["max"]);
    const double expected =
        12 * measured["step_seconds"]["median"].get<double>() +
        measured["evaluations"].get<double>() * measured["evaluation_seconds"].get<double>();
    EXPECT_NEAR(measured["eta_seconds"].get<double>(), expected, 1e-6 * expected);
    EXPECT_GT(measured["peak_memory_mb"].get<double>(), 20);
    // The same model that the training has, and checkpoints as large as it writes.
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    EXPECT_EQ(std::to_string(measured["parameters"].get<std::int64_t>()),
              (*reader)->values().at("parameters"));
    const double written = static_cast<double>((*reader)->checkpoints().back().bytes) / 1e6;
    EXPECT_NEAR(measured["checkpoint_mb"].get<double>(), written, 0.25 * written);
}

TEST_F(TrainingTest, ADryRunWarnsBefore) {
    const auto result =
        run({"train", "small", "--dry-run", "--json", "--quiet", "--set", "train.warmup_steps=5000"});
    ASSERT_EQ(result.code, 0) << result.log;
    EXPECT_THAT(result.json()["warnings"].dump(), ::testing::HasSubstr("train.warmup_steps"));
    const auto often = run({"train", "small", "--dry-run", "--json", "--quiet", "--max-seconds", "1000",
                            "--set", "train.steps=0", "--set", "train.seconds=1000", "--set",
                            "eval.every_steps=0", "--set", "eval.every_seconds=0.001"});
    ASSERT_EQ(often.code, 0) << often.log;
    EXPECT_THAT(often.json()["warnings"].dump(), ::testing::HasSubstr("raise eval.every_seconds"));
    // An evaluation after each thousandth of a second of training: with them, and the last, 1,000 seconds.
    const double step = often.json()["step_seconds"]["median"],
                 evaluation = often.json()["evaluation_seconds"];
    EXPECT_NEAR(often.json()["total_steps"].get<double>(),
                (1000 - evaluation) / (step + evaluation * step / 0.001), 1.01);
    const auto planned = run({"train", "small", "--dry-run", "--json", "--quiet", "--max-seconds", "2"});
    ASSERT_EQ(planned.code, 0) << planned.log;
    EXPECT_LE(planned.json()["eta_seconds"].get<double>(), 2);
    EXPECT_EQ(run({"train", "small", "--dry-run", "--quiet", "--set", "train.lr=x"}).code, 2);
}

// In place of each file that commands read: they end, and say what is wrong. Each of them hung, or filled the
// memory.
TEST_F(TrainingTest, NoPipeOrDeviceHangsACommand) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    const std::filesystem::path tokenizer = runFolder("a") / "tokenizer";
    std::ofstream(project_ / "alerts.json") << "[]";
    std::ofstream(runFolder("a") / "sampler.json") << R"({"settings": {}})";
    const auto checkpoint = runFolder("a") / "checkpoints/step-00000012";
    const std::vector<std::string> train{"train", "small", "--run", "b"},
        sample{"sample", "a", "--count", "2"}, verify{"verify", "a"};
    const std::vector<std::pair<std::filesystem::path, std::vector<std::string>>> files = {
        {project_ / "project.toml", train},
        {project_ / "experiments/small.toml", train},
        {project_ / "data/train.tsv", train},
        {project_ / "alerts.json", train},
        {tokenizer / "tokenizer.json", verify},
        {tokenizer / "model.spm", sample},
        {tokenizer / "vocab.tsv", verify},
        {runFolder("a") / "sampler.json", sample},
        {runFolder("a") / "run.db", verify},
        {checkpoint / "state.json", sample},
        {checkpoint / "weights.safetensors", sample},
        {checkpoint / "optimizer.safetensors", verify}};
    for (const auto& [file, words] : files) {
        ASSERT_TRUE(std::filesystem::exists(file)) << file;
        std::filesystem::rename(file, file.string() + ".kept");
        for (const bool pipe : {true, false}) {
            if (pipe)
                ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
            else
                std::filesystem::create_symlink("/dev/zero", file);
            EXPECT_NE(run(words).code, 0) << file << (pipe ? " as a pipe" : " as a device");
            std::filesystem::remove(file);
            std::filesystem::remove_all(runFolder("b"));
        }
        std::filesystem::rename(file.string() + ".kept", file);
    }
    EXPECT_EQ(run(verify).code, 0);
}

TEST_F(TrainingTest, VerifyFindsATruncatedTokenizer) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    const std::filesystem::path tokenizer = runFolder("a") / "tokenizer";
    for (const char* name : {"vocab.tsv", "model.spm", "tokenizer.json"}) {
        const std::string bytes = *readFile(tokenizer / name);
        std::filesystem::resize_file(tokenizer / name, bytes.size() / 2);
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"verify", "--json"}, {"verify", "a", "--json"}}) {
            const auto found = run(words);
            EXPECT_EQ(found.code, 1) << name;
            const json problems = found.json()["problems"];
            ASSERT_FALSE(problems.empty()) << name;
            EXPECT_EQ(problems[0]["code"], "tokenizer.damaged") << name;
        }
        ASSERT_TRUE(writeFileAtomically(tokenizer / name, bytes));
    }
    EXPECT_EQ(run({"verify"}).code, 0);
}

TEST_F(TrainingTest, WhatExceedsTheMemoryDoesNotBegin) {
    const auto unprepared = run({"train", "small", "--estimate", "--json", "--quiet"});
    EXPECT_EQ(unprepared.json()["error"]["code"], "data.not_prepared");
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    const auto small = run({"train", "small", "--estimate", "--json", "--quiet"});
    ASSERT_EQ(small.code, 0) << small.log;
    EXPECT_EQ(small.json()["fits"], true);
    EXPECT_GT(small.json()["memory_mb"]["total"].get<double>(), 1);
    const std::vector<std::string> huge{
        "--set", "model.hidden=8192",       "--set", "model.ffn=32768",
        "--set", "model.encoder_layers=24", "--set", "model.decoder_layers=24"};
    const auto with = [&](std::vector<std::string> words) {
        words.insert(words.end(), huge.begin(), huge.end());
        words.insert(words.end(), {"--json", "--quiet"});
        return run(words);
    };
    const auto estimate = with({"train", "small", "--estimate"});
    ASSERT_EQ(estimate.code, 0) << estimate.log;
    EXPECT_EQ(estimate.json()["fits"], false);
    EXPECT_GT(estimate.json()["memory_mb"]["total"].get<double>(), 300'000);
    for (const auto& words : {std::vector<std::string>{"train", "small", "--run", "b"},
                              std::vector<std::string>{"train", "small", "--dry-run"},
                              std::vector<std::string>{"fork", "a", "--run", "b"}}) {
        const auto refused = with(words);
        EXPECT_EQ(refused.code, 2) << refused.log;
        EXPECT_EQ(refused.json()["error"]["code"], "memory.exceeds_free") << refused.output;
        EXPECT_FALSE(std::filesystem::exists(runFolder("b")));
    }
}

TEST_F(TrainingTest, TheRecordHoldsTheHashesOfItsCorpora) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    {
        const auto reader = store::RunReader::open(runFolder("a"));
        ASSERT_TRUE(reader);
        const json corpora = json::parse((*reader)->values().at("corpora"));
        for (const char* file : {"data/train.tsv", "data/valid.tsv"})
            EXPECT_EQ(corpora.at(file), *sha256File(project_ / file)) << file;
        EXPECT_EQ(corpora.size(), 2U);
    }
    EXPECT_EQ(run({"verify", "a"}).code, 0);
    // As runs of before have it: the fingerprint alone, which the training made another way.
    {
        auto writer = store::RunWriter::open(runFolder("a"));
        ASSERT_TRUE(writer);
        (*writer)->set("corpora", "");
    }
    const auto sound = run({"verify", "a", "--json"});
    EXPECT_EQ(sound.code, 0) << sound.output;
    std::ofstream(project_ / "data/valid.tsv", std::ios::app) << "one more\tOne more.\n";
    const auto changed = run({"verify", "a", "--json"});
    EXPECT_EQ(changed.code, 1);
    EXPECT_EQ(changed.json()["checked"], sound.json()["checked"]);
    ASSERT_EQ(changed.json()["problems"].size(), 1U) << changed.output;
    EXPECT_EQ(changed.json()["problems"][0]["code"], "verify.corpus");
    EXPECT_THAT(changed.json()["problems"][0]["message"].get<std::string>(),
                ::testing::HasSubstr("data/valid.tsv"));
}

TEST_F(TrainingTest, TheRecordHoldsWhatWasChangedInTheProjectsRepository) {
    const auto git = [&](std::vector<std::string> question) {
        std::vector<std::string> command{"git",         "-C", project_.path().string(),  "-c",
                                         "user.name=t", "-c", "user.email=t@example.org"};
        command.insert(command.end(), question.begin(), question.end());
        ASSERT_TRUE(childOutput(command, 1 << 20, 60)) << question.front();
    };
    git({"init", "--quiet", "--initial-branch", "main"});
    git({"add", "--all"});
    git({"commit", "--quiet", "--message", "first"});
    std::ofstream(project_ / "experiments/small.toml", std::ios::app) << "# a thought\n";
    ASSERT_EQ(run({"train", "small", "--run", "a", "--max-steps", "2", "--quiet"}).code, 0);
    const auto reader = store::RunReader::open(runFolder("a"));
    ASSERT_TRUE(reader);
    const json revision = json::parse((*reader)->values().at("project_revision"));
    EXPECT_EQ(revision["branch"], "main");
    EXPECT_EQ(revision["changed"], json({"experiments/small.toml"}));
    const auto diff = readFile(runFolder("a") / store::kProjectDiffFile);
    ASSERT_TRUE(diff);
    EXPECT_THAT(*diff, ::testing::HasSubstr("\n+# a thought"));
}

// Without eps and second moment an embedding that no batch used becomes 0/0 in the first update.
const std::vector<std::string> kExplosive{"--set",         "train.eps=0", "--set",
                                          "train.beta2=0", "--set",       "train.weight_decay=0"};

TEST_F(TrainingTest, ANonFiniteStepEndsTheRun) {
    std::vector<std::string> arguments{"train", "small", "--run", "n", "--json", "--quiet"};
    arguments.insert(arguments.end(), kExplosive.begin(), kExplosive.end());
    const auto result = run(arguments);
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.json()["error"]["code"], "train.non_finite") << result.log;
    EXPECT_FALSE(result.json()["error"]["field"].get<std::string>().empty());
    const auto reader = store::RunReader::open(runFolder("n"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->values().at("state"), "failed");
    EXPECT_TRUE((*reader)->checkpoints().empty());
}

TEST_F(TrainingTest, ANonFiniteStepPausesARunThatIsWatched) {
    std::vector<std::string> arguments{"train", "small", "--run", "n", "--events"};
    arguments.insert(arguments.end(), kExplosive.begin(), kExplosive.end());
    EngineProcess engine(arguments, project_.path());
    ASSERT_TRUE(engine.waitForType("alert")) << "whoever is away from the screen hears of it";
    EXPECT_EQ(engine.found()["action"], "pause");
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    EXPECT_THAT(engine.found()["reason"].get<std::string>(), ::testing::HasSubstr("not finite"));
    engine.send({{"type", "stop"}});
    engine.finish();
}

// At rho 1 the map of a sentence of 24 pieces has an input gain of 19.6 (specification, section 9).
TEST_F(TrainingTest, AnIllConditionedMapIsReportedOncePerRun) {
    EngineProcess engine(
        {"train", "curve", "--run", "g", "--events", "--max-steps", "6", "--set", "map.rho=1"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("alert"));
    EXPECT_THAT(engine.found()["text"].get<std::string>(), ::testing::HasSubstr("map.rho"));
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
    ASSERT_EQ(run({"resume", "g", "--quiet"}).code, 0);
    const auto reader = store::RunReader::open(runFolder("g"));
    ASSERT_TRUE(reader);
    std::vector<std::string> alerts;
    for (const auto& event : (*reader)->events())
        if (event.kind == "alert") alerts.push_back(event.text);
    ASSERT_EQ(alerts.size(), 1U);
    EXPECT_THAT(alerts[0],
                ::testing::AllOf(::testing::HasSubstr("map.rho"), ::testing::HasSubstr("map.ridge")));
    EXPECT_GT(*(*reader)->last("map_input_gain"), 10);
}

}  // namespace
}  // namespace kurve::testing
