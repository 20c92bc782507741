// The queue as a value: what may start when, and what a person's edits do; and the table that shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonObject>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>

#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/launch/queue.h"
#include "views/launch/queue_panel.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using Kind = QueueEdit::Kind;
using State = QueueItem::State;

QueueItem item(const QString& id, const QString& device = {}, const QString& after = {}) {
    QueueItem item;
    item.id = item.title = id;
    item.words = QStringList{"train", "x.toml"};
    item.device = device;
    item.after = after;
    return item;
}

QueueState stateOf(std::vector<QueueItem> items) {
    QueueState state;
    state.items = std::move(items);
    return state;
}

QStringList ids(const QueueState& state) {
    QStringList all;
    for (const auto& entry : state.items) all << entry.id;
    return all;
}

TEST(QueueStateTest, AnotherMachineIsADeviceOfItsOwn) {
    QueueItem far = item("far", "cuda:0"), second = item("second");
    far.machine = second.machine = "gpu";
    const QueueState state = stateOf({item("here"), far, second, item("waits")});
    EXPECT_EQ(state.startable({}, "cuda:0"), (QStringList{"here", "far"}));
    EXPECT_EQ(state.whyWaiting(second, {{"far", "far", "gpu"}}, "cuda:0"), "waiting for gpu");
    const QueueState read = QueueState::fromJson(state.toJson());
    ASSERT_EQ(read.items.size(), 4u);
    EXPECT_EQ(read.items[1].machine, "gpu");
    QJsonObject hostile = state.toJson();
    QJsonArray items = hostile["items"].toArray();
    QJsonObject entry = items[1].toObject();
    entry["machine"] = "--project";
    items[1] = entry;
    hostile["items"] = items;
    EXPECT_EQ(QueueState::fromJson(hostile).items.size(), 3u) << "no machine is called like an option";
}

TEST(QueueStateTest, EachDeviceStartsItsEntriesInOrder) {
    QueueState state =
        stateOf({item("a"), item("b", "cuda:0"), item("c"), item("d", "cuda:0"), item("e", "cpu")});
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"a", "b"}));
    EXPECT_EQ(state.startable({{"cpu", 1}}, "cpu"), (QStringList{"b"}));
    apply({Kind::Parallel, {}, "cpu", 3}, state);
    EXPECT_EQ(state.startable({{"cpu", 1}}, "cpu"), (QStringList{"a", "b", "c"}));
    EXPECT_EQ(state.startable({}, "cuda:0"), (QStringList{"a", "e"})) << "auto means the GPU here";
    apply({Kind::Pause, {}, {}, 1}, state);
    EXPECT_TRUE(state.startable({}, "cpu").isEmpty());
}

TEST(QueueStateTest, SeveralProcessesOccupyAGpuEach) {
    QueueItem two = item("two");
    two.words << "--nproc"
              << "2";
    QueueState state = stateOf({item("a", "cuda:1"), two, item("b", "cuda:0"), item("c", "cuda:2")});
    EXPECT_EQ(state.startable({}, "cuda:0"), (QStringList{"a", "c"})) << "b does not pass the one before it";
    EXPECT_EQ(state.startable({{"cuda:1", 1}}, "cuda:0"), (QStringList{"c"}));
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"a", "two", "b", "c"})) << "cores are shared";
    EXPECT_EQ(state.whyWaiting(state.items[1], {{"r", "r", "cuda:1"}}, "cuda:0"),
              "waiting for cuda:0, cuda:1");
    const auto blocking = state.blockingRun(state.items[1], {{"r", "r", "cuda:1", true}}, "cuda:0");
    ASSERT_TRUE(blocking);
    EXPECT_EQ(blocking->device, "cuda:1");
    std::swap(state.items[0], state.items[1]);
    EXPECT_EQ(state.startable({}, "cuda:0"), (QStringList{"two", "c"}));
    state.items[0].words.last() = "2000000000";
    EXPECT_EQ(state.startable({}, "cuda:0"), QStringList{"two"}) << "from a file of anybody's";
}

TEST(QueueStateTest, AWaitingEntryNamesTheRunThatBlocksIt) {
    QueueState state = stateOf({item("a"), item("b"), item("c", {}, "b"), item("d", "cuda:0")});
    state.items[0].state = State::Running;
    state.items[0].run = "r";
    std::vector<DeviceOccupant> occupants{{"r", "a", "cpu", false}};
    const auto why = [&](int row) {
        return state.whyWaiting(state.items[static_cast<std::size_t>(row)], occupants, "cpu");
    };
    EXPECT_EQ(why(1), "waiting for cpu");
    EXPECT_FALSE(state.blockingRun(state.items[1], occupants, "cpu"));
    occupants[0].paused = true;
    EXPECT_TRUE(why(1).startsWith("a is paused and blocks cpu: resume it, stop it, or allow"));
    ASSERT_TRUE(state.blockingRun(state.items[1], occupants, "cpu"));
    EXPECT_EQ(state.blockingRun(state.items[1], occupants, "cpu")->run, "r");
    EXPECT_EQ(why(2), "after b");
    EXPECT_FALSE(state.blockingRun(state.items[2], occupants, "cpu")) << "its turn is not there yet";
    EXPECT_FALSE(state.blockingRun(state.items[3], occupants, "cpu")) << "another device";
    apply({Kind::Parallel, {}, "cpu", 2}, state);
    EXPECT_FALSE(state.blockingRun(state.items[1], occupants, "cpu")) << "two may run";
    apply({Kind::Pause, {}, {}, 1}, state);
    EXPECT_EQ(why(1), "the queue is paused");
}

TEST(QueueStateTest, HeldAndDependentOnesLetOthersPass) {
    QueueState state = stateOf({item("a"), item("b", {}, "a"), item("c")});
    apply({Kind::Hold, {"a"}, {}, 0}, state);
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"c"}));
    apply({Kind::Release, {"a"}, {}, 0}, state);
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"a"}));
    state.items[0].state = State::Completed;
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"b"}));
    state.items[0].state = State::Failed;
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"c"}));
    EXPECT_TRUE(state.waitsFor(state.items[1]).contains("did not complete"));
    apply({Kind::Release, {"b"}, {}, 0}, state);
    EXPECT_EQ(state.startable({}, "cpu"), (QStringList{"b"})) << "a released entry starts";
}

TEST(QueueStateTest, NothingWaitsForItself) {
    QueueState state = stateOf({item("a"), item("b", {}, "a"), item("c", {}, "b")});
    apply({Kind::After, {"a"}, "c", 0}, state);
    EXPECT_EQ(state.items[0].after, "");
    apply({Kind::After, {"a"}, "a", 0}, state);
    EXPECT_EQ(state.items[0].after, "");
    apply({Kind::After, {"c"}, "a", 0}, state);
    EXPECT_EQ(state.items[2].after, "a");
}

TEST(QueueStateTest, RunningEntriesStayAndEndedOnesAreRequeued) {
    QueueState state = stateOf({item("a"), item("b"), item("c"), item("d", {}, "c")});
    state.items[0].state = State::Running;
    state.items[1].state = State::Failed;
    state.items[1].run = "r1";
    state.items[1].reason = "no data";
    state.items[1].experiment = state.items[2].experiment = "steps = 1";
    state.items[1].words = QStringList{"train", "a.toml", "--force"};
    state.items[2].state = State::Failed;
    apply({Kind::Remove, {"a"}, {}, 0}, state);
    EXPECT_EQ(ids(state), (QStringList{"a", "b", "c", "d"}));
    apply({Kind::Requeue, {"a", "b"}, {}, 0}, state);
    EXPECT_EQ(state.items[0].state, State::Running);
    EXPECT_EQ(state.items[1].state, State::Waiting);
    EXPECT_EQ(state.items[1].experiment, "") << "its file may have been what was wrong";
    EXPECT_EQ(state.items[1].words, (QStringList{"train", "a.toml"})) << "forced for one start";
    EXPECT_EQ(state.items[1].run, "") << "a new run: the failed one keeps what it has";
    state.items[1].state = State::Cancelled;
    apply({Kind::ClearEnded, {}, {}, 0}, state);
    EXPECT_EQ(ids(state), (QStringList{"a", "c", "d"})) << "d still says that it waits for c";
    apply({Kind::Order, {"d", "a"}, {}, 0}, state);
    EXPECT_EQ(ids(state), (QStringList{"d", "a", "c"}));
    apply({Kind::Remove, {"c"}, {}, 0}, state);
    EXPECT_EQ(ids(state), (QStringList{"d", "a"}));
    EXPECT_EQ(state.startable({}, "cpu"), QStringList()) << "d does not start without what c was to make";
    apply({Kind::Release, {"d"}, {}, 0}, state);
    EXPECT_EQ(state.startable({}, "cpu"), QStringList{"d"});
}

TEST(QueueStateTest, IsRestoredFromItsFile) {
    QueueState state = stateOf({item("a", "cuda:1", "b"), item("b")});
    state.items[0].run = "r";
    state.items[0].reason = "why";
    state.items[0].experiment = "steps = 1";
    state.items[1].state = State::Held;
    state.parallel["cpu"] = 2;
    state.paused = true;
    const QueueState back = QueueState::fromJson(state.toJson());
    EXPECT_EQ(back.toJson(), state.toJson());
    ASSERT_EQ(back.items.size(), 2u);
    EXPECT_EQ(back.items[0].after, "b");
    EXPECT_EQ(back.items[0].words, (QStringList{"train", "x.toml"}));
    EXPECT_EQ(back.items[1].state, State::Held);
    EXPECT_EQ(back.parallelOn("cpu"), 2);
    EXPECT_TRUE(QueueState::fromJson({{"items", "nonsense"}}).items.empty());
}

// The file lies in the project, which may come from anybody, and what waits in it begins by itself.
TEST(QueueStateTest, StartsTrainingsOnly) {
    const std::vector<QStringList> wrong{{"export", "r", "--out", "/home/file"},
                                         {"train", "--project"},
                                         {"train", "x.toml", "--set"},
                                         {"train", "x.toml", "--out", "a=b"},
                                         {"train", "x.toml", "--set", "no value"},
                                         {"train", "/dev/zero"},
                                         {"checkpoints", "r", "--prune"},
                                         {"resume", "r"},
                                         {"train"}};
    for (const QStringList& words : wrong) {
        QueueItem bad = item("a");
        bad.words = words;
        EXPECT_TRUE(QueueState::fromJson(stateOf({bad}).toJson()).items.empty())
            << words.join(' ').toStdString();
    }
    QueueItem good = item("a");
    good.words << "--set"
               << "train.lr=0.1";
    EXPECT_EQ(QueueState::fromJson(stateOf({good}).toJson()).items.size(), 1U);
    QueueItem insisted = good;
    insisted.words << "--force";
    QJsonObject file = stateOf({insisted}).toJson();
    EXPECT_EQ(QueueState::fromJson(file).items.at(0).words, good.words) << "it waits, and is refused again";
    QJsonArray items = file["items"].toArray();
    QJsonObject forged = items[0].toObject();
    forged["words"] = QJsonArray{"train", "x.toml", "--force"};
    file["items"] = QJsonArray{forged};
    EXPECT_TRUE(QueueState::fromJson(file).items.empty()) << "who wrote that is nobody here";
    for (QString QueueItem::*part : {&QueueItem::device, &QueueItem::run}) {
        QueueItem bad = good;
        bad.*part = "--force";
        EXPECT_TRUE(QueueState::fromJson(stateOf({bad}).toJson()).items.empty());
    }
}

class QueuePanelTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        qRegisterMetaType<QueueEdit>();
        testing::writeSyntheticProject(folder_.path());
        project_ = *store::Project::open(folder_.path());
        catalog_.emplace(*project_);
        context_.project = &*project_;
        context_.commands = &commands_;
        context_.catalog = &*catalog_;
        context_.engine = &engine_;
        context_.services->offer<Queue>(queue_);
        context_.services->offer<Trainings>(trainings_);
    }
    struct : Queue {
        void set(const QueueState& state, std::vector<DeviceOccupant> occupants = {}) {
            state_ = state;
            occupants_ = std::move(occupants);
            Q_EMIT changed();
        }
        std::vector<DeviceOccupant> occupants() const override { return occupants_; }
        void edit(const QueueEdit& made) override {
            edited = made;
            apply(made, state_);
            Q_EMIT changed();
        }
        std::optional<QueueEdit> edited;
        std::vector<DeviceOccupant> occupants_;
    } queue_;
    struct : Trainings {
        void resume(const QString& run) override { asked << "resume " + run; }
        void stop(const QString& run) override { asked << "stop " + run; }
        Preparation preparation(const QString& run) const override {
            return run == QLatin1String("r") ? prepares : Preparation();
        }
        QStringList asked;
        Preparation prepares;
    } trainings_;
    testing::TemporaryFolder folder_;
    std::optional<store::Project> project_;
    std::optional<RunCatalog> catalog_;
    CommandRegistry commands_;
    EngineInfo engine_ = *EngineInfo::fromJson(nlohmann::json::parse(testing::syntheticDescription()));
    StudioContext context_;
};

TEST_F(QueuePanelTest, ShowsMovesAndHolds) {
    QueuePanel panel(context_);
    EXPECT_FALSE(panel.hasData());
    queue_.set(stateOf({item("a"), item("b"), item("c")}));
    const QueueState& state = queue_.state();
    EXPECT_TRUE(panel.hasData());
    auto* table = panel.findChild<QTreeWidget*>("queue.table");
    ASSERT_EQ(table->topLevelItemCount(), 3);
    table->setCurrentItem(table->topLevelItem(2));
    commands_.action("queue.up")->trigger();
    EXPECT_EQ(ids(state), (QStringList{"a", "c", "b"}));
    commands_.action("queue.first")->trigger();
    EXPECT_EQ(ids(state), (QStringList{"c", "a", "b"}));
    EXPECT_TRUE(table->topLevelItem(0)->isSelected()) << "the selection goes with the row";
    commands_.action("queue.hold")->trigger();
    EXPECT_EQ(state.items[0].state, State::Held);
    commands_.action("queue.hold")->trigger();
    EXPECT_EQ(state.items[0].state, State::Waiting);
    panel.findChild<QPushButton*>("queue.pause")->click();
    EXPECT_TRUE(state.paused);
    EXPECT_FALSE(commands_.action("queue.hold")->autoRepeat()) << "held, it would end as anything";
    commands_.action("queue.remove")->trigger();
    EXPECT_EQ(ids(state), (QStringList{"a", "b"}));
}

TEST_F(QueuePanelTest, ABlockedRowOffersToUnblockIt) {
    QueuePanel panel(context_);
    QueueState state = stateOf({item("a"), item("b")});
    const QString automatic = QString::fromStdString(engine_.defaultDevice());
    state.items[0].state = State::Running;
    state.items[0].run = "r";
    queue_.set(state, {{"r", "a", automatic, false}});
    auto* table = panel.findChild<QTreeWidget*>("queue.table");
    EXPECT_EQ(table->topLevelItem(1)->text(3), "waiting for " + automatic);
    queue_.set(state, {{"r", "a", automatic, true}});
    EXPECT_TRUE(table->topLevelItem(0)->text(1).contains("paused"));
    EXPECT_EQ(panel.statement(), "0 running, 1 paused, 1 waiting");
    EXPECT_EQ(table->topLevelItem(1)->text(3), "blocked by a paused run");
    EXPECT_TRUE(table->topLevelItem(1)->toolTip(3).contains("resume it, stop it"));
    EXPECT_FALSE(commands_.action("queue.resume_blocking")->isEnabled()) << "no row is selected";
    table->setCurrentItem(table->topLevelItem(1));
    for (const char* id : {"queue.resume_blocking", "queue.stop_blocking", "queue.raise_limit"}) {
        ASSERT_TRUE(commands_.action(id)->isEnabled()) << id;
        commands_.action(id)->trigger();
    }
    EXPECT_EQ(trainings_.asked, (QStringList{"resume r", "stop r"}));
    const auto& edit = queue_.edited;
    ASSERT_TRUE(edit);
    EXPECT_EQ(edit->kind, Kind::Parallel);
    EXPECT_EQ(edit->text, automatic);
    EXPECT_EQ(edit->number, 2);
    queue_.set(state, {{"r", "a", automatic, false}});
    EXPECT_FALSE(commands_.action("queue.stop_blocking")->isEnabled()) << "it trains again";
}

TEST_F(QueuePanelTest, ARowSaysHowFarItsPreparationIs) {
    QueuePanel panel(context_);
    QueueState state = stateOf({item("a"), item("b")});
    state.items[0].state = state.items[1].state = State::Running;
    state.items[0].run = "r";
    state.items[1].run = "s";
    queue_.set(state);
    auto* table = panel.findChild<QTreeWidget*>("queue.table");
    trainings_.prepares = {"Preparing: vectors of 5 of 10 sentences", 0.5};
    Q_EMIT trainings_.changed();
    EXPECT_EQ(table->topLevelItem(0)->text(3), "preparing: 50 %") << "the column is narrow";
    EXPECT_EQ(table->topLevelItem(0)->toolTip(3), trainings_.prepares.text);
    EXPECT_EQ(table->topLevelItem(1)->text(3), "");
    trainings_.prepares = {};
    Q_EMIT trainings_.changed();
    EXPECT_EQ(table->topLevelItem(0)->text(3), "");
}

}  // namespace
}  // namespace kurve::views
