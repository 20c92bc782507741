// The queue with engines that obey: one after another, kept over a restart, nothing twice.
#include "app/studio/session/run_queue.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QTest>
#include <csignal>
#include <fstream>

#include "app/studio/session/project_session.h"
#include "core/base/file.h"
#include "core/store/run_writer.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

using views::QueueEdit;
using views::QueueItem;
using State = QueueItem::State;

/// The limit only ends a test that has failed; a busy machine may take its time.
template <class Condition>
bool soon(Condition condition) {
    return QTest::qWaitFor(condition, 30000);
}

class RunQueueTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        qputenv("XDG_CACHE_HOME", (folder_ / "cache").c_str());
        qputenv("KURVE_ENGINE", KURVE_FAKE_ENGINE);
        qputenv("KURVE_FAKE", "");
        qputenv("KURVE_FAKE_STEPS", "100");
        testing::writeSyntheticProject(folder_.path());
    }
    std::unique_ptr<ProjectSession> open() {
        auto session = std::make_unique<ProjectSession>(*store::Project::open(folder_.path()),
                                                        ProjectSession::Persistence::Restore);
        session->engine.load(findEngineProgram());
        EXPECT_TRUE(
            soon([&] { return !session->engine.info().devices().empty() && session->catalog.loaded(); }));
        return session;
    }
    /// The fake engine behind lines of a shell script.
    void useEngine(const std::string& lines) const {
        const auto file = folder_ / "engine";
        std::ofstream(file) << "#!/bin/sh\n" << lines << "\nexec " << KURVE_FAKE_ENGINE << " \"$@\"\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        qputenv("KURVE_ENGINE", file.c_str());
    }
    /// A run on another machine; the process that followed it is gone.
    void writeUnfollowed(const char* id, const char* machine) const {
        testing::writeSyntheticRun(folder_.path(), {id, id, "running", "", 20, 1});
        const auto writer = std::move(*store::RunWriter::open(folder_ / "runs" / id));
        writer->set("machine", machine);
        writer->set("pid_started", "0");
        ASSERT_TRUE(writer->flush());
    }
    void save(std::vector<QueueItem> items, ino_t folder = 0) const {
        views::QueueState state;
        state.items = std::move(items);
        for (QueueItem& item : state.items) item.id = item.title;
        struct stat own {};
        ASSERT_EQ(::stat(folder_.path().c_str(), &own), 0);
        QJsonObject json = state.toJson();
        json["folder"] = QString::number(folder > 0 ? folder : own.st_ino);
        StateFile file((folder_ / "queue.json").string());
        file.put(json);
    }
    static QueueItem training(const QString& title, const QString& device = {}, const QString& machine = {}) {
        QueueItem item;
        item.title = title;
        item.device = device;
        item.machine = machine;
        item.words = QStringList{"train", "experiments/toy.toml"};
        return item;
    }
    static int count(const ProjectSession& session, State state) {
        int n = 0;
        for (const auto& item : session.queue.state().items) n += item.state == state;
        return n;
    }
    testing::TemporaryFolder folder_;
};

TEST(QueuedReferences, AreThoseOfWaitingTrainings) {
    Schema schema{
        "toy", "Toy", "", {runField("model.base", "below"), textField("train.words", "", "text")}, {}};
    const auto engine = *views::EngineInfo::fromJson({{"families", {toJson(schema)}}});
    const auto item = [](const char* title, const char* base, State state) {
        QueueItem one;
        one.title = title;
        one.words = QStringList{"train", "experiments/none.toml"};
        one.experiment = QStringLiteral("family = \"toy\"\n[model]\nbase = \"%1\"\n").arg(base);
        one.state = state;
        return one;
    };
    views::QueueState queue;
    queue.items = {item("by name", "ae", State::Waiting), item("at a step", "ae@400", State::Held),
                   item("another", "ae2", State::Waiting), item("done", "ae", State::Completed),
                   item("runs", "ae", State::Running)};
    QueueItem overridden = item("overridden", "ae", State::Waiting);
    overridden.words << "--set"
                     << "model.base=other"
                     << "--set"
                     << "train.words=ae";
    queue.items.push_back(overridden);
    const std::map<QString, QStringList> needed{
        {"ae", {"by name", "at a step"}}, {"ae2", {"another"}}, {"other", {"overridden"}}};
    EXPECT_EQ(neededRuns(queue, engine, {}), needed);
}

TEST_F(RunQueueTest, OneAfterAnotherAndAFailedOneKeepsItsReason) {
    auto session = open();
    int most = 0;
    QObject::connect(&session->control, &RunControl::changed, session.get(),
                     [&] { most = std::max(most, session->control.liveCount()); });
    session->queue.add({training("a"), training("b"), training("c")});
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 3; }));
    EXPECT_EQ(most, 1);
    EXPECT_TRUE(soon([&] { return session->catalog.runs().size() == 3; }));
    qputenv("KURVE_FAKE", "fail");
    session->queue.add({training("d")});
    EXPECT_TRUE(soon([&] { return count(*session, State::Failed) == 1; }));
    EXPECT_TRUE(session->queue.state().items.back().reason.contains("train.tsv"));
    EXPECT_FALSE(session->queue.state().items.back().run.isEmpty());
}

TEST_F(RunQueueTest, AManuallyStartedRunOccupiesTheDevice) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    auto session = open();
    const QString manual = session->control.startTraining("experiments/toy.toml", {});
    ASSERT_TRUE(soon([&] {
        return session->control.supervisor(manual)->phase() == RunPhase::Running &&
               session->catalog.run(manual);
    }));
    qputenv("KURVE_FAKE_STEPS", "100");
    session->queue.add({training("a")});
    QTest::qWait(300);
    EXPECT_EQ(count(*session, State::Waiting), 1);
    const auto occupies = [&](bool paused) {
        const auto occupants = session->queue.occupants();
        return occupants.size() == 1 && occupants[0].run == manual && occupants[0].paused == paused;
    };
    EXPECT_TRUE(occupies(false));
    session->control.supervisor(manual)->pause();
    EXPECT_TRUE(soon([&] { return occupies(true); })) << "a paused run occupies the device";
    EXPECT_EQ(count(*session, State::Waiting), 1);
    session->control.supervisor(manual)->stop();
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
}

TEST_F(RunQueueTest, ARunOccupiesItsDeviceBeforeItIsWritten) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    const auto hold = folder_ / "hold";
    std::ofstream(hold) << "x";
    useEngine("[ $1 = train ] && while [ -e " + hold.string() + " ]; do sleep 0.02; done");
    auto session = open();
    session->control.startTraining("experiments/toy.toml", {}, {"cuda:1", "", 1});
    session->control.startTraining("experiments/toy.toml", {}, {"", "gpu", 1});
    session->queue.add({training("a", "cuda:1"), training("b", {}, "gpu"), training("c")});
    ASSERT_TRUE(soon([&] { return session->control.liveCount() == 3; })) << "c has a device of its own";
    EXPECT_EQ(session->queue.state().items[2].state, State::Running);
    EXPECT_EQ(count(*session, State::Waiting), 2);
    session->queue.edit({QueueEdit::Kind::Pause, {}, {}, 1});
    std::filesystem::remove(hold);
    for (const RunSupervisor* run : session->control.live()) session->control.stop(run->runId());
    EXPECT_TRUE(soon([&] { return session->control.liveCount() == 0; }));
}

TEST_F(RunQueueTest, APausedRunOccupiesItsOwnDeviceAfterARestart) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    QString manual;
    const auto reaches = [&](const ProjectSession& session, RunPhase phase) {
        return soon([&] {
            const RunSupervisor* run = session.control.supervisor(manual);
            return run && run->phase() == phase;
        });
    };
    {
        auto session = open();
        manual = session->control.startTraining("experiments/toy.toml", {}, {"cuda:1", "", 1});
        ASSERT_TRUE(reaches(*session, RunPhase::Running));
        session->control.supervisor(manual)->pause();
        ASSERT_TRUE(reaches(*session, RunPhase::Paused));
    }
    auto session = open();
    ASSERT_TRUE(reaches(*session, RunPhase::Paused));
    qputenv("KURVE_FAKE_STEPS", "100");
    session->queue.add({training("a", "cuda:1")});
    QTest::qWait(300);
    EXPECT_EQ(count(*session, State::Waiting), 1);
    session->control.stop(manual);
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
}

TEST_F(RunQueueTest, ARunOfSeveralProcessesOccupiesTheirGpusAlsoAfterARestart) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    QString manual;
    const auto occupied = [](const ProjectSession& session) {
        QStringList devices;
        for (const auto& occupant : session.queue.occupants()) devices << occupant.device;
        return devices;
    };
    const auto runs = [&](const ProjectSession& session) {
        const RunSupervisor* run = session.control.supervisor(manual);
        return run && run->phase() == RunPhase::Running;
    };
    {
        auto session = open();
        manual = session->control.startTraining("experiments/toy.toml", {}, {"cuda", "", 2});
        EXPECT_EQ(occupied(*session), (QStringList{"cuda:0", "cuda:1"}));
        ASSERT_TRUE(soon([&] { return runs(*session) && session->catalog.run(manual); }));
    }
    auto session = open();
    ASSERT_TRUE(soon([&] { return runs(*session); }));
    EXPECT_EQ(occupied(*session), (QStringList{"cuda:0", "cuda:1"}));
    qputenv("KURVE_FAKE_STEPS", "100");
    session->queue.add({training("a", "cuda:1")});
    QTest::qWait(300);
    EXPECT_EQ(count(*session, State::Waiting), 1);
    session->control.stop(manual);
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
}

TEST_F(RunQueueTest, WhatCannotBeFollowedStaysRunningAndOccupiesItsMachine) {
    useEngine("[ $1 = follow ] && { echo 'kurve: it cannot be reached' >&2; exit 1; }");
    std::ofstream(folder_ / "machines.toml") << "[gpu]\nhost = \"ann@gpu\"\n[lab]\nhost = \"ann@lab\"\n";
    writeUnfollowed("queued", "gpu");
    writeUnfollowed("manual", "lab");
    QueueItem runs = training("a", {}, "gpu");
    runs.state = State::Running;
    runs.run = "queued";
    save({runs, training("b", {}, "gpu"), training("c", {}, "lab")});
    auto session = open();
    for (const char* run : {"queued", "manual"})
        EXPECT_TRUE(soon([&] {
            const RunSupervisor* known = session->control.supervisor(run);
            return known && !known->isLive();
        })) << run;
    QTest::qWait(300);
    EXPECT_EQ(count(*session, State::Running), 1);
    EXPECT_EQ(count(*session, State::Waiting), 2);
}

TEST_F(RunQueueTest, ARestartKeepsRunningEntriesAndStartsNothingTwice) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    QString first;
    {
        auto session = open();
        session->queue.add({training("a"), training("b")});
        ASSERT_TRUE(soon([&] { return session->control.liveCount() == 1; }));
        first = session->queue.state().items[0].run;
        ASSERT_TRUE(soon([&] { return session->control.supervisor(first)->phase() == RunPhase::Running; }));
        EXPECT_TRUE(soon([&] { return session->catalog.run(first) != nullptr; }));
    }
    qputenv("KURVE_FAKE_STEPS", "100");
    auto session = open();
    ASSERT_EQ(session->queue.state().items.size(), 2u);
    EXPECT_EQ(session->queue.state().items[0].run, first);
    ASSERT_TRUE(soon([&] {
        const RunSupervisor* run = session->control.supervisor(first);
        return run && run->phase() == RunPhase::Running;
    }));
    EXPECT_EQ(count(*session, State::Running), 1);
    EXPECT_EQ(count(*session, State::Waiting), 1);
    session->control.supervisor(first)->stop();
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
    EXPECT_EQ(session->queue.state().items[0].state, State::Cancelled);
    EXPECT_TRUE(soon([&] { return session->catalog.runs().size() == 2; }));
}

TEST_F(RunQueueTest, ASavedStartThatNeverHappenedHappensNow) {
    QueueItem item = training("a");
    item.state = State::Running;
    item.run = "20261120-100000-0007";
    save({item});
    auto session = open();
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
    EXPECT_NE(session->queue.state().items[0].run, "20261120-100000-0007");
}

// A project from somebody else names machines and their programs that nobody here has chosen.
TEST_F(RunQueueTest, WhatWasQueuedInAnotherFolderWaitsForItsRelease) {
    QueueItem there = training("there", {}, "gpu"), ended = training("ended");
    there.state = State::Running;
    there.run = "there";
    ended.state = State::Completed;
    save({training("here"), training("far", {}, "gpu"), there, ended}, 1);
    for (const char* opened : {"once", "again"}) {
        auto session = open();
        QTest::qWait(300);
        EXPECT_EQ(count(*session, State::Held), 3) << opened;
        EXPECT_EQ(count(*session, State::Completed), 1);
        EXPECT_EQ(session->control.liveCount(), 0);
        EXPECT_EQ(session->control.supervisor("there"), nullptr) << "nobody asks its machine";
        EXPECT_TRUE(session->queue.state().items[1].reason.contains("another folder"));
    }
    auto session = open();
    session->queue.edit({QueueEdit::Kind::Release, {"here"}, {}, 0});
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 2; }));
    EXPECT_EQ(count(*session, State::Held), 2);
    EXPECT_FALSE(session->queue.state().items[0].reason.contains("another folder"));
    session.reset();
    EXPECT_EQ(count(*open(), State::Held), 2) << "the file is of this folder now";
}

// Of a start on a machine without a copy here, only the machine knows whether it happened.
TEST_F(RunQueueTest, ASavedStartOnAMachineIsLookedForThere) {
    useEngine(
        "say() { echo '{\"v\":1,\"type\":\"state\",\"machine\":\"gpu\",\"state\":\"'$1'\"}'; }\n"
        "case $1-$2 in\n"
        " follow-there) say running; exec sleep 100;;\n"
        " follow-*) say failed; exit 2;;\n"
        "esac");
    QueueItem there = training("there", {}, "gpu"), never = training("never", {}, "lab");
    there.state = never.state = State::Running;
    there.run = "there";
    never.run = "20261120-100000-0007";
    save({there, never});
    auto session = open();
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
    const auto& items = session->queue.state().items;
    EXPECT_EQ(items[0].state, State::Running);
    EXPECT_EQ(items[0].run, "there");
    EXPECT_NE(items[1].run, "20261120-100000-0007");
    RunSupervisor* follower = session->control.supervisor("there");
    ASSERT_NE(follower, nullptr);
    follower->stop();
    follower->stop();
    EXPECT_TRUE(soon([&] { return !follower->isLive(); }));
    session->queue.edit({QueueEdit::Kind::Remove, {items[0].id}, {}, 1});
    EXPECT_EQ(session->queue.state().items.size(), 1U) << "nothing here knows it";
}

TEST_F(RunQueueTest, ATrainingThatBringsItsRunsNameKeepsIt) {
    auto session = open();
    views::QueueItem item = training("a");
    item.run = "given";
    session->queue.add({item});
    EXPECT_TRUE(soon([&] { return count(*session, State::Completed) == 1; }));
    EXPECT_EQ(session->queue.state().items[0].run, "given");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/given/run.db"));
}

TEST_F(RunQueueTest, AQueuedRunIsUnaffectedByChangesOfTheExperiment) {
    const auto file = folder_ / "experiments/toy.toml";
    auto session = open();
    QueueItem item = training("a");
    item.words << "--set"
               << "train.lr=0.004";
    item.experiment = QString::fromStdString(*readFile(file));
    EXPECT_EQ(*session->queue.wordsOf(item), item.words) << "the file is as it was";
    ASSERT_TRUE(writeFileAtomically(
        file,
        "family = \"toy\"\nname = \"other\"\n\n[train]\nsteps = 70\nlr = 1e-3\n[model]\nhidden = 512\n"));
    const auto words = session->queue.wordsOf(item);
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_EQ(words->mid(4),
              (QStringList{"--set", "name=toy", "--set", "model.hidden=128", "--set", "train.steps=2000"}));
    QueueItem bare = item;
    bare.experiment.clear();
    EXPECT_EQ(*session->queue.wordsOf(bare), item.words) << "without a saved text: the file as it is";
    ASSERT_TRUE(writeFileAtomically(file, "family = \"toy\"\n[train\n"));
    session->queue.add({item, bare});
    EXPECT_TRUE(soon([&] {
        return count(*session, State::Failed) == 1 && count(*session, State::Completed) == 1;
    })) << "only the engine says whether it can read it";
    EXPECT_TRUE(session->queue.state().items[0].reason.contains("toy.toml"));
    EXPECT_TRUE(session->queue.state().items[0].run.isEmpty()) << "it never began";
}

TEST_F(RunQueueTest, NamesAnExperimentWithoutTheFolderOfTheProject) {
    auto session = open();
    session->queue.edit({QueueEdit::Kind::Pause, {}, {}, 1});
    QueueItem item = training("a");
    item.words[1] = QString::fromStdString((folder_ / item.words[1].toStdString()).string());
    session->queue.add({item, training("b")});
    for (const QueueItem& one : session->queue.state().items)
        EXPECT_EQ(one.words[1], "experiments/toy.toml") << "also after the project has moved";
}

TEST_F(RunQueueTest, CountsWhatWouldStartAutomatically) {
    qputenv("KURVE_FAKE_STEPS", "100000");
    auto session = open();
    session->queue.add({training("a"), training("b"), training("c")});
    ASSERT_TRUE(soon([&] { return session->control.liveCount() == 1; }));
    EXPECT_EQ(session->queue.waiting(), 2);
    session->queue.edit({QueueEdit::Kind::Hold, {session->queue.state().items[2].id}, {}, 0});
    EXPECT_EQ(session->queue.waiting(), 1);
    session->queue.edit({QueueEdit::Kind::Pause, {}, {}, 1});
    EXPECT_EQ(session->queue.waiting(), 0);
    session->control.supervisor(session->queue.state().items[0].run)->stop();
    EXPECT_TRUE(soon([&] { return session->control.liveCount() == 0; }));
}

// A copied project brings the file along, of a process that means nothing here.
TEST_F(RunQueueTest, ALockThatWasCopiedIsNone) {
    std::ofstream(folder_ / ".queue.lock") << ::getpid() << "\nkurve-studio\nelsewhere\nid\nboot\n";
    EXPECT_FALSE(open()->queue.isElsewhere());
}

TEST_F(RunQueueTest, OfTwoWindowsOnlyTheFirstRunsIt) {
    auto first = open();
    auto second = open();
    EXPECT_FALSE(first->queue.isElsewhere());
    EXPECT_TRUE(second->queue.isElsewhere());
    second->queue.add({training("a")});
    EXPECT_TRUE(second->queue.state().items.empty());
    first->queue.edit({QueueEdit::Kind::Pause, {}, {}, 1});
    first->queue.add({training("b")});
    EXPECT_TRUE(soon([&] { return count(*second, State::Waiting) == 1; })) << "it shows what the first has";
}

TEST_F(RunQueueTest, TheRemainingWindowTakesTheQueueOver) {
    auto first = open();
    auto second = open();
    first->queue.edit({QueueEdit::Kind::Pause, {}, {}, 1});
    first->queue.add({training("a")});
    first.reset();
    ASSERT_TRUE(soon([&] { return !second->queue.isElsewhere(); }));
    ASSERT_EQ(count(*second, State::Waiting), 1) << "what the first window wrote last";
    second->queue.edit({QueueEdit::Kind::Pause, {}, {}, 0});
    EXPECT_TRUE(soon([&] { return count(*second, State::Completed) == 1; }));
}

}  // namespace
}  // namespace kurve::studio
