#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

class TrainingTest : public ::testing::Test {
protected:
    void SetUp() override { makeSmallProject(project_.path()); }
    [[nodiscard]] EngineResult run(const std::vector<std::string>& arguments) const {
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] std::filesystem::path runFolder(const std::string& id) const {
        return project_ / "runs/" / id;
    }
    [[nodiscard]] std::string bytes(const std::string& id, const std::string& file) const {
        const auto text = readFile(runFolder(id) / "checkpoints" / file);
        return text ? *text : "missing " + file;
    }
    TemporaryFolder project_;
};

bool hasState(const json& event, const std::string& state) {
    return event.value("type", "") == "state" && event.value("state", "") == state;
}

// N steps, then N more after a resume, against 2N at once: the whole checkpoint, byte for byte.
class ExactTest : public TrainingTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ExactTest, ResumeEqualsGoingOn) {
    const std::string experiment = std::string("experiments/") + GetParam() + ".toml";
    const auto whole = run({"train", experiment, "--run", "whole", "--json", "--quiet"});
    ASSERT_EQ(whole.code, 0) << whole.log;
    EXPECT_EQ(whole.json()["steps"], 12);
    ASSERT_EQ(run({"train", experiment, "--run", "parts", "--max-steps", "7", "--quiet"}).code, 0);
    const auto parts = run({"resume", "parts", "--json", "--quiet"});
    ASSERT_EQ(parts.code, 0) << parts.log;
    EXPECT_EQ(parts.json()["steps"], 12);
    for (const char* file : {"step-00000012/weights.safetensors", "step-00000012/optimizer.safetensors"})
        EXPECT_EQ(bytes("whole", file), bytes("parts", file)) << file;
}

TEST_P(ExactTest, ReplayGivesTheSameNumbers) {
    const std::string experiment = std::string("experiments/") + GetParam() + ".toml";
    ASSERT_EQ(run({"train", experiment, "--run", "r", "--quiet"}).code, 0);
    const auto last = run({"verify", "r", "--replay", "--json", "--quiet"});
    ASSERT_EQ(last.code, 0) << last.log;
    EXPECT_EQ(last.json()["replay"]["from"], 8);
    const auto whole = run({"verify", "r", "--replay", "--from", "start", "--json", "--quiet"});
    ASSERT_EQ(whole.code, 0) << whole.log;
    EXPECT_EQ(whole.json()["replay"]["to"], 12);
    EXPECT_TRUE(whole.json()["ok"].get<bool>());
}

INSTANTIATE_TEST_SUITE_P(Families, ExactTest, ::testing::Values("small", "curve", "causal"));

TEST_F(TrainingTest, LeavesACompleteRecord) {
    const auto result =
        run({"train", "small", "--run", "a", "--json", "--quiet", "--set", "log.histogram_steps=4"});
    ASSERT_EQ(result.code, 0) << result.log;
    const json document = result.json();
    EXPECT_EQ(document["state"], "completed");
    EXPECT_EQ(document["run"], "a");
    for (const char* metric :
         {"loss", "nll", "valid_loss", "valid_bleu", "lr", "grad_norm", "update_ratio", "rss_mb"})
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

TEST_F(TrainingTest, ARepetitionIsTheSameToTheBit) {
    // Resumed in the middle of a logging window, and with a live change on the way.
    ASSERT_EQ(run({"train", "small", "--run", "a", "--max-steps", "5", "--quiet", "--set",
                   "eval.every_steps=1000", "--set", "checkpoint.every_steps=1000"})
                  .code,
              0);
    EngineProcess engine({"resume", "a", "--events", "--max-steps", "30"}, project_.path());
    ASSERT_TRUE(engine.waitForType("hello"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "set"}, {"key", "train.lr"}, {"value", 0.0007}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    engine.send({{"type", "resume"}});
    EXPECT_EQ(engine.finish(), 0);
    const auto again = run({"repeat", "a", "--run", "b", "--json", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_EQ(again.json()["steps"], 30);
    EXPECT_EQ(again.json()["same"], true) << again.output;
    EXPECT_EQ(again.json()["compared"], 14) << "all of 2, 4 … 30 but 6, which the resume cut short";
    EXPECT_EQ(bytes("a", "step-00000030/weights.safetensors"),
              bytes("b", "step-00000030/weights.safetensors"));
    const auto reader = store::RunReader::open(runFolder("b"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->values().at("repeats"), "a");
    EXPECT_EQ((*reader)->values().at("repeat_difference"), "none");
    EXPECT_THAT((*reader)->values().at("live_settings"), ::testing::HasSubstr("train.lr"));
}

TEST_F(TrainingTest, AForkIsRepeatedFromTheCheckpointItBeganFrom) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    ASSERT_EQ(
        run({"fork", "a", "--checkpoint", "8", "--run", "f", "--set", "train.lr=0.0004", "--quiet"}).code, 0);
    const auto trained = run({"resume", "f", "--max-steps", "16", "--json", "--quiet"});
    ASSERT_EQ(trained.code, 0) << trained.log;
    const auto again = run({"repeat", "f", "--run", "g", "--json", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_EQ(again.json()["same"], true) << again.output;
    EXPECT_EQ(again.json()["compared"], 4) << "10, 12, 14, 16";
    EXPECT_EQ(bytes("f", "step-00000016/weights.safetensors"),
              bytes("g", "step-00000016/weights.safetensors"));
    // Pruned here, it is still the parent's; without that one there is nothing to begin from.
    std::filesystem::remove_all(runFolder("f") / "checkpoints" / "step-00000008");
    const auto fromParent = run({"repeat", "f", "--run", "h", "--json", "--quiet"});
    ASSERT_EQ(fromParent.code, 0) << fromParent.log;
    EXPECT_EQ(fromParent.json()["same"], true) << fromParent.output;
    std::filesystem::remove_all(runFolder("a") / "checkpoints" / "step-00000008");
    const auto gone = run({"repeat", "f", "--json", "--quiet"});
    EXPECT_EQ(gone.code, 2);
    EXPECT_EQ(gone.json()["error"]["code"], "repeat.fork");
}

TEST_F(TrainingTest, ARepetitionNamesTheFirstStepThatDiffers) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet"}).code, 0);
    {
        // As another build would have logged it: the last bit of one loss.
        store::Series loss;
        {
            const auto reader = store::RunReader::open(runFolder("a"));
            ASSERT_TRUE(reader);
            store::SeriesCursor cursor;
            (*reader)->points("loss", cursor, loss);
        }
        auto writer = store::RunWriter::open(runFolder("a"));
        ASSERT_TRUE(writer);
        (*writer)->beginSegment(7, "resumed");
        for (std::size_t i = 3; i < loss.size(); ++i)
            (*writer)->scalar("loss", loss.step[i], loss.wall[i],
                              loss.step[i] < 10 ? loss.value[i] : std::nextafter(loss.value[i], 1e9));
    }
    const auto again = run({"repeat", "a", "--json", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.log;
    EXPECT_EQ(again.json()["same"], false);
    EXPECT_EQ(again.json()["first_difference"], 10);
    EXPECT_EQ(run({"repeat", "a", "--quiet", "--threads", "2"}).code, 2);
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

TEST_F(TrainingTest, PruningFreesWhatItSaidBefore) {
    ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "checkpoint.every_steps=2", "--set",
                   "checkpoint.keep_last=6"})
                  .code,
              0);
    const auto own = run({"checkpoints", "a", "--json", "--quiet"}).json();
    EXPECT_EQ(own["prunable_bytes"], 0);
    const std::size_t all = own["checkpoints"].size();
    ASSERT_GE(all, 5U);
    ASSERT_EQ(run({"checkpoints", "a", "--pin", "4", "--quiet"}).code, 0);
    const std::vector<std::string> policy{"checkpoints", "a", "--keep-last", "1",
                                          "--keep-best", "0", "--json",      "--quiet"};
    const auto before = run(policy).json();
    EXPECT_EQ(before["checkpoints"].size(), all) << "nothing is removed without --prune";
    const auto freed = before["prunable_bytes"].get<std::int64_t>();
    EXPECT_GT(freed, 0);
    auto words = policy;
    words.emplace_back("--prune");
    const auto pruned = run(words).json();
    EXPECT_EQ(pruned["bytes"].get<std::int64_t>(), before["bytes"].get<std::int64_t>() - freed);
    EXPECT_EQ(pruned["prunable_bytes"], 0);
    ASSERT_EQ(pruned["checkpoints"].size(), 2U);
    EXPECT_EQ(pruned["checkpoints"][0]["step"], 4);
    EXPECT_EQ(pruned["checkpoints"][1]["step"], 12);
    std::size_t folders = 0;
    for (const auto& entry : std::filesystem::directory_iterator(runFolder("a") / "checkpoints"))
        folders += entry.is_directory();
    EXPECT_EQ(folders, 2U);
    EXPECT_EQ(run({"verify", "a", "--quiet"}).code, 0);
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
    const auto planned = run({"train", "small", "--dry-run", "--json", "--quiet", "--max-seconds", "2"});
    ASSERT_EQ(planned.code, 0) << planned.log;
    EXPECT_LE(planned.json()["eta_seconds"].get<double>(), 2);
    EXPECT_EQ(run({"train", "small", "--dry-run", "--quiet", "--set", "train.lr=x"}).code, 2);
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

TEST_F(TrainingTest, ObeysTheWire) {
    EngineProcess engine({"train", "small", "--run", "w", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("hello"));
    EXPECT_EQ(engine.found()["protocol"], 1);
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    const auto stepPaused = engine.found()["step"];
    engine.send(
        {{"type", "sample"}, {"id", "s1"}, {"input", "in the beginning"}, {"sampler", {{"steps", 3}}}});
    ASSERT_TRUE(engine.waitForType("sampled"));
    EXPECT_EQ(engine.found()["id"], "s1");
    EXPECT_EQ(engine.found()["samples"].size(), 1U);
    engine.send({{"type", "trace"}, {"id", "t1"}, {"input", "in the beginning"}, {"what", {"latent"}}});
    ASSERT_TRUE(engine.waitForType("traced"));
    EXPECT_TRUE(std::filesystem::exists(engine.found()["file"].get<std::string>()));
    engine.send({{"type", "set"}, {"key", "train.lr"}, {"value", 0.0005}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    engine.send({{"type", "set"}, {"id", "no"}, {"key", "model.hidden"}, {"value", 8}});
    ASSERT_TRUE(engine.waitForType("error"));
    EXPECT_EQ(engine.found()["code"], "wire.not_live");
    engine.send({{"type", "ping"}, {"id", "p"}});
    ASSERT_TRUE(engine.waitForType("pong"));
    engine.send({{"type", "resume"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "running"); }));
    EXPECT_EQ(engine.found()["step"], stepPaused);
    engine.send({{"type", "checkpoint"}});
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.sendText("this is no message\n{\"v\":1,\"type\":\"unheard-of\"}\n");
    ASSERT_TRUE(engine.waitForType("error"));
    engine.send({{"type", "stop"}, {"reason", "enough"}});
    ASSERT_TRUE(engine.waitForType("done"));
    EXPECT_EQ(engine.found()["state"], "cancelled");
    EXPECT_EQ(engine.finish(), 130);
    EXPECT_EQ(std::count(engine.output().begin(), engine.output().end(), '\n'),
              static_cast<std::ptrdiff_t>(engine.events().size()));
}

TEST_F(TrainingTest, AStudioThatComesLaterAttachesThroughTheSocket) {
    EngineProcess engine({"train", "small", "--run", "s", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.closeInput();  // the first studio is gone; training goes on
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (runFolder("s") / "control.sock").string();
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const std::string stop = "{\"v\":1,\"type\":\"hello\",\"protocol\":1}\n{\"v\":1,\"type\":\"stop\"}\n";
    ASSERT_EQ(::write(fd, stop.data(), stop.size()), static_cast<ssize_t>(stop.size()));
    std::string heard;
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(fd, bytes, sizeof(bytes))) > 0;)
        heard.append(bytes, static_cast<std::size_t>(n));
    ::close(fd);
    EXPECT_EQ(engine.finish(), 130);
    EXPECT_NE(heard.find("\"type\":\"hello\""), std::string::npos);
    EXPECT_NE(heard.find("\"state\":\"running\""), std::string::npos);
    EXPECT_NE(heard.find("\"state\":\"cancelled\""), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(TrainingTest, InterruptStopsGracefullyAndCanBeResumed) {
    EngineProcess engine({"train", "small", "--run", "i", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.signal(SIGINT);
    ASSERT_TRUE(engine.waitForType("done"));
    const std::int64_t steps = engine.found()["steps"];
    EXPECT_EQ(engine.finish(), 130);
    const auto more = run({"resume", "i", "--max-steps", std::to_string(steps + 3), "--json", "--quiet"});
    ASSERT_EQ(more.code, 0) << more.log;
    EXPECT_EQ(more.json()["steps"], steps + 3);
}

TEST_F(TrainingTest, KilledAtAnyMomentKeepsTheLastGoodCheckpoint) {
    for (int round = 0; round < 3; ++round) {
        const std::string id = "k" + std::to_string(round);
        {
            EngineProcess engine({"train", "small", "--run", id, "--events", "--max-steps", "100000", "--set",
                                  "checkpoint.every_steps=1", "--set", "eval.every_steps=0"},
                                 project_.path());
            for (int i = 0; i <= round * 2; ++i) ASSERT_TRUE(engine.waitForType("checkpoint"));
            engine.signal(SIGKILL);
            EXPECT_EQ(engine.finish(), 128 + SIGKILL);
        }
        const auto more = run(
            {"resume", id, "--max-steps", "60", "--json", "--quiet", "--set", "checkpoint.every_steps=0"});
        EXPECT_EQ(more.code, 0) << more.log;
    }
}

TEST_F(TrainingTest, SecondEngineOnTheSameRunIsRefused) {
    EngineProcess engine({"train", "small", "--run", "one", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    const auto second = run({"resume", "one", "--json"});
    EXPECT_NE(second.code, 0);
    EXPECT_EQ(second.json()["error"]["code"], "store.locked");
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);
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
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    EXPECT_THAT(engine.found()["reason"].get<std::string>(), ::testing::HasSubstr("not finite"));
    engine.send({{"type", "stop"}});
    engine.finish();
}

TEST_F(TrainingTest, ATransformerScoresGivenPairs) {
    ASSERT_EQ(run({"train", "causal", "--run", "t", "--quiet"}).code, 0);
    const auto eval = run({"eval", "t", "--metrics", "ppl,bleu", "--json"});
    ASSERT_EQ(eval.code, 0) << eval.log;
    const double perplexity = eval.json()["metrics"]["ppl"]["value"];
    EXPECT_GT(perplexity, 2);
    EXPECT_TRUE(eval.json()["metrics"].contains("bleu"));
    const auto valid = readFile(project_ / "data/valid.tsv");
    ASSERT_TRUE(valid);
    std::ofstream sources(project_ / "src.txt"), targets(project_ / "tgt.txt");
    for (const auto& line : split(*valid, '\n')) {
        const auto tab = line.find('\t');
        if (line.starts_with('#') || tab == std::string::npos) continue;
        sources << line.substr(0, tab) << '\n';
        targets << line.substr(tab + 1) << '\n';
    }
    sources.close();
    targets.close();
    const std::vector<std::string> score{"score",   "ppl",   "--run",   "t",      "--src",
                                         "src.txt", "--hyp", "tgt.txt", "--json", "--per-token"};
    const auto scored = run(score);
    ASSERT_EQ(scored.code, 0) << scored.log;
    EXPECT_NEAR(scored.json()["value"].get<double>(), perplexity, 1e-4 * perplexity);
    const json pair = scored.json()["pairs"][0];
    double sum = 0;
    for (const auto& piece : pair["by_token"]) sum += piece[1].get<double>();
    EXPECT_NEAR(sum, pair["log_probability"].get<double>(), 1e-9);
    EXPECT_EQ(pair["by_token"].back()[0], "</s>");

    ASSERT_EQ(run({"train", "small", "--run", "r", "--max-steps", "2", "--quiet"}).code, 0);
    EXPECT_EQ(run({"eval", "r", "--metrics", "ppl", "--json"}).json()["error"]["code"],
              "score.no_likelihood");
    EXPECT_EQ(run({"score", "ppl", "--hyp", "tgt.txt", "--json"}).json()["error"]["field"], "--run");
}

TEST_F(TrainingTest, SampleTraceEvalAndForkUseTheRun) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet"}).code, 0);
    const auto sample = run({"sample", "r", "--count", "3", "--json", "--set", "sampler.steps=2"});
    ASSERT_EQ(sample.code, 0) << sample.log;
    EXPECT_EQ(sample.json()["samples"].size(), 3U);
    EXPECT_EQ(sample.json()["sampler"]["steps"], 2);
    EXPECT_GE(sample.json()["network_calls"], 2);
    const auto trace = run({"trace", "r", "--input", "in the beginning", "--what", "latent", "--json"});
    ASSERT_EQ(trace.code, 0) << trace.log;
    EXPECT_EQ(trace.json()["frames"].size(), trace.json()["steps"]);
    const auto eval = run({"eval", "r", "--metrics", "bleu,chrf", "--limit", "5", "--json"});
    ASSERT_EQ(eval.code, 0) << eval.log;
    EXPECT_TRUE(eval.json()["metrics"].contains("copy_bleu"));
    EXPECT_EQ(eval.json()["metrics"]["bleu"]["ci95"].size(), 2U);
    const auto fork =
        run({"fork", "r", "--checkpoint", "8", "--run", "f", "--set", "train.lr=0.0001", "--json"});
    ASSERT_EQ(fork.code, 0) << fork.log;
    EXPECT_EQ(fork.json()["parent"], "r");
    const auto forked = run({"resume", "f", "--json", "--quiet"});
    ASSERT_EQ(forked.code, 0) << forked.log;
    EXPECT_EQ(forked.json()["steps"], 12);
    const auto reader = store::RunReader::open(runFolder("f"));
    ASSERT_TRUE(reader);
    const auto segments = (*reader)->segments();
    ASSERT_EQ(segments.size(), 2U);
    for (const auto& segment : segments) EXPECT_EQ(segment.startStep, 9) << segment.reason;
}

// The mean's tensors are checked in checkpoint_test; here: which ones it takes, and what is said.
TEST_F(TrainingTest, GeneratesWithTheMeanOfTheBestCheckpoints) {
    ASSERT_EQ(run({"train", "small", "--run", "m", "--quiet", "--set", "checkpoint.keep_best=5", "--set",
                   "checkpoint.keep_last=1", "--set", "checkpoint.every_steps=0", "--set",
                   "eval.every_steps=3", "--set", "checkpoint.metric=valid_loss"})
                  .code,
              0);
    const auto reader = store::RunReader::open(runFolder("m"));
    ASSERT_TRUE(reader);
    auto rows = (*reader)->checkpoints();
    ASSERT_EQ(rows.size(), 4U);  // steps 3, 6, 9 and 12: each among the five best
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.metric < b.metric; });
    const auto mean = run({"sample", "m", "--input", "in the beginning", "--checkpoint", "avg3", "--json"});
    ASSERT_EQ(mean.code, 0) << mean.log;
    ASSERT_EQ(mean.json()["averaged"].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(mean.json()["averaged"][i], (runFolder("m") / rows[i].path).string());
    const auto trace =
        run({"trace", "m", "--input", "in the beginning", "--checkpoint", "avg2", "--json", "--summary"});
    ASSERT_EQ(trace.code, 0) << trace.log;
    EXPECT_EQ(trace.json()["averaged"].size(), 2U);
    const auto eval = run({"eval", "m", "--checkpoint", "avg4", "--limit", "3", "--json"});
    EXPECT_EQ(eval.json()["step"], 12) << eval.log;
    const auto one = run({"sample", "m", "--input", "in the beginning", "--checkpoint", "avg1", "--json"});
    EXPECT_EQ(one.json()["checkpoint"], (runFolder("m") / rows[0].path).string());
    const auto many = run({"sample", "m", "--input", "x", "--checkpoint", "avg5", "--json"});
    EXPECT_EQ(many.code, 2);
    EXPECT_EQ(many.json()["error"]["code"], "checkpoint.too_few");
    EXPECT_THAT(many.json()["error"]["remedy"].get<std::string>(), ::testing::HasSubstr("avg4"));
    EXPECT_EQ(run({"resume", "m", "--checkpoint", "avg3", "--json"}).json()["error"]["code"],
              "checkpoint.average");
}

// While it trains the engine alone writes the record, so the command asks it; at rest the command writes.
TEST_F(TrainingTest, PinsCheckpointsWhileItTrainsAndAtRest) {
    EngineProcess engine({"train", "small", "--run", "p", "--events", "--max-steps", "100000", "--set",
                          "checkpoint.every_steps=2", "--set", "checkpoint.keep_last=1", "--set",
                          "checkpoint.keep_best=0", "--set", "eval.every_steps=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    engine.send({{"type", "checkpoint"}});
    const auto step = [](const json& row) { return row["step"].get<std::int64_t>(); };
    const auto listed = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"checkpoints", "p", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments).json()["checkpoints"];
    };
    engine.send({{"type", "ping"}, {"id", "saved"}});
    ASSERT_TRUE(engine.waitForType("pong"));
    const json one = listed({});
    ASSERT_EQ(one.size(), 1U) << one;
    EXPECT_EQ(one[0]["kept_as"], json({"newest"}));
    const std::int64_t pinned = step(one[0]);
    engine.send({{"type", "pin"}, {"id", "a"}, {"step", pinned}});
    ASSERT_TRUE(engine.waitForType("pinned"));
    EXPECT_EQ(engine.found()["id"], "a");
    engine.send({{"type", "pin"}, {"id", "b"}, {"step", 999999}});
    ASSERT_TRUE(engine.waitForType("error"));
    EXPECT_EQ(engine.found()["code"], "checkpoint.missing");
    EXPECT_EQ(listed({"--unpin", std::to_string(pinned)})[0]["pinned"], false);
    EXPECT_EQ(listed({"--pin", "last"})[0]["kept_as"], json({"newest", "pinned"}));
    engine.send({{"type", "resume"}});
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);

    const json two = listed({});
    ASSERT_EQ(two.size(), 2U) << two;
    EXPECT_EQ(step(two[0]), pinned);
    EXPECT_EQ(two[0]["kept_as"], json({"pinned"}));
    EXPECT_EQ(two[1]["kept_as"], json({"newest"}));
    EXPECT_EQ(listed({"--unpin", std::to_string(pinned)})[0]["kept_as"], json::array());
    ASSERT_EQ(run({"resume", "p", "--max-steps", std::to_string(step(two[1]) + 2), "--quiet"}).code, 0);
    const json after = listed({});
    ASSERT_EQ(after.size(), 1U) << after;
    EXPECT_EQ(step(after[0]), step(two[1]) + 2);
    EXPECT_EQ(run({"checkpoints", "p", "--pin", "7777777", "--json"}).json()["error"]["code"],
              "checkpoint.missing");
}

// The last checkpoint is written before the run knows that it is the last, and evaluated after.
TEST_F(TrainingTest, TheFinalEvaluationCountsForTheLastCheckpoint) {
    ASSERT_EQ(run({"train", "small", "--run", "e", "--quiet", "--set", "eval.every_steps=0", "--set",
                   "checkpoint.metric=valid_loss"})
                  .code,
              0);
    const auto reader = store::RunReader::open(runFolder("e"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->checkpoints().back().step, 12);
    EXPECT_EQ((*reader)->checkpoints().back().metric, *(*reader)->last("valid_loss"));
    EXPECT_EQ(run({"verify", "e"}).code, 0);
}

TEST_F(TrainingTest, ServesAndCancelsRequests) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet"}).code, 0);
    EngineProcess engine({"sample", "r", "--serve"}, project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
    engine.send(
        {{"type", "sample"}, {"id", "a"}, {"input", "in the beginning"}, {"sampler", {{"steps", 2000}}}});
    engine.send({{"type", "cancel"}, {"id", "a"}});
    engine.send({{"type", "sample"}, {"id", "b"}, {"input", "in the beginning"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "a"; }));
    EXPECT_EQ(engine.found()["code"], "cancelled");
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "b"; }));
    EXPECT_EQ(engine.found()["type"], "sampled");
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

// A hand in a denoising: of a paused training, from the command line, and of an engine that serves.
TEST_F(TrainingTest, BranchesChangeWhatAHandChanges) {
    const auto edit = [](const char* kind) { return json{{"kind", kind}, {"slot", 1}, {"token", "the"}}; };
    std::string live;
    {
        EngineProcess engine({"train", "small", "--run", "h", "--events", "--max-steps", "100000"},
                             project_.path());
        ASSERT_TRUE(engine.waitForType("progress"));
        engine.send({{"type", "pause"}});
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
        engine.send({{"type", "trace"}, {"id", "t"}, {"input", "in the beginning"}});
        ASSERT_TRUE(engine.waitForType("traced"));
        live = engine.found()["trace"];
        engine.send(
            {{"type", "branch"}, {"id", "b"}, {"parent", live}, {"step", 1}, {"edits", {edit("pin")}}});
        ASSERT_TRUE(engine.waitForType("traced"));
        EXPECT_EQ(engine.found()["id"], "b");
        EXPECT_EQ(engine.found()["parent"], live);
        EXPECT_EQ(engine.found()["change"], "slot 1 = the @2");
        engine.send({{"type", "branch"}, {"id", "c"}, {"parent", live}, {"step", 999}});
        ASSERT_TRUE(engine.waitForType("error"));
        EXPECT_EQ(engine.found()["code"], "branch.step");
        engine.send({{"type", "stop"}});
        EXPECT_EQ(engine.finish(), 130);
    }
    const auto parent = run({"trace", "h", "--input", "in the beginning", "--json"});
    ASSERT_EQ(parent.code, 0) << parent.log;
    const std::string file = parent.json()["file"];
    const std::string bytes = *readFile(file);
    const auto branch =
        run({"trace", "h", "--branch-of", file, "--step", "1", "--edit", edit("force").dump(), "--json"});
    ASSERT_EQ(branch.code, 0) << branch.log;
    EXPECT_EQ(branch.json()["change"], "slot 1 := the @2");
    EXPECT_EQ(branch.json()["parent"], "traces/" + std::filesystem::path(file).filename().string());
    EXPECT_EQ(branch.json()["frames"][0]["tokens"], parent.json()["frames"][0]["tokens"]);
    EXPECT_THAT(branch.json()["frames"][1]["tokens"][1].get<std::string>(), ::testing::HasSubstr("the"));
    EXPECT_EQ(*readFile(file), bytes) << "the original is never touched";
    const auto unchanged = run({"trace", "h", "--branch-of", file, "--json"});
    ASSERT_EQ(unchanged.code, 0) << unchanged.log;
    EXPECT_EQ(unchanged.json()["frames"], parent.json()["frames"]);
    const auto code = [&](const std::string& text) {
        return run({"trace", "h", "--branch-of", file, "--edit", text, "--json"}).json()["error"]["code"];
    };
    EXPECT_EQ(code("{"), "branch.syntax");
    EXPECT_EQ(code(R"({"kind":"ban","slot":500,"token":"the"})"), "branch.slot");
    EXPECT_EQ(run({"trace", "h", "--json"}).json()["error"]["code"], "trace.no_input");
    EngineProcess engine({"sample", "h", "--serve"}, project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
    engine.send({{"type", "branch"}, {"id", "s"}, {"parent", file}, {"step", 0}, {"edits", {edit("ban")}}});
    ASSERT_TRUE(engine.waitForType("traced"));
    EXPECT_EQ(engine.found()["change"], "slot 1 != the @1");
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

// Asked of the engine that trains, of a second program meanwhile, and of one that serves.
TEST_F(TrainingTest, TracesAskedForByHandAreInTheRecord) {
    const auto asked = [&] {
        const auto reader = store::RunReader::open(runFolder("a"));
        auto rows = (*reader)->traces();
        std::erase_if(rows, [](const auto& row) { return row.prompt >= 0; });
        return rows;
    };
    {
        EngineProcess engine({"train", "small", "--run", "a", "--events", "--max-steps", "100000"},
                             project_.path());
        ASSERT_TRUE(engine.waitForType("checkpoint"));
        const auto beside = run({"trace", "a", "--input", "in the beginning", "--json", "--summary"});
        ASSERT_EQ(beside.code, 0) << beside.log;
        EXPECT_EQ(beside.log.find("not listed"), std::string::npos) << beside.log;
        engine.send({{"type", "trace"}, {"id", "t"}, {"input", "and the earth"}});
        ASSERT_TRUE(engine.waitForType("traced"));
        engine.send({{"type", "stop"}});
        EXPECT_EQ(engine.finish(), 130);
    }
    ASSERT_EQ(asked().size(), 2U);
    const auto bytes = [&] { return run({"runs", "--json"}).json()["runs"][0]["bytes"].get<std::int64_t>(); };
    const std::int64_t before = bytes();
    {
        EngineProcess engine({"sample", "a", "--serve"}, project_.path());
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
        engine.send({{"type", "trace"}, {"id", "s"}, {"input", "let there be light"}, {"what", {"latent"}}});
        ASSERT_TRUE(engine.waitForType("traced"));
        engine.closeInput();
        EXPECT_EQ(engine.finish(), 0);
    }
    const std::string elsewhere = project_ / "elsewhere.safetensors";
    ASSERT_EQ(run({"trace", "a", "--input", "x", "--out", elsewhere}).code, 0);
    const auto rows = asked();
    ASSERT_EQ(rows.size(), 3U) << "a file elsewhere is not part of the run";
    std::map<std::string, std::string> files;
    for (const auto& row : rows) {
        files[row.text] = row.path;
        EXPECT_EQ(row.sha256, *sha256File(runFolder("a") / row.path));
    }
    for (const char* text : {"in the beginning", "and the earth", "let there be light"})
        EXPECT_TRUE(files.contains(text)) << text;
    const std::string light = files["let there be light"];
    EXPECT_GE(bytes(),
              before + static_cast<std::int64_t>(std::filesystem::file_size(runFolder("a") / light)));
    const std::string name = std::filesystem::path(light).filename();
    const auto exported = run({"export", "a", "--what", "trace", "--trace", name, "--format", "json"});
    EXPECT_EQ(json::parse(exported.output)["meta"]["prompt"], "let there be light");
    EXPECT_EQ(run({"verify", "a"}).code, 0);
}

TEST_F(TrainingTest, DamageIsNamedWithTheCheckpointBefore) {
    ASSERT_EQ(run({"train", "small", "--run", "d", "--quiet"}).code, 0);
    const auto file = runFolder("d") / "checkpoints/step-00000012/weights.safetensors";
    std::filesystem::resize_file(file, 100);
    const auto result = run({"sample", "d", "--input", "x", "--json"});
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.json()["error"]["code"], "checkpoint.damaged");
    EXPECT_NE(result.json()["error"]["remedy"].get<std::string>().find("--checkpoint 8"), std::string::npos);
    EXPECT_EQ(run({"sample", "d", "--input", "x", "--checkpoint", "8"}).code, 0);
    // What is offered is sound itself.
    std::filesystem::remove(runFolder("d") / "checkpoints/step-00000008/optimizer.safetensors");
    const auto resumed = run({"resume", "d", "--max-steps", "14", "--json", "--quiet"});
    EXPECT_EQ(resumed.json()["error"]["code"], "checkpoint.damaged");
    EXPECT_NE(resumed.json()["error"]["remedy"].get<std::string>().find("--checkpoint 6"), std::string::npos);
    EXPECT_EQ(run({"resume", "d", "--checkpoint", "6", "--max-steps", "7", "--quiet"}).code, 0);
}

// The optimizer's file is larger than the limit, the weights and the record are not.
constexpr std::uint64_t kFull = 5 << 20;
const std::vector<std::string> kLarge{"--set", "model.hidden=160",      "--set", "eval.every_steps=0",
                                      "--set", "checkpoint.keep_last=2"};

TEST_F(TrainingTest, AFullDiskPausesARunThatIsWatchedAndNothingIsLost) {
    std::vector<std::string> arguments{"train",    "small",       "--run", "full",
                                       "--events", "--max-steps", "100000"};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    EngineProcess engine(arguments, project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.limitFiles(kFull);
    std::int64_t step = 0;
    for (int round = 0; round < 2; ++round) {  // resumed while there is no room, it tries at once
        ASSERT_TRUE(engine.waitForType("warning"));
        const json warning = engine.found();
        EXPECT_EQ(warning["code"], "io.write");
        EXPECT_THAT(warning["message"].get<std::string>(), ::testing::HasSubstr("optimizer.safetensors"));
        EXPECT_THAT(warning["remedy"].get<std::string>(), ::testing::HasSubstr("free space"));
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
        if (round > 0) EXPECT_EQ(engine.found()["step"], step);
        step = engine.found()["step"];
        EXPECT_EQ(run({"sample", "full", "--input", "x"}).code, 0) << "the one before is whole";
        for (const auto& entry : std::filesystem::directory_iterator(runFolder("full") / "checkpoints"))
            EXPECT_TRUE(std::filesystem::exists(entry.path() / "state.json")) << entry.path();
        if (round == 1) engine.limitFiles(0);
        engine.send({{"type", "resume"}});
    }
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    EXPECT_EQ(engine.found()["step"], step);
    engine.send({{"type", "stop"}});
    ASSERT_TRUE(engine.waitForType("done"));
    const std::int64_t steps = engine.found()["steps"];
    EXPECT_EQ(engine.finish(), 130);
    arguments = {"train", "small", "--run", "whole", "--quiet", "--max-steps", std::to_string(steps)};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    ASSERT_EQ(run(arguments).code, 0);
    const std::string file = fmt::format("step-{:08}/weights.safetensors", steps);
    EXPECT_EQ(bytes("full", file), bytes("whole", file));
}

TEST_F(TrainingTest, AFullDiskFailsAnUnwatchedRunOnlyAtItsEnd) {
    std::vector<std::string> arguments{"train", "small", "--run", "full", "--json"};
    arguments.insert(arguments.end(), kLarge.begin(), kLarge.end());
    EngineProcess engine(arguments, project_.path());
    engine.limitFiles(kFull);
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 1);
    const json error = json::parse(engine.output())["error"];
    EXPECT_EQ(error["code"], "io.write");
    EXPECT_THAT(error["file"].get<std::string>(), ::testing::HasSubstr("step-00000012"));
    const auto reader = store::RunReader::open(runFolder("full"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->values().at("state"), "failed");
    EXPECT_EQ((*reader)->lastStep(), 12);
    std::vector<std::int64_t> warned;
    for (const auto& event : (*reader)->events())
        if (event.text.find("cannot write") != std::string::npos) warned.push_back(event.step);
    EXPECT_THAT(warned, ::testing::ElementsAre(4, 8, 12, 12));  // at last also as the run's own reason
    EXPECT_TRUE((*reader)->checkpoints().empty());
}

// A folder that cannot be written to, for root as well: there is a file in its place.
TEST_F(TrainingTest, TracesThatCannotBeWrittenCostNoMetric) {
    ASSERT_EQ(run({"train", "small", "--run", "t", "--max-steps", "5", "--quiet"}).code, 0);
    std::filesystem::remove_all(runFolder("t") / "traces");
    std::ofstream(runFolder("t") / "traces") << "";
    const auto resumed = run({"resume", "t", "--json", "--quiet"});
    EXPECT_EQ(resumed.code, 0) << resumed.log;
    const auto reader = store::RunReader::open(runFolder("t"));
    ASSERT_TRUE(reader);
    store::SeriesCursor cursor;
    store::Series loss;
    (*reader)->points("valid_loss", cursor, loss);
    EXPECT_THAT(loss.step, ::testing::ElementsAre(5, 6, 12));
    EXPECT_EQ((*reader)->samples(12).size(), 1U);
    EXPECT_EQ((*reader)->samples(12).front().traceFile, "");
    std::vector<std::string> warnings;
    for (const auto& event : (*reader)->events())
        if (event.text.find("cannot write") != std::string::npos) warnings.push_back(event.text);
    ASSERT_EQ(warnings.size(), 2U);  // of steps 6 and 12
    EXPECT_THAT(warnings[0], ::testing::AllOf(::testing::HasSubstr("step-00000006-prompt-0"),
                                              ::testing::HasSubstr("permissions")));
    const auto trace = run({"trace", "t", "--input", "in the beginning", "--json"});
    EXPECT_EQ(trace.code, 1);
    EXPECT_EQ(trace.json()["error"]["code"], "io.write");
    EXPECT_THAT(trace.json()["error"]["remedy"].get<std::string>(), ::testing::HasSubstr("permissions"));
}

TEST_F(TrainingTest, AResumeThatCannotBeExactSaysSo) {
    const auto told = [&] {
        const auto reader = store::RunReader::open(runFolder("x"));
        std::vector<std::string> texts;
        for (const auto& event : (*reader)->events())
            if (event.text.find("bits") != std::string::npos) texts.push_back(event.text);
        return texts;
    };
    ASSERT_EQ(run({"train", "small", "--run", "x", "--max-steps", "4", "--quiet"}).code, 0);
    ASSERT_EQ(run({"resume", "x", "--max-steps", "6", "--quiet"}).code, 0);
    EXPECT_THAT(told(), ::testing::IsEmpty());
    std::ofstream(project_ / "data/valid.tsv", std::ios::app) << "one more\tOne more.\n";
    EngineProcess engine({"resume", "x", "--max-steps", "7", "--threads", "2", "--events", "--set",
                          "eval.samples=0", "--set", "eval.prompt_count=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("warning")) << engine.log();
    EXPECT_EQ(engine.found()["code"], "resume.not_exact");
    EXPECT_EQ(engine.finish(), 0);
    const auto texts = told();
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_THAT(texts[0], ::testing::HasSubstr("--threads 1"));
    EXPECT_THAT(texts[1], ::testing::HasSubstr("corpora"));
}

// At rho 1 the map of a sentence of 24 pieces has an input gain of 19.6 (specification, section 9).
TEST_F(TrainingTest, AnIllConditionedMapIsToldOncePerRun) {
    EngineProcess engine(
        {"train", "curve", "--run", "g", "--events", "--max-steps", "6", "--set", "map.rho=1"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("warning"));
    EXPECT_EQ(engine.found()["code"], "train.input_gain");
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

// Requests that are wrong: exit 2, one line on stderr, a document with the code on stdout, and no run left
// behind.
struct Wrong {
    std::vector<std::string> arguments;
    std::string code;
};
class WrongRequestTest : public TrainingTest, public ::testing::WithParamInterface<Wrong> {};

TEST_P(WrongRequestTest, IsNamed) {
    auto arguments = GetParam().arguments;
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    const auto result = run(arguments);
    EXPECT_EQ(result.code, 2) << result.log;
    ASSERT_TRUE(result.json().contains("error")) << result.output;
    EXPECT_EQ(result.json()["error"]["code"], GetParam().code) << result.log;
    EXPECT_EQ(std::count(result.log.begin(), result.log.end(), '\n'), 1) << result.log;
    EXPECT_EQ(result.log.rfind("kurve: ", 0), 0U);
    EXPECT_FALSE(std::filesystem::exists(runFolder("x")));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, WrongRequestTest,
    ::testing::Values(
        Wrong{{"train", "nothing.toml", "--run", "x"}, "experiment.missing"},
        Wrong{{"train", "experiments", "--run", "x"}, "io.open"},
        Wrong{{"train", "small", "--run", "x", "--set", "model.hiden=3"}, "config.unknown_key"},
        Wrong{{"train", "small", "--run", "x", "--set", "model.hidden=wide"}, "config.wrong_type"},
        Wrong{{"train", "small", "--run", "x", "--set", "train.lr=-1"}, "config.out_of_range"},
        Wrong{{"train", "small", "--run", "x", "--set", "train.schedule=never"}, "config.bad_choice"},
        Wrong{{"train", "small", "--run", "x", "--set", "data.train=data/none.tsv"}, "data.missing"},
        Wrong{{"train", "small", "--run", "../x"}, "run.bad_id"},
        Wrong{{"train", "small", "--run", "x", "--device", "tpu"}, "device.unknown"},
        Wrong{{"train", "small", "--run", "x", "--max-steps", "0"}, "cli.usage"},
        Wrong{{"resume", "nobody"}, "run.missing"}, Wrong{{"frobnicate"}, "cli.unknown_command"},
        Wrong{{"sample", "nobody", "--input", "x"}, "run.missing"}));

TEST(EngineTest, GpuThatIsNotThereIsAFailureOfTheMachine) {
    const auto result = runEngine({"describe", "devices", "--json"});
    ASSERT_EQ(result.code, 0);
    if (result.json()["devices"].size() > 1) GTEST_SKIP() << "this machine has a GPU";
    TemporaryFolder project;
    makeSmallProject(project.path());
    const auto train = runEngine({"train", "small", "--device", "cuda", "--json"}, project.path());
    EXPECT_EQ(train.code, 1);
    EXPECT_EQ(train.json()["error"]["code"], "device.no_cuda");
}

TEST(EngineTest, DescribesItself) {
    const auto all = runEngine({"describe", "--json"});
    ASSERT_EQ(all.code, 0) << all.log;
    const json document = all.json();
    for (const char* part : {"families", "schedules", "metrics", "samplers", "devices"})
        EXPECT_FALSE(document[part].empty()) << part;
    for (const char* key :
         {"key", "type", "default", "min", "max", "choices", "unit", "doc", "source", "affects_result"})
        EXPECT_TRUE(document["families"][0]["fields"][0].contains(key)) << key;
    const auto one = runEngine({"describe", "families", "sclm", "--json"});
    EXPECT_EQ(one.json()["families"].size(), 1U);
    // More threads start the program again: what it then prints is still the result.
    const auto threads = runEngine({"describe", "devices", "--threads", "2", "--json"});
    EXPECT_EQ(threads.json()["devices"][0]["threads"], 2) << threads.log;
    const auto version = runEngine({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.output,
                ::testing::AllOf(::testing::HasSubstr("LibTorch 2.11"), ::testing::HasSubstr("SQLite")));
    EXPECT_EQ(runEngine({"completion", "bash"}).output.find("_kurve()"), 0U);
}

}  // namespace
}  // namespace kurve::testing
