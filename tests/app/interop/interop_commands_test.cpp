// kurve import and kurve export as scripts see them: the real program on the bundled runs.
#include <gmock/gmock.h>

#include <fstream>

#include "core/base/file.h"
#include "core/store/safetensors.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kRun = "restore-sclm-long";
constexpr const char* kOther = "restore-difformer-long";

class InteropCommands : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(project_ / "project.toml") << "name = \"test\"\n";
        fs::create_directory(project_ / "runs");
        for (const char* run : {kRun, kOther})
            fs::copy(source() / "projects/sample/runs" / run, project_ / "runs" / run,
                     fs::copy_options::recursive);
    }
    static fs::path source() { return KURVE_SOURCE_DIR; }
    [[nodiscard]] EngineResult run(const std::vector<std::string>& arguments) const {
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] json document(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        return run(arguments).json();
    }
    [[nodiscard]] std::string code(std::vector<std::string> arguments) const {
        const json answer = document(std::move(arguments));
        return answer.contains("error") ? answer["error"]["code"].get<std::string>() : answer.dump();
    }

    TemporaryFolder project_;
};

TEST_F(InteropCommands, OldRunsSitBesideNewOnes) {
    const json imported = document({"import", source() / "tests/golden/interop/events", "--name", "old"});
    ASSERT_TRUE(imported.contains("run")) << imported;
    ASSERT_EQ(imported["runs"].size(), 3u);
    const json runs = document({"runs", "--filter", "family:imported"})["runs"];
    ASSERT_EQ(runs.size(), 3u);
    for (const auto& one : runs) {
        EXPECT_EQ(one["state"], "completed");
        EXPECT_EQ(document({"verify", one["id"]})["ok"], true);
    }
    EXPECT_EQ(code({"import", source() / "tests/golden/interop/events"}), "import.exists");
    EXPECT_EQ(code({"export", imported["run"], "--what", "config"}), "run.no_config");
    EXPECT_THAT(document({"sample", imported["run"], "--input", "a"})["error"]["remedy"].get<std::string>(),
                HasSubstr("choose a run that Kurve trained"));
    EXPECT_EQ(code({"export", imported["run"], "--what", "trace"}), "export.no_trace");
    const auto page = run({"export", imported["run"], kRun, "--what", "report"});
    EXPECT_EQ(page.code, 0) << page.log;
}

TEST_F(InteropCommands, ImportSaysWhatItLeftOut) {
    std::ofstream(project_ / "log.jsonl") << "{\"step\": 1, \"loss\": NaN}\n{\"loss\": 2}\n";
    const auto refused = run({"import", project_ / "log.jsonl"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, HasSubstr("log.jsonl:2: step: missing"));
    const auto kept = run({"import", project_ / "log.jsonl", "--skip-bad", "--run", "mine", "--json"});
    EXPECT_EQ(kept.code, 0) << kept.log;
    EXPECT_THAT(kept.log, HasSubstr("line 2 left out"));
    EXPECT_EQ(kept.json()["run"], "mine");
    EXPECT_EQ(document({"query", "--run", "mine", "--sql", "SELECT value FROM points"})["rows"],
              json::parse("[[null]]"));
    EXPECT_EQ(run({"import", project_ / "none.csv"}).code, 2);
    EXPECT_EQ(code({"import", project_ / "project.toml"}), "import.format");
    EXPECT_EQ(code({"import", project_ / "log.jsonl", "--format", "xml"}), "cli.usage");
}

TEST_F(InteropCommands, ScalarsOfSeveralRunsComeBackAsRuns) {
    const fs::path table = project_ / "all.csv";
    ASSERT_EQ(run({"export", kRun, kOther, "--metric", "loss", "--out", table}).code, 0);
    const json back = document({"import", table, "--name", "copy"});
    ASSERT_EQ(back["runs"].size(), 2u);
    const auto points = [&](const std::string& id) {
        return document({"query", "--run", id, "--sql",
                         "SELECT step, wall, value FROM points WHERE metric = 'loss' ORDER BY step"})["rows"];
    };
    EXPECT_EQ(back["runs"][1]["name"], std::string("copy/") + kRun);
    EXPECT_EQ(points(back["runs"][1]["run"]), points(kRun));
    EXPECT_EQ(code({"export", kRun, "--metric", "loss", "--out", table}), "io.exists");
}

TEST_F(InteropCommands, WeightsAreOneFileThatAnyReaderOpens) {
    const fs::path file = project_ / "w.safetensors";
    const json written = document({"export", kRun, "--what", "weights", "--out", file});
    ASSERT_EQ(written["file"], file.string()) << written;
    EXPECT_EQ(written["bytes"], fs::file_size(file));
    const auto opened = store::SafetensorsFile::open(file);
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_EQ((*opened)->metadata().at("run"), kRun);
    fs::path weights;
    for (const auto& entry : fs::recursive_directory_iterator(project_ / "runs" / kRun / "checkpoints"))
        if (entry.path().filename() == "weights.safetensors") weights = entry.path();
    const auto original = store::SafetensorsFile::open(weights);
    ASSERT_TRUE(original);
    ASSERT_EQ((*opened)->tensors().size(), (*original)->tensors().size());
    for (const auto& [name, tensor] : (*original)->tensors()) {
        const auto* copy = (*opened)->find(name);
        ASSERT_NE(copy, nullptr);
        EXPECT_TRUE(
            std::equal(tensor.bytes.begin(), tensor.bytes.end(), copy->bytes.begin(), copy->bytes.end()));
    }
    EXPECT_EQ(code({"export", kRun, "--what", "weights"}), "export.needs_file");
    EXPECT_EQ(code({"export", kRun, "--what", "weights", "--checkpoint", "nan", "--out", project_ / "x"}),
              "checkpoint.missing");
    EXPECT_THAT(run({"export", kRun, "--what", "weights", "--format", "csv"}).output,
                HasSubstr("tensor,dtype,shape,elements\n"));
}

TEST_F(InteropCommands, ATraceOnStandardOutputIsTheFileItself) {
    const auto binary = run({"export", kRun, "--what", "trace", "--format", "safetensors"});
    ASSERT_EQ(binary.code, 0) << binary.log;
    std::ofstream(project_ / "t.safetensors", std::ios::binary) << binary.output;
    EXPECT_TRUE(store::SafetensorsFile::open(project_ / "t.safetensors"));
    EXPECT_EQ(code({"export", kRun, "--what", "trace", "--format", "safetensors"}), "export.needs_file");
    const auto player = run({"export", kRun, "--what", "trace", "--format", "html"});
    EXPECT_THAT(player.output, HasSubstr("kurve.player/1"));
    EXPECT_THAT(run({"export", kRun, "--what", "trace", "--format", "markdown"}).output,
                HasSubstr("| step | t |"));
}

TEST_F(InteropCommands, OneFileComparesRuns) {
    const fs::path file = project_ / "report.html";
    const json written =
        document({"export", kRun, kOther, "--what", "report", "--title", "Mine", "--out", file});
    EXPECT_EQ(written["runs"], json({kRun, kOther})) << written;
    const std::string page = *readFile(file);
    EXPECT_THAT(page, HasSubstr("<title>Mine</title>"));
    EXPECT_THAT(page, HasSubstr(kOther));
    EXPECT_EQ(code({"export", kRun, "--what", "report", "--out", file}), "io.exists");
    EXPECT_EQ(code({"export", kRun, "--what", "report", "--format", "csv"}), "export.format");
    EXPECT_EQ(code({"export", kRun, kOther, "--what", "trace"}), "export.one_run");
    EXPECT_EQ(code({"export", source() / "projects/sample/runs" / kRun, "--what", "report", "--project",
                    project_.path()}),
              "report.other_project");
    std::ofstream(project_ / "eval.json") << "{}";
    EXPECT_EQ(code({"export", kRun, "--what", "report", "--eval", project_ / "eval.json"}),
              "report.evaluation");
}

}  // namespace
}  // namespace kurve::testing
