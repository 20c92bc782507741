// kurve runs, query, export and verify on a project whose runs were written manually.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/file.h"
#include "core/store/run_writer.h"
#include "core/trace/trace.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class StoreCommands : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(project_ / "project.toml") << "name = \"test\"\n";
        makeRun("good", "sclm", 60.5);
        makeRun("other", "difformer", 12);
    }

    void makeRun(const std::string& id, const std::string& family, double bleu) {
        auto writer = store::RunWriter::open(project_ / ("runs/" + id));
        ASSERT_TRUE(writer);
        for (const auto& [key, value] :
             std::map<std::string, std::string>{{"id", id},
                                                {"name", "the " + id + " one"},
                                                {"family", family},
                                                {"state", "completed"},
                                                {"config", "family = \"" + family + "\"\n"}})
            (*writer)->set(key, value);
        for (int i = 0; i < 1500; ++i)
            (*writer)->scalar("loss", i, 1.8e9 + 0.5 * i, i == 3 ? NAN : i == 4 ? INFINITY : 1.0 / (i + 1));
        (*writer)->scalar("valid_bleu", 1499, 1.8e9, bleu);
        (*writer)->sample({10, 0, "in, put", "out \"put\"", "ref", -1.25, {}});
        addTrace(**writer, id);
        ASSERT_TRUE((*writer)->flush());
    }

    void addTrace(store::RunWriter& writer, const std::string& id) {
        trace::Trace t;
        t.steps = t.positions = 1;
        t.tokens = {7};
        t.state = {2};
        t.confidence = t.entropy = t.margin = {0.5f};
        t.topIds.assign(trace::kTopCandidates, 7);
        t.topProbability.assign(trace::kTopCandidates, 0.125f);
        t.t = {1};
        t.logSnr = {-INFINITY};
        t.tokenTexts = {{7, "▁word"}};
        fs::create_directories(project_ / ("runs/" + id + "/traces"));
        const auto hash = trace::writeTrace(project_ / ("runs/" + id + "/traces/a.safetensors"), t);
        ASSERT_TRUE(hash);
        writer.trace(
            {10, 0, "traces/a.safetensors", "in, put", *hash,
             static_cast<std::int64_t>(fs::file_size(project_ / ("runs/" + id + "/traces/a.safetensors")))});
    }

    [[nodiscard]] EngineResult run(std::vector<std::string> arguments) const {
        arguments.emplace_back("--quiet");
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] json document(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        const auto result = run(arguments);
        return result.json();
    }

    TemporaryFolder project_;
};

TEST_F(StoreCommands, RunsListsAndFilters) {
    const json all = document({"runs"}).at("runs");
    ASSERT_EQ(all.size(), 2u);
    for (const char* key :
         {"id", "name", "family", "state", "reason", "step", "started", "ended", "metrics", "tags"})
        EXPECT_TRUE(all[0].contains(key)) << key;
    const json some = document({"runs", "--filter", "valid_bleu>60 family:sclm one"}).at("runs");
    ASSERT_EQ(some.size(), 1u);
    EXPECT_EQ(some[0]["name"], "the good one");
    EXPECT_EQ(some[0]["metrics"]["valid_bleu"], 60.5);
    EXPECT_EQ(some[0]["step"], 1499);
    EXPECT_EQ(document({"runs", "--filter", "family:sclm train.accumulate=1"}).at("runs"),
              document({"runs", "--filter", "family:sclm"}).at("runs"))
        << "the default";
    const auto bad = run({"runs", "--filter", "bleu>", "--json"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_EQ(bad.json()["error"]["code"], "filter.syntax");
    EXPECT_NE(run({"runs"}).output.find("the other one"), std::string::npos);
}

TEST_F(StoreCommands, QueryReadsTheIndexAndARun) {
    const json runs = document({"query", "--sql", "SELECT id, step FROM runs ORDER BY id"});
    EXPECT_EQ(runs["columns"], json({"id", "step"}));
    EXPECT_EQ(runs["rows"], json::parse(R"([["good",1499],["other",1499]])"));
    const json points =
        document({"query", "--run", "good", "--sql",
                  "SELECT step, value FROM points WHERE metric = 'loss' AND step IN (0, 3, 4, 1499) "
                  "ORDER BY step"});
    EXPECT_EQ(points["rows"][0], json::parse("[0, 1.0]"));
    EXPECT_EQ(points["rows"][1], json::parse("[3, null]"));
    EXPECT_EQ(points["rows"][2], json::parse(R"([4, "inf"])"));
    EXPECT_EQ(points["rows"][3][1], 1.0 / 1500);
    EXPECT_EQ(run({"query", "--sql", "DELETE FROM runs"}).code, 2);
    EXPECT_EQ(document({"query", "--run", "goot", "--sql", "SELECT 1"})["error"]["remedy"],
              "did you mean good?");
}

TEST_F(StoreCommands, ExportKeepsFullResolutionAndOverwritesNothing) {
    const fs::path out = project_ / "scalars.csv";
    ASSERT_EQ(run({"export", "good", "--metric", "loss", "--out", out}).code, 0);
    std::istringstream lines(*readFile(out));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "metric,step,wall,value");
    for (int i = 0; std::getline(lines, line); ++i) {
        const double value = std::strtod(line.substr(line.rfind(',') + 1).c_str(), nullptr);
        if (i == 3)
            ASSERT_TRUE(std::isnan(value));
        else
            ASSERT_EQ(value, i == 4 ? INFINITY : 1.0 / (i + 1)) << line;
        if (i == 1499) EXPECT_EQ(line.rfind("loss,1499,1800000749.5,", 0), 0u) << line;
    }
    EXPECT_EQ(document({"export", "good", "--out", out})["error"]["code"], "io.exists");
    EXPECT_EQ(run({"export", "good", "--out", out, "--force"}).code, 0);
    const json all = json::parse(run({"export", "good", "--format", "json"}).output);
    EXPECT_EQ(all["metrics"]["loss"]["value"][4], "inf");
    EXPECT_EQ(all["metrics"]["loss"]["step"].size(), 1500u);
    EXPECT_EQ(run({"export", "good", "--what", "samples"}).output,
              "step,prompt,input,output,reference,score\n10,0,\"in, put\",\"out \"\"put\"\"\",ref,-1.25\n");
    EXPECT_EQ(json::parse(run({"export", "good", "--what", "config", "--format", "json"}).output)["family"],
              "sclm");
    const json trace = json::parse(run({"export", "good", "--what", "trace"}).output);
    EXPECT_EQ(trace["token_texts"]["7"], "▁word");
    EXPECT_EQ(trace["frames"][0]["state"][0], "new");
    EXPECT_EQ(trace["frames"][0]["log_snr"], "-inf");
    EXPECT_EQ(document({"export", "good", "--metric", "los"})["error"]["remedy"], "did you mean loss?");
    EXPECT_EQ(document({"export", "good", "--format", "safetensors"})["error"]["code"], "export.needs_file");
}

TEST_F(StoreCommands, VerifyNamesWhatIsDamagedAndRepairsTheIndex) {
    EXPECT_EQ(document({"verify"})["ok"], true);
    std::ofstream(project_ / "index.db", std::ios::trunc) << "no database";
    std::fstream(project_ / "runs/good/traces/a.safetensors", std::ios::in | std::ios::out).seekp(20) << "?";
    fs::remove(project_ / "runs/other/traces/a.safetensors");
    const auto broken = run({"verify", "--json"});
    EXPECT_EQ(broken.code, 1);
    std::map<std::string, int> codes;
    const json problems = broken.json()["problems"];
    for (const auto& problem : problems) ++codes[problem["code"]];
    EXPECT_EQ(codes, (std::map<std::string, int>{{"io.open", 1}, {"store.damaged", 1}, {"verify.hash", 1}}));
    EXPECT_EQ(document({"verify", "--repair"})["problems"].size(), 2u);
    EXPECT_EQ(document({"runs"})["runs"].size(), 2u);
    EXPECT_EQ(document({"verify", "other"})["checked"], 4);
    std::ofstream(project_ / "runs/other/run.db", std::ios::trunc) << std::string(5000, 'x');
    EXPECT_EQ(document({"verify", "other"})["problems"][0]["code"], "store.damaged");
    EXPECT_EQ(document({"runs", "--filter", "state:damaged"})["runs"].size(), 1u);
}

// A terabyte that takes no room: hashing it would take an hour.
TEST_F(StoreCommands, VerifyDoesNotHashATraceOfAnotherSize) {
    fs::resize_file(project_ / "runs/good/traces/a.safetensors", std::uintmax_t{1} << 40);
    const json problems = document({"verify", "good"})["problems"];
    ASSERT_EQ(problems.size(), 1u) << problems;
    EXPECT_EQ(problems[0]["code"], "verify.hash");
    EXPECT_NE(problems[0]["message"].get<std::string>().find("holds 1099511627776 bytes"), std::string::npos);
}

TEST_F(StoreCommands, VerifyFindsAFlippedByteOfARunDb) {
    const auto file = project_ / "runs/good/run.db";
    const auto text = readFile(file);
    const auto at = text->find("out \"put\"");
    ASSERT_NE(at, std::string::npos);
    std::fstream(file, std::ios::in | std::ios::out).seekp(static_cast<std::streamoff>(at)) << "O";
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"verify", "good"}, {"verify", "good", "--thorough"}}) {
        const json problems = document(words)["problems"];
        ASSERT_EQ(problems.size(), 1u) << problems;
        EXPECT_EQ(problems[0]["code"], "store.damaged");
        EXPECT_NE(problems[0]["message"].get<std::string>().find("table samples"), std::string::npos)
            << problems;
    }
}

// One finding for a changed file, however many recorded it; the hashes are those of sha256sum.
TEST_F(StoreCommands, VerifyNamesACorpusThatWasChanged) {
    std::ofstream(project_ / "mine.tsv") << "a b\tA b.\nc d\tC d.\n";
    ASSERT_EQ(run({"data", "import", "mine", "--train", project_ / "mine.tsv"}).code, 0);
    const auto file = project_ / "data/mine.train.tsv";
    const std::string before = "f8c818eb11bdcd5a979cfe89fac865e9f3fed1960290ea697d1ff6e4a20ea394",
                      after = "3c0f3bacf383ee32b311269357e37ffca892d718118ecd5859f7278e28100ad1";
    for (const char* id : {"good", "other"}) {
        auto writer = store::RunWriter::open(project_ / ("runs/" + std::string(id)));
        ASSERT_TRUE(writer);
        (*writer)->set("corpora", json{{"data/mine.train.tsv", before}}.dump());
        ASSERT_TRUE((*writer)->flush());
    }
    EXPECT_EQ(run({"verify"}).code, 0);
    std::ofstream(file, std::ios::app) << "e f\tE f.\n";
    for (const std::vector<std::string>& target : {std::vector<std::string>{}, {"good"}}) {
        std::vector<std::string> arguments{"verify", "--json"};
        arguments.insert(arguments.end(), target.begin(), target.end());
        const auto broken = run(arguments);
        EXPECT_EQ(broken.code, 1);
        const json problems = broken.json()["problems"];
        ASSERT_EQ(problems.size(), 1u) << problems;
        EXPECT_EQ(problems[0]["code"], "verify.corpus");
        EXPECT_EQ(problems[0]["file"], file.string());
        const std::string message = problems[0]["message"];
        for (const std::string& part :
             {after, before, std::string("the import of mine"), std::string("run good")})
            EXPECT_NE(message.find(part.substr(0, 12)), std::string::npos) << message;
        EXPECT_NE(problems[0]["remedy"].get<std::string>().find("restore"), std::string::npos);
    }
    fs::remove(file);
    EXPECT_EQ(document({"verify", "other"})["problems"][0]["code"], "verify.corpus");
    std::ofstream(project_ / "data/mine.corpus.json", std::ios::trunc) << "[1, 2";
    EXPECT_EQ(document({"verify"})["problems"].size(), 2u);
}

}  // namespace
}  // namespace kurve::testing
