// Other machines as the studio asks them: by short commands, a proxy for each run, and one fetch at a time.
#include "app/studio/services/machine_service.h"

#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTest>
#include <fstream>

#include "app/studio/window/fetch_status.h"
#include "core/base/file.h"
#include "core/wire/fields.h"
#include "tests/app/studio/script_engine.h"
#include "tests/app/studio/synthetic_run.h"

namespace kurve::studio {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRun = "20261120-100000-0001";

/// The limit only ends a test that has failed; a busy machine may take its time.
template <class Condition>
bool soon(Condition condition) {
    return QTest::qWaitFor(condition, 30000);
}

class MachineServiceTest : public ScriptEngineTest {
protected:
    void SetUp() override {
        ScriptEngineTest::SetUp();
        testing::writeSyntheticProject(project_.path());
        write("[gpu]\nhost = \"ann@gpu\"\n");
    }
    void TearDown() override { qunsetenv("KURVE_ENGINE"); }
    void write(const std::string& machines) const { std::ofstream(project_ / "machines.toml") << machines; }
    /// A copy of a run on gpu; the process that followed it is gone.
    void writeMirrored(const std::string& state) const {
        testing::writeSyntheticRun(project_.path(), {kRun, "far", state, "", 20, 1});
        auto writer = std::move(*store::RunWriter::open(project_ / "runs" / kRun));
        writer->set("machine", "gpu");
        writer->set("state", state);
        writer->set("pid_started", "0");
        for (const char* step : {"checkpoints/step-00000100", "checkpoints/step-00000200"}) {
            store::CheckpointRow row;
            row.step = std::stoll(std::string(step).substr(17));
            row.path = store::RunFile(std::string(step));
            row.bytes = 1000;
            writer->checkpoint(row);
        }
        ASSERT_TRUE(writer->flush());
    }
    void begin(const std::string& script) {
        const QString program = engine(script);
        qputenv("KURVE_ENGINE", program.toUtf8());
        store_.emplace(*store::Project::open(project_.path()));
        catalog_ = std::make_unique<views::RunCatalog>(*store_);
        control_ = std::make_unique<RunControl>(*store_, *catalog_);
        machines_ = std::make_unique<MachineService>(program, *store_, *control_, *catalog_);
        QObject::connect(machines_.get(), &MachineService::said, machines_.get(),
                         [this](const QString& text) { said_ << text; });
        ASSERT_TRUE(soon([&] { return catalog_->loaded(); }));
    }
    [[nodiscard]] std::string words() const { return readFile(folder_ / "words").value_or(""); }

    testing::TemporaryFolder project_;
    std::optional<store::Project> store_;
    std::unique_ptr<views::RunCatalog> catalog_;
    std::unique_ptr<RunControl> control_;
    std::unique_ptr<MachineService> machines_;
    QStringList said_;
};

TEST_F(MachineServiceTest, AChecksAnswerStaysUntilTheMachineIsAnother) {
    begin(R"(echo '{"version":"1.2","devices":[{"id":"cpu"},{"id":"cuda:0"}]}')");
    ASSERT_EQ(machines_->list().size(), 1u);
    EXPECT_FALSE(machines_->checkOf("gpu").pending);
    machines_->check("gpu");
    EXPECT_TRUE(machines_->checkOf("gpu").pending);
    ASSERT_TRUE(soon([&] { return machines_->checkOf("gpu").answer.has_value(); }));
    EXPECT_THAT(words(), HasSubstr("machines check gpu --project " + project_.path().string()));
    EXPECT_EQ(machines_->devices().value("gpu"), (QStringList{"cpu", "cuda:0"}));
    ASSERT_TRUE(machines_->put({"big", "bob@big", "kurve", ""}, ""));
    EXPECT_TRUE(machines_->checkOf("gpu").answer.has_value()) << "of another one";
    ASSERT_TRUE(machines_->put({"gpu", "ann@elsewhere", "kurve", ""}, "gpu"));
    EXPECT_FALSE(machines_->checkOf("gpu").answer.has_value()) << "that is another host";
}

/// Under another name its runs could not be followed or resumed any more.
TEST_F(MachineServiceTest, AMachineThatHasRunsHereKeepsItsName) {
    writeMirrored("completed");
    begin("exit 0");
    ASSERT_TRUE(soon([&] { return catalog_->complete(); }));
    const auto renamed = machines_->put({"big", "ann@gpu", "kurve", ""}, "gpu");
    ASSERT_FALSE(renamed);
    EXPECT_THAT(renamed.error().text(), HasSubstr("gpu has 1 run here"));
    EXPECT_TRUE(machines_->put({"gpu", "ann@elsewhere", "kurve", ""}, "gpu"));
    EXPECT_TRUE(machines_->put({"new", "x", "kurve", ""}, ""));
    EXPECT_TRUE(machines_->put({"newer", "x", "kurve", ""}, "new"));
}

TEST_F(MachineServiceTest, AnErrorOfTheEngineHasItsRemedy) {
    begin(
        R"(echo '{"error":{"code":"remote.authentication","message":"no key","remedy":"ssh-copy-id"}}'; exit 1)");
    machines_->listRuns("gpu");
    ASSERT_TRUE(soon([&] { return machines_->runsOf("gpu").answer.has_value(); }));
    EXPECT_THAT(words(), HasSubstr("machines runs gpu"));
    EXPECT_EQ(machines_->runsOf("gpu").answer->error().remedy, "ssh-copy-id");
}

TEST_F(MachineServiceTest, AFileThatAnEditorChangesIsReadAgain) {
    begin("exit 0");
    write("[gpu]\nhost = \"ann@gpu\"\n[other]\nhost = \"x\"\n");
    EXPECT_TRUE(soon([&] { return machines_->list().size() == 2; }));
    write("[gpu]\nport = 22\n");
    EXPECT_TRUE(soon([&] { return !machines_->problem().isEmpty(); }));
    EXPECT_TRUE(machines_->list().empty());
    EXPECT_FALSE(machines_->put({"new", "x", "kurve", ""}, "")) << "a damaged file is not overwritten";
}

TEST_F(MachineServiceTest, ARunThatNobodyFollowsIsFollowedOnceASession) {
    writeMirrored("running");
    begin("exit 0");
    ASSERT_TRUE(soon([&] { return control_->supervisor(kRun) != nullptr; }))
        << "the state is " << catalog_->run(kRun)->state;
    ASSERT_TRUE(soon([&] { return !control_->isLive(kRun); }));
    EXPECT_THAT(words(), HasSubstr(std::string("follow ") + kRun + " --project"));
    const std::string once = words();
    Q_EMIT catalog_->runsChanged();
    QTest::qWait(300);
    EXPECT_EQ(words(), once);
}

/// As in a project from elsewhere: its machine and the program there were chosen by others.
TEST_F(MachineServiceTest, ACopiedRunIsFollowedOnlyOnDemand) {
    writeMirrored("running");
    const auto runs = project_ / "runs";
    std::filesystem::copy(runs / kRun, runs / "copied", std::filesystem::copy_options::recursive);
    std::filesystem::remove_all(runs / kRun);
    begin("exit 0");
    ASSERT_TRUE(soon([&] { return catalog_->data("copied") != nullptr; }));
    EXPECT_EQ(catalog_->run("copied")->state, "lost_contact");
    QTest::qWait(300);
    EXPECT_EQ(words(), "");
    machines_->follow("copied", {});
    EXPECT_TRUE(soon([&] { return !control_->isLive("copied"); }));
    EXPECT_THAT(words(), HasSubstr("follow copied"));
}

TEST_F(MachineServiceTest, NothingIsAskedOfAMachineThatIsNotListed) {
    writeMirrored("running");
    write("");
    begin("exit 0");
    ASSERT_TRUE(soon([&] { return catalog_->data(kRun) != nullptr; }));
    QTest::qWait(300);
    EXPECT_EQ(control_->supervisor(kRun), nullptr);
    EXPECT_EQ(words(), "");
}

TEST_F(MachineServiceTest, AFinishedRunIsNotFollowed) {
    writeMirrored("completed");
    begin("exit 0");
    const views::WatchedRuns watched(catalog_.get(), {kRun});
    ASSERT_TRUE(soon([&] { return catalog_->data(kRun) != nullptr; }));
    QTest::qWait(300);
    EXPECT_EQ(control_->supervisor(kRun), nullptr);
}

TEST_F(MachineServiceTest, FetchingShowsItsProgressAndSaysItsEnd) {
    begin(
        R"(echo '{"v":1,"type":"transfer","path":"checkpoints/step-00000100","done":5000000,"total":20000000}'
)");
    FetchStatus button(*machines_);
    QSignalSpy fetched(machines_.get(), &MachineService::fetched),
        status(machines_.get(), &MachineService::fetchStatusChanged);
    machines_->fetch(kRun, {"step-00000100"});
    EXPECT_TRUE(button.isVisibleTo(nullptr));
    machines_->fetch("other", {});
    EXPECT_EQ(said_.size(), 1) << "one at a time";
    ASSERT_TRUE(fetched.wait(30000));
    EXPECT_EQ(words(), std::string("fetch ") + kRun + " checkpoints/step-00000100 --project " +
                           project_.path().string() + " --events\n");
    QStringList texts;
    for (const auto& one : status) texts << one.front().toString();
    EXPECT_TRUE(
        texts.contains(QStringLiteral("Fetching checkpoints/step-00000100 of %1: 5.0 MB of 20 MB").arg(kRun)))
        << texts.join('\n').toStdString();
    EXPECT_TRUE(button.isHidden());
}

TEST_F(MachineServiceTest, ACancelledFetchSaysThatItCanGoOn) {
    begin("read line; case $line in *stop*) exit 130;; esac; exit 1");
    machines_->fetch(kRun, {});
    machines_->cancelFetch();
    ASSERT_TRUE(soon([&] { return !said_.isEmpty(); }));
    EXPECT_THAT(said_.join(' ').toStdString(), HasSubstr("Fetch again to continue"));
}

/// While the machine hashes a large file nothing is read.
TEST_F(MachineServiceTest, AFetchThatHasToBeKilledWasCancelled) {
    begin("exec sleep 60");
    machines_->fetch(kRun, {});
    machines_->cancelFetch();
    ASSERT_TRUE(soon([&] { return !said_.isEmpty(); }));
    EXPECT_THAT(said_.join(' ').toStdString(), HasSubstr("Fetch again to continue"));
    said_.clear();
    begin("kill -KILL $$");
    machines_->fetch(kRun, {});
    ASSERT_TRUE(soon([&] { return !said_.isEmpty(); }));
    EXPECT_THAT(said_.join(' ').toStdString(), HasSubstr("ended unexpectedly"));
}

TEST_F(MachineServiceTest, TheLastCheckpointIsTheOneSavedLast) {
    writeMirrored("completed");
    {
        const auto writer = std::move(*store::RunWriter::open(project_ / "runs" / kRun));
        store::CheckpointRow row;  // resumed from an older one
        row.step = 150;
        row.path = store::RunFile("checkpoints/step-00000150");
        writer->checkpoint(row);
    }
    const auto weights = project_ / "runs" / kRun / "checkpoints/step-00000200";
    std::filesystem::create_directories(weights);
    std::ofstream(weights / "weights.safetensors") << "x";
    begin("exit 0");
    const views::WatchedRuns watched(catalog_.get(), {kRun});
    ASSERT_TRUE(soon([&] { return catalog_->data(kRun) != nullptr; }));
    EXPECT_THAT(machines_->missingWeights(kRun, "last").toStdString(), HasSubstr("on gpu"));
    EXPECT_EQ(machines_->missingWeights(kRun, "200"), "");
}

TEST_F(MachineServiceTest, WeightsThatAreOnTheMachineOnlyAreNamed) {
    writeMirrored("completed");
    begin("exit 0");
    const views::WatchedRuns watched(catalog_.get(), {kRun});
    ASSERT_TRUE(soon([&] { return catalog_->data(kRun) != nullptr; }));
    EXPECT_THAT(machines_->missingWeights(kRun, "last").toStdString(), HasSubstr("on gpu"));
    EXPECT_THAT(machines_->missingWeights(kRun, "best").toStdString(), HasSubstr("on gpu"));
    const auto weights = project_ / "runs" / kRun / "checkpoints/step-00000200";
    std::filesystem::create_directories(weights);
    std::ofstream(weights / "weights.safetensors") << "x";
    EXPECT_EQ(machines_->missingWeights(kRun, "last"), "");
    EXPECT_EQ(machines_->missingWeights(kRun, "200"), "");
    EXPECT_NE(machines_->missingWeights(kRun, "100"), "");
    EXPECT_EQ(machines_->missingWeights(kRun, "best"), "") << "which it is, the engine knows";
    EXPECT_EQ(machines_->missingWeights("another run", "last"), "");
}

}  // namespace
}  // namespace kurve::studio
