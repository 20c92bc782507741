// The supervisor against an engine that obeys, crashes, hangs, speaks another protocol or is not there.
#include "app/studio/engine/run_supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <csignal>

#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

/// The limit only ends a test that has failed; a busy machine may take its time.
template <class Condition>
bool soon(Condition condition) {
    return QTest::qWaitFor(condition, 30000);
}

using ::testing::HasSubstr;

class SupervisorTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        testing::writeSyntheticProject(folder_.path());
        qputenv("KURVE_FAKE", "");
        qputenv("KURVE_FAKE_STEPS", "100000");
    }
    void TearDown() override {
        for (const qint64 pid : pids_) ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    QString runFolder(const QString& id) const {
        return QString::fromStdString((folder_ / "runs").string()) + '/' + id;
    }
    std::unique_ptr<RunSupervisor> start(const char* mode, const QString& id = "r1") {
        qputenv("KURVE_FAKE", mode);
        auto run = std::make_unique<RunSupervisor>(id, runFolder(id));
        const QString project = QString::fromStdString(folder_.path().string());
        run->start(KURVE_FAKE_ENGINE, {"train", "toy.toml", "--run", id, "--project", project, "--events"},
                   project);
        return run;
    }
    bool reaches(RunSupervisor& run, RunPhase phase) {
        const bool reached = soon([&] { return run.phase() == phase; });
        if (run.pid() > 0) pids_.push_back(run.pid());
        EXPECT_TRUE(reached) << "stands at " << phaseName(run.phase()) << ": " << run.reason().toStdString();
        return reached;
    }
    testing::TemporaryFolder folder_;
    std::vector<qint64> pids_;
};

TEST_F(SupervisorTest, RunsPausesResumesAndStopsGracefully) {
    auto run = start("");
    EXPECT_EQ(run->phase(), RunPhase::Starting);
    ASSERT_TRUE(reaches(*run, RunPhase::Running));
    ASSERT_TRUE(soon([&] { return run->progress().step >= 50; }));
    EXPECT_EQ(run->progress().total, 100000);
    EXPECT_GT(run->progress().tokensPerSecond, 0);
    run->pause();
    EXPECT_EQ(run->phase(), RunPhase::Pausing);
    ASSERT_TRUE(reaches(*run, RunPhase::Paused));
    const qint64 still = run->progress().step;
    QTest::qWait(150);
    EXPECT_LE(run->progress().step, still + 10);
    run->resume();
    ASSERT_TRUE(soon([&] { return run->progress().step > still + 20; }));
    run->stop();
    EXPECT_EQ(run->phase(), RunPhase::Stopping);
    ASSERT_TRUE(reaches(*run, RunPhase::Cancelled));
    EXPECT_FALSE(run->isLive());
}

TEST_F(SupervisorTest, EndsCompletedAfterTheEnginesMessage) {
    qputenv("KURVE_FAKE_STEPS", "100");
    auto run = start("");
    ASSERT_TRUE(reaches(*run, RunPhase::Completed));
}

TEST_F(SupervisorTest, ACrashIsAStateWithItsSignal) {
    auto run = start("crash");
    ASSERT_TRUE(reaches(*run, RunPhase::Crashed));
    EXPECT_THAT(run->reason().toStdString(), HasSubstr("signal 6"));
    EXPECT_THAT(run->reason().toStdString(), HasSubstr("start again")) << "nothing to resume from";
}

TEST_F(SupervisorTest, ACrashAfterACheckpointOffersToResume) {
    std::filesystem::create_directories(folder_ / "runs/r1/checkpoints/step-00000001");
    auto run = start("crash");
    ASSERT_TRUE(reaches(*run, RunPhase::Crashed));
    EXPECT_THAT(run->reason().toStdString(), HasSubstr("Resume continues from the last checkpoint"));
}

TEST_F(SupervisorTest, AFailureCarriesMessageAndRemedy) {
    auto run = start("fail");
    ASSERT_TRUE(reaches(*run, RunPhase::Failed));
    EXPECT_THAT(run->reason().toStdString(), HasSubstr("data/train.tsv does not exist; import it first"));
}

TEST_F(SupervisorTest, ADamagedCheckpointsErrorHasAFieldForAnIntactOne) {
    auto run = start("damaged");
    ASSERT_TRUE(reaches(*run, RunPhase::Failed));
    EXPECT_EQ(run->intactCheckpoint(), 80);
    EXPECT_EQ(run->reason(), "weights.safetensors is damaged; take another");
}

TEST_F(SupervisorTest, AnotherProtocolIsRefusedWithBothNumbers) {
    auto run = start("protocol");
    ASSERT_TRUE(reaches(*run, RunPhase::Failed));
    EXPECT_THAT(run->reason().toStdString(), HasSubstr("protocol 99, this studio 1"));
}

TEST_F(SupervisorTest, AMissingProgramFailsWithTheRemedy) {
    RunSupervisor run("r2", runFolder("r2"));
    run.start("/nowhere/kurve", {"train"}, QString::fromStdString(folder_.path().string()));
    ASSERT_TRUE(soon([&] { return run.phase() == RunPhase::Failed; }));
    EXPECT_THAT(run.reason().toStdString(), HasSubstr("/nowhere/kurve"));
    EXPECT_THAT(run.reason().toStdString(), HasSubstr("packaging/run"));
}

TEST_F(SupervisorTest, AnInvalidLineIsReportedAndTheRunContinues) {
    qputenv("KURVE_FAKE", "garbage");
    auto run = std::make_unique<RunSupervisor>("r3", runFolder("r3"));
    QSignalSpy warned(run.get(), &RunSupervisor::warned);
    const QString project = QString::fromStdString(folder_.path().string());
    run->start(KURVE_FAKE_ENGINE, {"train", "toy.toml", "--run", "r3", "--project", project}, project);
    ASSERT_TRUE(reaches(*run, RunPhase::Running));
    ASSERT_TRUE(soon([&] { return run->progress().step >= 20; }));
    EXPECT_GE(warned.count(), 1);
    run->stop();
    ASSERT_TRUE(reaches(*run, RunPhase::Cancelled));
}

TEST_F(SupervisorTest, RepeatedStopsEndAHangingEngineWithoutBlocking) {
    auto run = start("hang");
    ASSERT_TRUE(soon([&] { return run->progress().step >= 50; }));
    run->stop();  // asks: nobody answers
    QTest::qWait(100);
    EXPECT_TRUE(run->isLive());
    run->stop();  // SIGTERM: ignored by this engine
    run->stop();  // SIGKILL
    ASSERT_TRUE(reaches(*run, RunPhase::Cancelled));
}

TEST_F(SupervisorTest, TheFirstStopOfASilentEngineAsksIt) {
    auto run = start("hang");
    ASSERT_TRUE(soon([&] { return run->progress().step >= 50; }));
    run->testOnlySetSilence(100);
    ASSERT_TRUE(reaches(*run, RunPhase::LostContact));
    run->stop();
    EXPECT_EQ(run->phase(), RunPhase::Stopping);
    EXPECT_THAT(run->reason().toStdString(), HasSubstr("Finishing the step"));
    run->stop();
    run->stop();
    ASSERT_TRUE(reaches(*run, RunPhase::Cancelled));
}

TEST_F(SupervisorTest, TheEngineOutlivesItsStudioAndIsFoundAgain) {
    auto first = start("");
    ASSERT_TRUE(reaches(*first, RunPhase::Running));
    ASSERT_TRUE(soon([&] { return first->progress().step >= 30; }));
    const qint64 pid = first->pid();
    first.reset();  // the window closes
    QTest::qWait(200);
    ASSERT_EQ(::kill(static_cast<pid_t>(pid), 0), 0) << "the engine died with the studio";

    RunSupervisor second("r1", runFolder("r1"));
    second.attach(pid);
    ASSERT_TRUE(reaches(second, RunPhase::Running));
    ASSERT_TRUE(soon([&] { return second.progress().step > 30; }));
    second.pause();
    ASSERT_TRUE(reaches(second, RunPhase::Paused));
    second.resume();
    second.stop();
    ASSERT_TRUE(reaches(second, RunPhase::Cancelled));
}

TEST_F(SupervisorTest, AnAttachedEngineThatIsKilledIsACrash) {
    auto first = start("");
    ASSERT_TRUE(reaches(*first, RunPhase::Running));
    const qint64 pid = first->pid();
    RunSupervisor second("r1", runFolder("r1"));
    second.attach(pid);
    ASSERT_TRUE(reaches(second, RunPhase::Running));
    ::kill(static_cast<pid_t>(pid), SIGKILL);
    ASSERT_TRUE(reaches(second, RunPhase::Crashed));
    EXPECT_THAT(second.reason().toStdString(), HasSubstr("is gone"));
}

TEST_F(SupervisorTest, ALivingProcessWithoutASocketIsLostContact) {
    RunSupervisor run("none", runFolder("none"));
    run.attach(::getpid());  // lives, and has no socket in that folder
    ASSERT_TRUE(
        soon([&] { return run.phase() == RunPhase::LostContact || run.phase() == RunPhase::Starting; }));
    EXPECT_TRUE(run.isLive());
}

}  // namespace
}  // namespace kurve::studio
