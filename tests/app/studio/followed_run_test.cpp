// A run on another machine: its proxy here says when it lost contact, and its end is not that of the
// training.
#include <gmock/gmock.h>

#include <QDateTime>
#include <QSignalSpy>
#include <QTest>
#include <csignal>
#include <fstream>

#include "app/studio/engine/run_supervisor.h"
#include "tests/app/studio/script_engine.h"

namespace kurve::studio {
namespace {

using ::testing::HasSubstr;

template <class Condition>
bool soon(Condition condition) {
    return QTest::qWaitFor(condition, 30000);
}

/// A proxy says the next thing as soon as a file of that name is there.
constexpr const char* kBegin = R"(
wait_for() { while [ ! -e "$0.$1" ]; do sleep 0.02; done; }
say() { echo '{"v":1,'"$1"'}'; }
say '"type":"hello","protocol":1,"pid":'$$
)";

class FollowedRunTest : public ScriptEngineTest {
protected:
    void TearDown() override {
        if (run_ && run_->pid() > 0) ::kill(static_cast<pid_t>(run_->pid()), SIGKILL);
    }
    void start(const std::string& script, const char* word = "train") {
        program_ = engine(kBegin + script);
        run_ = std::make_unique<RunSupervisor>("r1", QString::fromStdString((folder_ / "r1").string()));
        run_->start(program_, {word}, QString::fromStdString(folder_.path().string()));
    }
    void go(const char* name) const { std::ofstream((program_ + '.' + name).toStdString()) << "x"; }
    [[nodiscard]] bool reaches(RunPhase phase) const {
        return soon([&] { return run_->phase() == phase; });
    }
    QString program_;
    std::unique_ptr<RunSupervisor> run_;
};

qint64 todayAt1403() {
    return QDateTime(QDate::currentDate(), QTime(14, 3)).toSecsSinceEpoch();
}

/// Loses contact as soon as it is told to; the proxy still answers.
std::string loses() {
    return R"(
say '"type":"state","state":"running","step":10,"machine":"gpu"'
wait_for lose
say '"type":"state","state":"lost_contact","reason":"the line broke","step":10,"machine":"gpu","since":)" +
           std::to_string(todayAt1403()) + R"('
say '"type":"pong"'
)";
}

TEST_F(FollowedRunTest, ShowsWhatIsSentBeforeItRuns) {
    start(R"(say '"type":"transfer","path":"data/train.tsv","done":5000000,"total":20000000'
wait_for run
say '"type":"state","state":"running","step":0,"machine":"gpu"'
wait_for end)");
    ASSERT_TRUE(soon([&] { return !run_->progress().preparation.text.isEmpty(); }));
    EXPECT_EQ(run_->progress().preparation.text, "Sending data/train.tsv: 5.0 MB of 20 MB");
    EXPECT_EQ(run_->progress().preparation.fraction, 0.25);
    go("run");
    ASSERT_TRUE(reaches(RunPhase::Running));
    EXPECT_EQ(run_->machine(), "gpu");
    EXPECT_EQ(run_->progress().preparation.text, "");
}

TEST_F(FollowedRunTest, LostContactLastsUntilTheLineIsBack) {
    start(loses() + R"(wait_for back
say '"type":"state","state":"paused","reason":"by command","step":40,"machine":"gpu"'
wait_for end)");
    ASSERT_TRUE(reaches(RunPhase::Running));
    go("lose");
    ASSERT_TRUE(reaches(RunPhase::LostContact));
    EXPECT_EQ(run_->lostSince(), todayAt1403());
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("gpu since today 14:03"));
    QTest::qWait(100);
    EXPECT_EQ(run_->phase(), RunPhase::LostContact) << "the proxy answers, not the training";
    go("back");
    ASSERT_TRUE(reaches(RunPhase::Paused));
    EXPECT_EQ(run_->lostSince(), 0);
    EXPECT_EQ(run_->progress().step, 40);
}

TEST_F(FollowedRunTest, WithoutContactAStopSaysThatItCannotReachTheTraining) {
    start(loses() + "exec sleep 100");
    ASSERT_TRUE(reaches(RunPhase::Running));
    go("lose");
    ASSERT_TRUE(reaches(RunPhase::LostContact));
    run_->stop();
    EXPECT_EQ(run_->phase(), RunPhase::LostContact);
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("cannot be stopped now"));
    run_->stop();
    ASSERT_TRUE(soon([&] { return !run_->isLive(); }));
    EXPECT_EQ(run_->phase(), RunPhase::NotRunning) << "neither cancelled nor crashed";
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("may go on"));
}

/// Told to end, a proxy says where the training is before it does.
std::string leaves() {
    return R"(leave() { say '"type":"done","state":"running","machine":"gpu"'; exit 130; }
trap leave TERM
)";
}

TEST_F(FollowedRunTest, AProxyThatIsToldToEndDoesNotCancelTheTraining) {
    start(leaves() + R"(say '"type":"state","state":"running","step":10,"machine":"gpu"'
wait_for end)");
    ASSERT_TRUE(reaches(RunPhase::Running));
    run_->stop();
    run_->stop();
    ASSERT_TRUE(soon([&] { return !run_->isLive(); }));
    EXPECT_EQ(run_->phase(), RunPhase::NotRunning);
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("the training on gpu may go on"));
}

TEST_F(FollowedRunTest, NorDoesOneWithoutContact) {
    start(leaves() + loses() + "wait_for end");
    ASSERT_TRUE(reaches(RunPhase::Running));
    go("lose");
    ASSERT_TRUE(reaches(RunPhase::LostContact));
    run_->stop();
    run_->stop();
    ASSERT_TRUE(soon([&] { return !run_->isLive(); }));
    EXPECT_EQ(run_->phase(), RunPhase::NotRunning);
}

TEST_F(FollowedRunTest, AKilledProxyIsNoCrashOfTheTraining) {
    start(R"(say '"type":"state","state":"running","step":10,"machine":"gpu"'
exec sleep 100)");
    ASSERT_TRUE(reaches(RunPhase::Running));
    ::kill(static_cast<pid_t>(run_->pid()), SIGKILL);
    ASSERT_TRUE(soon([&] { return !run_->isLive(); }));
    EXPECT_EQ(run_->phase(), RunPhase::NotRunning);
}

TEST_F(FollowedRunTest, AFailureOfTheProxyIsNoneOfTheTraining) {
    start(R"(say '"type":"state","state":"running","step":10,"machine":"gpu"'
say '"type":"error","code":"io.write","message":"no space left on this disk"'
exit 1)");
    ASSERT_TRUE(soon([&] { return !run_->isLive(); }));
    EXPECT_EQ(run_->phase(), RunPhase::NotRunning);
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("no space left on this disk. Nothing here follows"));
}

TEST_F(FollowedRunTest, NorIsOneThatNeverReachesTheMachine) {
    start("echo 'kurve: gpu cannot be reached' >&2; exit 1", "follow");
    ASSERT_TRUE(soon([&] { return !run_->isLive(); }));
    EXPECT_EQ(run_->phase(), RunPhase::NotRunning);
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("gpu cannot be reached"));
}

TEST_F(FollowedRunTest, WhereTheMachineHasNoSuchTrainingNothingGoesOn) {
    start(R"(say '"type":"state","state":"failed","machine":"gpu"'
say '"type":"error","code":"run.missing","message":"gpu has no such run"'
exit 2)",
          "follow");
    ASSERT_TRUE(reaches(RunPhase::Failed));
}

TEST_F(FollowedRunTest, TheEndOfTheTrainingIsItsOwn) {
    start(R"(say '"type":"state","state":"running","step":10,"machine":"gpu"'
say '"type":"state","state":"completed","step":20,"machine":"gpu"'
say '"type":"transfer","path":"checkpoints/step-00000020/weights.safetensors","done":1,"total":2'
wait_for end
say '"type":"done","state":"completed","machine":"gpu"')");
    ASSERT_TRUE(soon([&] { return run_->progress().preparation.text.startsWith("Fetching checkpoints/"); }));
    go("end");
    ASSERT_TRUE(reaches(RunPhase::Completed));
}

TEST_F(FollowedRunTest, ARefusedConnectionIsAFailure) {
    start(R"(say '"type":"error","code":"remote.authentication","message":"it accepts no key of yours"'
exit 1)");
    ASSERT_TRUE(reaches(RunPhase::Failed));
    EXPECT_THAT(run_->reason().toStdString(), HasSubstr("accepts no key"));
}

}  // namespace
}  // namespace kurve::studio
