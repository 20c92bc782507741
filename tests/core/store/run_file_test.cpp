// Whatever a record says, what a run's files are called names nothing but them.
#include "core/store/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/check.h"
#include "core/store/filter_words.h"
#include "core/store/run_reader.h"
#include "core/store/trace_trash.h"
#include "tests/core/store/hostile_names.h"
#include "tests/core/store/project_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using testing::hostileNames;
using testing::TemporaryFolder;
namespace fs = std::filesystem;
using Kind = RunFile::Kind;

void fill(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "precious";
}

TEST(RunFile, IsACheckpointOrATraceOrNothing) {
    EXPECT_EQ(RunFile("checkpoints/step-00000120").kind(), Kind::Checkpoint);
    EXPECT_EQ(RunFile("traces/a.safetensors").kind(), Kind::Trace);
    EXPECT_EQ(RunFile("trash/20261123-180000-123/traces/a.safetensors").kind(), Kind::Trashed);
    EXPECT_EQ(RunFile("traces/a.safetensors").inTrash("1").text(), "trash/1/traces/a.safetensors");
    EXPECT_EQ(RunFile("trash/1/traces/a.safetensors").outOfTrash(), "traces/a.safetensors");
    for (const std::string& name : hostileNames()) {
        const auto file = RunFile::parse(name);
        ASSERT_FALSE(file) << name;
        EXPECT_EQ(file.error().code, "run.path");
        EXPECT_THAT(file.error().message, ::testing::Not(::testing::ContainsRegex("[\x01-\x1f]"))) << name;
        EXPECT_THROW(RunFile{name}, ContractError) << name;
    }
    for (const char* other : {"trash/1/checkpoints/a", "trash/1", "trash", "runs/a", "traces/a/b", "run.db"})
        EXPECT_FALSE(RunFile::parse(other)) << other;
}

TEST(RunFile, OfAPathInTheFolder) {
    EXPECT_EQ(*RunFile::below("/p/runs/r", "/p/runs/r/traces/a"), "traces/a");
    EXPECT_EQ(*RunFile::below("/p/runs/r", "/p/runs/r/x/../traces/a"), "traces/a");
    for (const char* outside : {"/p/runs/other/traces/a", "/p/runs/r", "/p/runs/r/run.db", "traces/a", ""})
        EXPECT_EQ(RunFile::below("/p/runs/r", outside).error().code, "run.path") << outside;
}

TEST(RunFile, NoLinkLeadsOutOfTheRun) {
    const TemporaryFolder folder;
    fill(folder / "victim/weights");
    fill(folder / "run/checkpoints/own/weights");
    fs::create_symlink("../../victim", folder / "run/checkpoints/link");
    fs::create_symlink("../victim", folder / "run/traces");
    const fs::path run = folder / "run";
    EXPECT_EQ(*RunFile("checkpoints/own").in(run), run / "checkpoints/own");
    EXPECT_EQ(RunFile("checkpoints/link").in(run).error().code, "io.link");
    EXPECT_EQ(RunFile("traces/weights").in(run).error().code, "io.link");
    EXPECT_FALSE(RunFile("checkpoints/link").isIn(run));
    EXPECT_EQ(RunFile("traces/weights").removeFrom(run).error().code, "io.link");
    ASSERT_TRUE(RunFile("checkpoints/link").removeFrom(run));
    EXPECT_FALSE(fs::is_symlink(folder / "run/checkpoints/link"));
    EXPECT_TRUE(fs::exists(folder / "victim/weights"));
    ASSERT_TRUE(RunFile("checkpoints/own").removeFrom(run));
    EXPECT_FALSE(fs::exists(run / "checkpoints/own"));
    EXPECT_TRUE(fs::exists(run / "checkpoints"));
}

TEST(RunFile, IsOfItsKindOnTheDisk) {
    const TemporaryFolder folder;
    fill(folder / "checkpoints/file");
    fs::create_directories(folder / "traces/folder");
    EXPECT_EQ(RunFile("checkpoints/file").in(folder.path()).error().code, "run.path");
    EXPECT_EQ(RunFile("traces/folder").in(folder.path()).error().code, "run.path");
    EXPECT_TRUE(RunFile("traces/not-yet").in(folder.path()));
}

TEST(RunFile, TheTrashFollowsNoLink) {
    const TemporaryFolder folder;
    const Project project = projectIn(folder.path());
    makeRun(project, "r", {{"state", "completed"}});
    const fs::path run = project.runFolder("r");
    fill(folder / "victim/a");
    fs::create_directories(run / "trash/1");
    fs::create_symlink(folder.path() / "victim", run / "trash/1/traces");
    fs::create_symlink(folder.path() / "victim", run / "traces");
    const std::vector<TraceFile> in{{"r", "trash/1/traces/a", 0}}, out{{"r", "traces/a", 0}};
    EXPECT_EQ(purgeTraces(project, in).error().code, "io.link");
    EXPECT_EQ(moveTraces(project, in, out).error().code, "io.link");
    EXPECT_EQ(moveTraces(project, out, in).error().code, "io.link");
    EXPECT_EQ(findInTrash(run, "traces/a"), std::nullopt);
    RunSummary summary;
    summary.id = "r";
    EXPECT_TRUE(diskUse(project, std::vector{summary}).front().files.empty());
    for (const char* id : {"../r", "..", "", "a/../r"})
        EXPECT_EQ(purgeTraces(project, std::vector<TraceFile>{{id, "trash/1/traces/a", 0}}).error().code,
                  "run.not_trace")
            << id;
    EXPECT_TRUE(fs::exists(folder / "victim/a"));
}

TEST(RunFile, DeletingRunsLeavesWhatALinkLeadsTo) {
    const TemporaryFolder folder, other;
    const Project project = projectIn(folder.path()), victim = projectIn(other.path());
    makeRun(victim, "v", {{"state", "completed"}});
    fs::create_directory_symlink(victim.runFolder("v"), project.runFolder("link"));
    RunSummary run;
    run.id = "link";
    run.state = "completed";
    run.trashed = true;
    EXPECT_EQ(RunReader::open(project.runFolder("link")).error().code, "io.link");
    EXPECT_EQ(RunWriter::open(project.runFolder("link")).error().code, "io.link");
    EXPECT_EQ(diskUse(project, std::vector{run}).front().all(), 0);
    ASSERT_TRUE(indexOf(project)->setTrashed("link", true));
    const auto freed = purgeRuns(project, std::vector{run});
    ASSERT_TRUE(freed) << freed.error().text();
    EXPECT_EQ(*freed, 0);
    EXPECT_FALSE(fs::is_symlink(project.runFolder("link")));
    run.id = "../../" + other.path().filename().string() + "/runs/v";
    EXPECT_TRUE(purgeRuns(project, std::vector{run})) << "there is no such run";
    EXPECT_TRUE(fs::exists(victim.runFolder("v") / "run.db"));
    EXPECT_EQ(project.runFolder("../x"), project.runsFolder() / "%%2E%2E%2Fx");
    EXPECT_EQ(project.runFolder("..").parent_path(), project.runsFolder());
    EXPECT_EQ(project.runFolder("my run (2)"), project.runsFolder() / "my run (2)");
}

// A lock that is a link would empty the file that it leads to.
TEST(RunFile, NothingIsWrittenThroughALink) {
    const TemporaryFolder folder;
    const Project project = projectIn(folder.path());
    makeRun(project, "r", {{"state", "completed"}});
    const fs::path run = project.runFolder("r"), victim = folder / "victim";
    fill(victim);
    fs::create_symlink(victim, run / "run.lock");
    EXPECT_FALSE(RunWriter::open(run));
    fs::remove(run / "run.lock");
    fs::rename(run / "run.db", folder / "elsewhere.db");
    fs::create_symlink(folder / "elsewhere.db", run / "run.db");
    EXPECT_EQ(RunWriter::open(run).error().code, "io.link");
    EXPECT_EQ(RunReader::open(run).error().code, "io.link");
    EXPECT_EQ(RunWriter::addTrace(run, {1, 0, "traces/a", "", "", 0}).error().code, "io.link");
    std::ifstream text(victim);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(text), {}), "precious");
    fs::create_directory_symlink(folder.path(), folder / "schedules");
    EXPECT_EQ(Project::open(folder.path()).error().code, "io.link");
}

}  // namespace
}  // namespace kurve::store
