// A project that somebody else filled: whatever its records say and wherever its links lead, nothing outside
// it is written or deleted, and its own runs go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/store/run_reader.h"
#include "tests/app/engine/training_test.h"
#include "tests/core/store/hostile_names.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class HostileProjectTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        ASSERT_EQ(run({"train", "small", "--run", "a", "--quiet", "--set", "checkpoint.every_steps=2",
                       "--set", "checkpoint.keep_last=6"})
                      .code,
                  0);
        std::ofstream(victim_ / "file") << "precious";
    }
    void TearDown() override {
        EXPECT_EQ(*readFile(victim_ / "file"), "precious");
        EXPECT_EQ(std::distance(fs::directory_iterator(victim_.path()), fs::directory_iterator()), 1)
            << "something was written there";
    }
    void record(const std::string& path) const {
        const fs::path db = runFolder("a") / "run.db";
        writeRow(db, "INSERT INTO checkpoints VALUES(?1, 1, '', NULL, 1, 0, 0)", path);
        writeRow(db, "INSERT INTO traces VALUES(?1, 1, 12, 0, '', '', 1, 0)", path);
        writeRow(db, "INSERT INTO samples VALUES(NULL, 1, 12, 0, '', '', '', 0, ?1, 0)", path);
    }
    /// From the run's folder upward: both lie in the folder for temporary files.
    [[nodiscard]] std::string wayOut() const { return "../../../" + victim_.path().filename().string(); }
    [[nodiscard]] std::size_t checkpoints() const {
        const auto folder = fs::directory_iterator(runFolder("a") / "checkpoints");
        return static_cast<std::size_t>(std::distance(folder, fs::directory_iterator()));
    }
    [[nodiscard]] std::string codeOf(const std::vector<std::string>& words) const {
        auto all = words;
        all.insert(all.end(), {"--json", "--quiet"});
        const auto result = run(all);
        EXPECT_NE(result.code, 0);
        return result.json()["error"]["code"];
    }

    TemporaryFolder victim_;
};

TEST_F(HostileProjectTest, RowsThatLeadOutAreReportedAndLeftAlone) {
    std::vector<std::string> names = hostileNames();
    names.insert(names.end(), {wayOut(), victim_.path().string(), "checkpoints/../" + wayOut()});
    for (const std::string& name : names) record(name);
    const fs::path db = runFolder("a") / "run.db";
    fs::create_directory_symlink(victim_.path(), runFolder("a") / "checkpoints/link");
    fs::create_symlink(victim_ / "file", runFolder("a") / "traces/link");
    writeRow(db, "INSERT INTO checkpoints VALUES(?1, 1, '', NULL, 1, 0, 0)", "checkpoints/link");
    writeRow(db, "INSERT INTO traces VALUES(?1, 1, 1, 0, '', '', 1, 0)", "traces/link");

    const auto report = run({"verify", "a", "--json", "--quiet"});
    EXPECT_EQ(report.code, 1);
    std::map<std::string, std::size_t> reported;
    const json answer = report.json();
    for (const auto& problem : answer["problems"]) {
        const json& field = problem["field"];
        ++reported[problem["code"].get<std::string>() + " " +
                   (field.is_string() ? field.get<std::string>() : "")];
    }
    EXPECT_EQ(reported["run.path checkpoints.path"], names.size());
    EXPECT_EQ(reported["run.path traces.path"], names.size());
    EXPECT_EQ(reported["run.path samples.trace_file"], names.size() - 1)
        << "an empty one says that there is none";
    EXPECT_EQ(reported["io.link "], 2U) << "as a checkpoint and as a trace";

    const auto all = checkpoints();
    const auto pruned =
        run({"checkpoints", "a", "--keep-last", "2", "--keep-best", "0", "--prune", "--json", "--quiet"});
    EXPECT_EQ(pruned.code, 0) << pruned.log;
    EXPECT_EQ(pruned.json()["checkpoints"].size(), 2U);
    EXPECT_LT(checkpoints(), all);
    const auto more = run({"resume", "a", "--max-steps", "20", "--json", "--quiet"});
    EXPECT_EQ(more.code, 0) << more.log;
    EXPECT_EQ(more.json()["steps"], 20);
    EXPECT_EQ(run({"sample", "a", "--input", "in the beginning", "--quiet"}).code, 0);
    EXPECT_EQ(run({"export", "a", "--what", "trace", "--out", "-", "--quiet"}).code, 0);
    EXPECT_EQ(run({"verify", "--repair", "--quiet"}).code, 1);
    EXPECT_TRUE(fs::exists(runFolder("a") / "traces"));
}

TEST_F(HostileProjectTest, FoldersThatAreLinksAreRefused) {
    const fs::path own = runFolder("a") / "checkpoints", kept = project_ / "kept";
    fs::rename(own, kept);
    fs::create_directory_symlink(kept, own);
    const auto count = [&] { return std::distance(fs::directory_iterator(kept), fs::directory_iterator()); };
    const auto before = count();
    EXPECT_EQ(codeOf({"resume", "a", "--max-steps", "20"}), "io.link");
    EXPECT_EQ(codeOf({"sample", "a", "--input", "x"}), "io.link");
    EXPECT_EQ(run({"checkpoints", "a", "--keep-last", "1", "--keep-best", "0", "--prune"}).code, 0);
    EXPECT_EQ(count(), before);
    fs::remove(own);
    fs::rename(kept, own);

    fs::rename(runFolder("a") / "tokenizer", project_ / "kept");
    fs::create_directory_symlink(project_ / "kept", runFolder("a") / "tokenizer");
    EXPECT_EQ(codeOf({"sample", "a", "--input", "x"}), "io.link");
    fs::remove(runFolder("a") / "tokenizer");
    fs::rename(project_ / "kept", runFolder("a") / "tokenizer");

    fs::remove_all(runFolder("a") / "traces");
    fs::create_directory_symlink(victim_.path(), runFolder("a") / "traces");
    EXPECT_EQ(codeOf({"trace", "a", "--input", "in the beginning"}), "io.link");
    EXPECT_EQ(codeOf({"export", "a", "--what", "trace", "--out", "-"}), "io.link");
    for (const char* name : {"sweeps", "evaluations"})
        fs::create_directory_symlink(victim_.path(), runFolder("a") / name);
    EXPECT_EQ(codeOf({"eval", "a", "--limit", "2", "--save"}), "io.link");

    fs::create_directory_symlink(runFolder("a"), runFolder("b"));
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"resume", "b", "--max-steps", "20"}, {"checkpoints", "b", "--prune"}, {"export", "b"}})
        EXPECT_EQ(codeOf(words), "io.link");
    for (const char* name : {"schedules", "layouts", ".starts"}) {
        fs::create_directory_symlink(victim_.path(), project_ / name);
        EXPECT_EQ(codeOf({"runs"}), "io.link") << name;
        fs::remove(project_ / name);
    }
}

TEST_F(HostileProjectTest, FilesThatAreLinksAreNotWritten) {
    const fs::path lock = runFolder("a") / "run.lock";
    fs::create_symlink(victim_ / "file", lock);
    EXPECT_EQ(codeOf({"resume", "a", "--max-steps", "20"}), "io.link");
    EXPECT_EQ(codeOf({"checkpoints", "a", "--prune"}), "io.link");
    fs::remove(lock);
    fs::create_symlink(victim_ / "file", runFolder("a") / "sampler.json");
    EXPECT_EQ(run({"default-sampler", "a", "--set", "sampler.steps=3", "--quiet"}).code, 0)
        << "the link is replaced";
    const fs::path newest = runFolder("a") / "checkpoints/step-00000012";
    fs::create_symlink(victim_ / "file", newest / "ema.safetensors");
    EXPECT_EQ(codeOf({"sample", "a", "--input", "x"}), "io.link");
}

TEST_F(HostileProjectTest, RecordsAndMessagesNameRunsOrTraces) {
    const fs::path db = runFolder("a") / "run.db";
    writeRow(db, "INSERT OR REPLACE INTO run VALUES('parent', ?1, 0)", victim_.path().string());
    writeRow(db, "INSERT OR REPLACE INTO run VALUES('parent_checkpoint', ?1, 0)", victim_.path().string());
    EXPECT_EQ(codeOf({"reproduce", "a"}), "reproduce.fork");
    writeRow(db, "INSERT OR REPLACE INTO run VALUES('id', ?1, 0)", "../../../victim");
    writeRow(db, "INSERT OR REPLACE INTO run VALUES('source_tokenizer_hash', ?1, 0)", "../../../../");
    EXPECT_EQ(run({"data", "tokenize", "--run", "a"}).code, 0) << "the hash leads to no file";
    EXPECT_EQ(run({"verify", "a", "--quiet"}).code, 1) << "another hash than the tokenizer has";
    for (const char* id : {"..", ".", "../runs/a/..", ""}) {
        EXPECT_EQ(codeOf({"export", id}), *id == '\0' ? "cli.usage" : "run.missing") << id;
        if (*id != '\0') EXPECT_NE(run({"train", "small", "--quiet", "--run=" + std::string(id)}).code, 0);
    }
    EXPECT_EQ(codeOf({"sample", "a", "--input", "x", "--set", "sampler.selection=ppl", "--set",
                      "sampler.scorer=" + victim_.path().string()}),
              "config.bad_run");

    EngineProcess engine({"sample", "a", "--serve"}, project_.path());
    ASSERT_TRUE(engine.waitForType("state"));
    std::vector<std::string> names = hostileNames();
    names.insert(names.end(), {wayOut() + "/file", (victim_ / "file").string()});
    for (const std::string& name : names) {
        if (name.find('\0') != name.npos) continue;
        engine.send({{"type", "branch"}, {"id", "b"}, {"parent", name}, {"step", 0}});
        ASSERT_TRUE(engine.waitForType("error"));
        EXPECT_EQ(engine.found()["code"], "run.path") << name;
    }
    for (const std::string& file :
         {(victim_ / "file").string(), std::string("new.safetensors"), (victim_ / "new.toml").string()}) {
        engine.send({{"type", "trace"}, {"id", "t"}, {"input", "x"}, {"follow", file}});
        ASSERT_TRUE(engine.waitForType("error"));
        EXPECT_EQ(engine.found()["field"], "follow") << file;
    }
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

TEST_F(HostileProjectTest, PinnedRunsLeadNowhere) {
    const fs::path db = runFolder("a") / "run.db";
    const auto pinned = [&](const std::string& field, const std::string& name) {
        const json pin{{"field", field}, {"value", "s"},   {"run", name},      {"checkpoint", "last"},
                       {"step", 1},      {"weights", "0"}, {"tokenizer", "0"}, {"references", json::array()}};
        writeRow(db, "INSERT OR REPLACE INTO run VALUES('references', ?1, 0)", json::array({pin}).dump());
    };
    const std::vector<std::string> ranked{
        "sample", "a", "--input", "x", "--set", "sampler.selection=ppl", "--set", "sampler.scorer=s"};
    for (const std::string& name : {wayOut(), victim_.path().string(), std::string("../runs")}) {
        pinned(name, "s");
        EXPECT_EQ(codeOf(ranked), "run.missing") << "no pin: looked up in the project";
        pinned("sampler.scorer", name);
        EXPECT_EQ(codeOf(ranked), "run.missing");
        const json report = run({"verify", "a", "--json", "--quiet"}).json();
        ASSERT_EQ(report["problems"].size(), 1U) << report.dump();
        EXPECT_EQ(report["problems"][0]["code"], "store.damaged")
            << "the row's checksum; of the pin nothing is looked at";
    }
    pinned("sampler.scorer", "s");
    fs::create_directory_symlink(victim_.path(), runFolder("a") / "references");
    EXPECT_EQ(codeOf(ranked), "reference.missing");
    EXPECT_EQ(run({"verify", "a", "--quiet"}).code, 1) << "the copy is not there";
}

}  // namespace
}  // namespace kurve::testing
