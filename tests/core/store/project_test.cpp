// A project, its index of runs, and the processes that write them.
#include "core/store/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <fstream>

#include "core/base/clock.h"
#include "core/frontier/front_numbers.h"
#include "core/store/detail/process.h"
#include "core/store/detail/sqlite.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/core/store/project_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

TEST(Project, IsFoundUpwardAndKnowsItsExperiments) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path(), "name = \"demo\"\ndefault_experiment = \"sclm\"\n");
    std::filesystem::create_directories(folder / "experiments/deep");
    for (const char* name : {"a.toml", "sclm.toml", "b.toml", "notes.txt"})
        std::ofstream(folder / "experiments" / name);
    EXPECT_EQ(project.name(), "demo");
    EXPECT_EQ(project.defaultRun(), "");
    EXPECT_EQ(projectIn(folder.path(), "default_run = \"best\"\n").defaultRun(), "best");
    std::vector<std::string> names;
    for (const auto& file : project.experiments()) names.push_back(file.filename());
    EXPECT_THAT(names, ElementsAre("sclm.toml", "a.toml", "b.toml"));
    EXPECT_EQ(Project::findUpward(folder / "experiments/deep")->folder(), project.folder());
    const TemporaryFolder empty;
    EXPECT_EQ(Project::open(empty.path()).error().code, "project.missing");
    EXPECT_EQ(Project::findUpward(empty.path()).error().code, "project.missing");
    std::ofstream(empty / "project.toml") << "ok = 1\nname = \n";
    EXPECT_EQ(Project::open(empty.path()).error().code, "project.syntax");
    EXPECT_EQ(Project::open(empty.path()).error().line, 2);
}

TEST(ProjectIndex, ShowsTheRecordOfARun) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "r1",
            {{"name", "first"},
             {"family", "sclm"},
             {"state", "completed"},
             {"task", "restore"},
             {"experiment", "small.toml"},
             {"total_steps", "30"},
             {"started", "1000.5"},
             {"config_hash", "abc"},
             {"settings", R"({"train.lr":"5e-4"})"}});
    std::ofstream(project.runFolder("r1") / "BUNDLED");
    const auto index = indexOf(project);
    const auto run = runOf(*index, "r1");
    EXPECT_EQ(std::tie(run.name, run.family, run.state, run.task, run.configHash),
              std::make_tuple("first", "sclm", "completed", "restore", "abc"));
    EXPECT_EQ(run.experiment, "small.toml");
    EXPECT_EQ(runOf(*indexOf(project), "r1").experiment, "small.toml") << "also as listed before";
    EXPECT_EQ(run.step, 30);
    EXPECT_EQ(run.totalSteps, 30);
    EXPECT_EQ(run.started, 1000.5);
    EXPECT_EQ(run.metrics.at("valid/bleu"), 23);
    EXPECT_EQ(run.settings.at("train.lr"), "5e-4");
    EXPECT_TRUE(run.bundled);
    EXPECT_GT(run.bytes, 4096);
}

TEST(ProjectIndex, KnowsTheOriginOfARunAlsoFromAnotherSession) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "fork",
            {{"state", "completed"},
             {"parent", "root"},
             {"parent_checkpoint", "step-00000400"},
             {"config", "family = \"toy\"\npreset = \"tiny\"\n\n[model]\npreset = \"no\"\n"}});
    makeRun(project, "again",
            {{"state", "completed"},
             {"reproduces", "root"},
             {"planned_seconds", "90"},
             {"config", "family = \"toy\"\n"}});
    for (int session = 0; session < 2; ++session) {  // the second reads the index alone
        const auto index = indexOf(project);
        EXPECT_EQ(runOf(*index, "fork").parentStep, 400);
        EXPECT_EQ(runOf(*index, "fork").settings.at("preset"), "tiny");
        EXPECT_EQ(runOf(*index, "again").parentStep, -1);
        EXPECT_EQ(runOf(*index, "again").reproduces, "root");
        EXPECT_EQ(runOf(*index, "again").plannedSeconds, 90);
        EXPECT_EQ(runOf(*index, "fork").plannedSeconds, 0);
        EXPECT_FALSE(runOf(*index, "again").settings.contains("preset"));
    }
    // An index by a program that read less is read again.
    detail::Database(folder / "index.db", detail::Access::Write)
        .execute("UPDATE runs SET stamp = substr(stamp, 3), process = '{}', settings = '{}'");
    EXPECT_EQ(runOf(*indexOf(project), "fork").parentStep, 400);
    EXPECT_EQ(runOf(*indexOf(project), "fork").settings.at("preset"), "tiny");
}

TEST(ProjectIndex, RefreshNamesWhatChanged) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    auto index = ProjectIndex::open(project);
    ASSERT_TRUE(index);
    EXPECT_THAT(*(*index)->refresh(), IsEmpty());
    makeRun(project, "a", {{"state", "completed"}});
    makeRun(project, "b", {{"state", "completed"}});
    std::filesystem::create_directories(project.runFolder("not a run"));
    EXPECT_THAT(*(*index)->refresh(), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(*(*index)->refresh(), IsEmpty());
    makeRun(project, "b", {{"state", "cancelled"}});
    EXPECT_THAT(*(*index)->refresh(), ElementsAre("b"));
    EXPECT_EQ(runOf(**index, "b").state, "cancelled");
    std::filesystem::remove_all(project.runFolder("a"));
    EXPECT_THAT(*(*index)->refresh(), ElementsAre("a"));
    EXPECT_EQ((*index)->runs()->size(), 1u);
    EXPECT_THAT(*indexOf(project)->refresh(), IsEmpty()) << "a second index reads nothing again";
}

TEST(ProjectIndex, ACheckpointThatIsFetchedChangesTheSize) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "r", {{"state", "completed"}});
    const auto index = indexOf(project);
    const auto before = runOf(*index, "r").bytes;
    const auto checkpoints = project.runFolder("r") / "checkpoints";
    std::filesystem::create_directories(checkpoints / "step-00000001");
    std::ofstream(checkpoints / "step-00000001/weights.safetensors") << std::string(5000, 'x');
    EXPECT_THAT(*index->refresh(), ElementsAre("r")) << "though run.db is as it was";
    EXPECT_EQ(runOf(*index, "r").bytes, before + 5000);
    EXPECT_THAT(*index->refresh(), IsEmpty());
}

TEST(ProjectIndex, ASweepGivesTheRunANumber) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "r", {{"state", "completed"}});
    const auto index = indexOf(project);
    EXPECT_FALSE(runOf(*index, "r").metrics.contains(frontier::kFrontArea));
    const auto decode = [&](const char* name, double distinct, double chrf) {
        frontier::SweepPoint point;
        point.diversity["distinct-2"].value = distinct;
        point.quality["chrf"].value = chrf;
        point.referenceDiversity["distinct-2"] = 0.8;
        ASSERT_TRUE(frontier::savePoint(frontier::pointFile(project.runFolder("r"), name), point));
    };
    decode("one", 0.5, 60);
    EXPECT_THAT(*index->refresh(), ElementsAre("r")) << "though run.db is as it was";
    EXPECT_NEAR(runOf(*index, "r").metrics.at(frontier::kFrontArea), 0.3, 1e-12);
    decode("two", 0.8, 20);
    ASSERT_TRUE(index->refresh());
    EXPECT_NEAR(runOf(*index, "r").metrics.at(frontier::kFrontArea), 0.36, 1e-12);
    // New points of the curves leave it, a second index knows it, and the filter asks for it.
    makeRun(project, "r", {{"state", "cancelled"}}, 30);
    EXPECT_THAT(*index->refresh(), ElementsAre("r"));
    EXPECT_NEAR(runOf(*index, "r").metrics.at(frontier::kFrontArea), 0.36, 1e-12);
    EXPECT_NEAR(runOf(*index, "r").metrics.at(frontier::kFrontDistance), 0.5, 1e-12) << "0.3 and 0.4";
    EXPECT_TRUE(RunFilter::parse("front_area>0.35")->matches(runOf(*indexOf(project), "r")));
    std::filesystem::remove_all(project.runFolder("r") / "sweeps");
    ASSERT_TRUE(index->refresh());
    EXPECT_FALSE(runOf(*index, "r").metrics.contains(frontier::kFrontArea));
    EXPECT_FALSE(runOf(*index, "r").metrics.contains(frontier::kFrontDistance));
}

TEST(ProjectIndex, KeepsMarksThroughARebuild) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "a", {{"name", "given by the run"}, {"state", "completed"}});
    const auto index = indexOf(project);
    const auto other = indexOf(project);
    ASSERT_TRUE(index->setName("a", "mine"));
    ASSERT_TRUE(index->changeTags("a", {"good", "two words"}, {}));
    ASSERT_TRUE(index->setNotes("a", "a \"note\"", ""));
    ASSERT_TRUE(index->setStarred("a", true));
    ASSERT_TRUE(index->setTrashed("a", true));
    ASSERT_TRUE(index->setTrashed("a", false));
    EXPECT_EQ(index->setStarred("none", true).error().code, "store.missing");
    const auto check = [&](const RunSummary& run) {
        EXPECT_EQ(run.name, "mine");
        EXPECT_THAT(run.tags, ElementsAre("good", "two words"));
        EXPECT_EQ(run.notes, "a \"note\"");
        EXPECT_TRUE(run.starred);
        EXPECT_FALSE(run.trashed);
    };
    check(runOf(*index, "a"));
    check(runOf(*other, "a"));
    ASSERT_TRUE(index->rebuild());
    check(runOf(*index, "a"));
    ASSERT_TRUE(index->setName("a", ""));
    EXPECT_EQ(runOf(*index, "a").name, "given by the run");
}

/// A run whose writer is a child process that stays alive until it is signalled.
class LiveRun {
public:
    LiveRun(const Project& project, const std::string& id) {
        int ready[2];
        EXPECT_EQ(::pipe(ready), 0);
        child_ = ::fork();
        if (child_ == 0) {
            auto writer = RunWriter::open(project.runFolder(id));
            (*writer)->set("state", "running");
            (*writer)->heartbeat(5);
            (void)(*writer)->flush();
            (void)!::write(ready[1], "x", 1);
            ::pause();
            ::_exit(0);
        }
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    void kill() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }

private:
    pid_t child_;
};

TEST(ProjectIndex, ARunWhoseProcessIsGoneHasCrashed) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    LiveRun live(project, "a");
    const auto index = indexOf(project);
    EXPECT_EQ(runOf(*index, "a").state, "running");
    EXPECT_THAT(*index->refresh(), IsEmpty());
    live.kill();
    EXPECT_THAT(*index->refresh(), ElementsAre("a")) << "though no file changed";
    EXPECT_EQ(runOf(*index, "a").state, "crashed");
    EXPECT_THAT(runOf(*index, "a").reason, HasSubstr("is gone"));
    EXPECT_EQ(runOf(*indexOf(project), "a").state, "crashed");
}

/// With all times and its index, as `cp -a` copies it.
TEST(ProjectIndex, TheCopyOfAProjectThatTrainsIsNotTrained) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder / "original");
    LiveRun live(project, "a");
    EXPECT_EQ(runOf(*indexOf(project), "a").state, "running");
    const auto there = folder / "copy";
    ASSERT_EQ(std::system(("cp -a '" + project.folder().string() + "' '" + there.string() + "'").c_str()), 0);
    const auto copy = indexOf(*Project::open(there));
    EXPECT_EQ(runOf(*copy, "a").state, "crashed");
    EXPECT_THAT(runOf(*copy, "a").reason, HasSubstr("wrote the original"));
    EXPECT_EQ(runOf(*indexOf(project), "a").state, "running");
    live.kill();
}

TEST(ProjectIndex, AnUnknownProcessIsLostOnlyWhenItsHeartbeatIsOld) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    const Values elsewhere{{"state", "running"}, {"host", "gpu-server"}, {"boot_id", "other"}, {"pid", "1"}};
    auto quiet = elsewhere, lively = elsewhere;
    quiet["heartbeat_wall"] = std::to_string(wallSeconds() - 40);
    lively["heartbeat_wall"] = std::to_string(wallSeconds());
    makeRun(project, "quiet", quiet);
    makeRun(project, "lively", lively);
    const auto index = indexOf(project);
    EXPECT_EQ(runOf(*index, "quiet").state, "lost_contact");
    EXPECT_THAT(runOf(*index, "quiet").reason, HasSubstr("gpu-server"));
    EXPECT_EQ(runOf(*index, "lively").state, "running");
}

TEST(ProjectIndex, ARunThatHasWrittenNothingYetIsNotLost) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    const auto writer =
        RunWriter::open(project.folder() / "runs" / "new");  // its first lines are not written
    const auto index = indexOf(project);
    EXPECT_EQ(runOf(*index, "new").state, "running") << runOf(*index, "new").reason;
    EXPECT_NEAR(runOf(*index, "new").started, wallSeconds(), 60) << "the newest in the list";
    std::filesystem::last_write_time(project.folder() / "runs" / "new" / "run.db",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(runOf(*indexOf(project), "new").state, "lost_contact") << "it never came to it";
}

TEST(ProjectIndex, DamageOfARunIsContained) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "good", {{"state", "completed"}});
    makeRun(project, "bad", {{"state", "completed"}});
    std::ofstream(project.runFolder("bad") / "run.db", std::ios::trunc)
        << "not a database at all, but long enough";
    const auto index = indexOf(project);
    EXPECT_EQ(runOf(*index, "good").state, "completed");
    EXPECT_EQ(runOf(*index, "bad").state, "damaged");
    EXPECT_FALSE(runOf(*index, "bad").reason.empty());
}

TEST(ProjectIndex, AProjectThatMayOnlyBeReadIsShownFromMemory) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    makeRun(project, "a", {{"state", "completed"}});
    makeRun(project, "old", {{"state", "completed"}});
    {
        const auto mine = indexOf(project);
        ASSERT_TRUE(mine->setName("a", "the good one"));
        ASSERT_TRUE(mine->setTrashed("old", true));
    }
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    std::filesystem::permissions(project.runFolder("a"), std::filesystem::perms(0555));
    const bool root = ::geteuid() == 0;
    if (root) ASSERT_EQ(::seteuid(65534), 0);
    const auto index = indexOf(project);
    EXPECT_EQ(runOf(*index, "a").name, "the good one");
    EXPECT_TRUE(runOf(*index, "old").trashed);
    EXPECT_EQ(index->setStarred("a", true).error().code, "io.write");
    if (root) ASSERT_EQ(::seteuid(0), 0);
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(project.runFolder("a"), std::filesystem::perms(0755));
    EXPECT_FALSE(runOf(*indexOf(project), "a").starred);
}

TEST(ProjectIndex, ARunThatMayNotBeReadIsListedWithItsReason) {
    const TemporaryFolder folder;
    const auto project = projectIn(folder.path());
    for (const char* id : {"a", "b"}) makeRun(project, id, {{"state", "completed"}});
    const auto index = indexOf(project);
    const auto unreadable = project.runFolder("a");
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(unreadable, std::filesystem::perms::none);
    const bool root = ::geteuid() == 0;
    if (root) ASSERT_EQ(::seteuid(65534), 0);
    ASSERT_TRUE(index->refresh());
    const RunSummary run = runOf(*index, "a");
    const auto opened = RunReader::open(unreadable);
    std::filesystem::path runs = project.runsFolder();
    if (root) ASSERT_EQ(::seteuid(0), 0);
    EXPECT_EQ(run.state, "damaged");
    EXPECT_EQ(run.reason, "the run cannot be read: Permission denied");
    EXPECT_EQ(opened.error().code, "io.open");
    EXPECT_EQ(runOf(*index, "b").state, "completed");
    std::filesystem::permissions(unreadable, std::filesystem::perms(0755));
    ASSERT_TRUE(index->refresh());
    EXPECT_EQ(runOf(*index, "a").state, "completed") << "as soon as it may";
    std::filesystem::permissions(runs, std::filesystem::perms::none);
    if (root) ASSERT_EQ(::seteuid(65534), 0);
    const auto refreshed = index->refresh();
    if (root) ASSERT_EQ(::seteuid(0), 0);
    std::filesystem::permissions(runs, std::filesystem::perms(0755));
    ASSERT_FALSE(refreshed) << "that nobody may look is not that there are none";
    EXPECT_EQ(refreshed.error().code, "io.read");
    EXPECT_EQ(index->runs()->size(), 2U);
}

// What the system does not take as a path is no run less.
TEST(ProjectIndex, ARunWhosePathIsTooLongIsListedWithItsReason) {
    const TemporaryFolder folder;
    constexpr std::size_t kProjectPath = 4055;  // its project.toml can be named, a run.db in it no more
    const std::string id(30, 'r');
    auto deep = folder.path();
    while (deep.string().size() + 251 < kProjectPath) deep /= std::string(200, 'd');
    deep /= std::string(kProjectPath - deep.string().size() - 1, 'e');
    std::filesystem::create_directories(deep / "runs" / id);
    const auto index = indexOf(projectIn(deep));
    EXPECT_EQ(runOf(*index, id).state, "damaged");
    EXPECT_EQ(runOf(*index, id).reason, "the run cannot be read: File name too long");
    EXPECT_EQ(Project::open(deep / std::string(200, 'd')).error().code, "io.open");
}

TEST(Process, IsKnownByPidStartTimeAndHost) {
    const std::filesystem::path run = "no folder";
    const auto self = detail::ProcessIdentity::self(run);
    const auto stateOf = [&](const detail::ProcessIdentity& one) { return detail::stateOf(one, run); };
    EXPECT_EQ(stateOf(self), detail::ProcessState::Alive);
    EXPECT_EQ(stateOf(detail::ProcessIdentity::fromValues(self.values())), detail::ProcessState::Alive);
    auto other = self;
    other.started += "1";
    EXPECT_EQ(stateOf(other), detail::ProcessState::Gone) << "the pid was used again";
    other = self;
    other.bootId = "before";
    EXPECT_EQ(stateOf(other), detail::ProcessState::Gone) << "the machine was started again";
    other.host = "elsewhere";
    EXPECT_EQ(stateOf(other), detail::ProcessState::Unknown);
    other = self;
    other.pidNamespace = "pid:[1]";
    EXPECT_EQ(stateOf(other), detail::ProcessState::Unknown);
    EXPECT_EQ(stateOf({}), detail::ProcessState::Unknown);
}

}  // namespace
}  // namespace kurve::store
