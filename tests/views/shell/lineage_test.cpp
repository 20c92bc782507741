// Lineage and data of a run in the inspector.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <fstream>

#include "core/base/hash.h"
#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/lineage.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/runs/data_badge.h"
#include "views/runs/fork_form.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/lineage_tree.h"
#include "views/runs/run_requests.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using Link = LineageNode::Link;

store::RunSummary run(const std::string& id, const std::string& parent = {}, std::int64_t step = -1) {
    store::RunSummary summary;
    summary.id = summary.name = id;
    summary.parent = parent;
    summary.parentStep = step;
    return summary;
}

TEST(Lineage, EachForkStandsBelowItsParentInTheOrderOfSteps) {
    store::RunSummary reproduction = run("again");
    reproduction.reproduces = "root";
    const std::vector<store::RunSummary> runs{run("late", "root", 800),
                                              run("grandchild", "early", 500),
                                              run("stranger"),
                                              run("early", "root", 400),
                                              reproduction,
                                              run("root")};
    const std::vector<LineageNode> family{{"root", 0, Link::Root, -1},
                                          {"again", 1, Link::Reproduction, -1},
                                          {"early", 1, Link::Fork, 400},
                                          {"grandchild", 2, Link::Fork, 500},
                                          {"late", 1, Link::Fork, 800}};
    EXPECT_EQ(lineageOf(runs, "root"), family);
    EXPECT_EQ(lineageOf(runs, "grandchild"), family) << "of each member the same";
    EXPECT_THAT(lineageOf(runs, "stranger"), ElementsAre(LineageNode{"stranger", 0, Link::Root, -1}));
}

TEST(Lineage, AMissingParentAndACycle) {
    EXPECT_THAT(
        lineageOf({run("child", "purged", 100)}, "child"),
        ElementsAre(LineageNode{"purged", 0, Link::Missing, -1}, LineageNode{"child", 1, Link::Fork, 100}));
    EXPECT_EQ(lineageOf({run("a", "b", 1), run("b", "a", 2)}, "a").size(), 2) << "a damaged record ends";
}

class LineageTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        std::ofstream(folder_ / "project.toml") << "name = \"t\"\n";
        project_ = *store::Project::open(folder_.path());
    }
    void write(const std::string& id, const std::map<std::string, std::string>& values) {
        auto writer = *store::RunWriter::open(project_->runFolder(id));
        writer->set("id", id);
        writer->set("name", "name of " + id);
        writer->set("state", "completed");
        for (const auto& [key, value] : values) writer->set(key, value);
        ASSERT_TRUE(writer->flush());
    }
    kurve::testing::TemporaryFolder folder_;
    std::optional<store::Project> project_;
};

TEST_F(LineageTest, TheTreeShowsForkStepsAndRequestsAClickedRun) {
    write("one", {});
    write("two", {{"parent", "one"}, {"parent_checkpoint", "step-00000400"}});
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 2; }, 30000));
    LineageTree tree;
    tree.setRun("two", nullptr, catalog);
    EXPECT_FALSE(tree.isHidden());
    ASSERT_EQ(tree.topLevelItemCount(), 1);
    QTreeWidgetItem* parent = tree.topLevelItem(0);
    EXPECT_EQ(parent->text(0), "name of one");
    ASSERT_EQ(parent->childCount(), 1);
    EXPECT_EQ(parent->child(0)->text(1), "at 400");
    EXPECT_TRUE(parent->child(0)->font(0).bold()) << "the shown one";
    QSignalSpy requested(&tree, &LineageTree::runRequested);
    Q_EMIT tree.itemClicked(parent->child(0), 0);
    EXPECT_EQ(requested.count(), 0) << "it is shown already";
    Q_EMIT tree.itemClicked(parent, 0);
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested.first().at(0).toString(), "one");
}

TEST_F(LineageTest, TheTreeShowsTheRunsThatARunWasMadeWithAndFor) {
    const auto pin = [](const char* field, const char* run) {
        return nlohmann::json::array({{{"field", field}, {"run", run}, {"checkpoint", "step-00000400"}}})
            .dump();
    };
    write("base", {});
    write("middle", {{"references", pin("model.base", "base")}});
    write("top", {{"references", pin("train.init_from", "middle")}});
    write("orphan", {{"references", pin("model.base", "deleted")}});
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 4; }, 30000));
    LineageTree tree;
    tree.setRun("middle", nullptr, catalog);
    ASSERT_EQ(tree.topLevelItemCount(), 1);
    const QTreeWidgetItem* own = tree.topLevelItem(0);
    QStringList rows;
    for (int i = 0; i < own->childCount(); ++i)
        rows << own->child(i)->text(0) + ": " + own->child(i)->text(1);
    rows.sort();
    EXPECT_EQ(rows, (QStringList{"name of base: ← model.base", "name of top: → train.init_from"}));
    tree.setRun("orphan", nullptr, catalog);
    ASSERT_EQ(tree.topLevelItem(0)->childCount(), 1);
    EXPECT_EQ(tree.topLevelItem(0)->child(0)->text(1), "← model.base · not in this project");
    // In a narrow tree the relation gives way, not the name.
    tree.resize(260, 60);
    tree.setVisible(true);
    const QTreeWidgetItem* named = tree.topLevelItem(0);
    const int name = tree.fontMetrics().horizontalAdvance(named->text(0));
    EXPECT_GT(tree.columnWidth(0), name + tree.iconSize().width()) << tree.columnWidth(0);
    EXPECT_LT(tree.columnWidth(0), 200);
}

TEST_F(LineageTest, ARunWithoutRelativesHasNoTreeAndAResumeIsARow) {
    write("one", {});
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 1; }, 30000));
    LineageTree tree;
    tree.setRun("one", nullptr, catalog);
    EXPECT_TRUE(tree.isHidden());
    RunData data;
    data.segments = {{1, 0, 0, "start"}, {2, 1200, 0, "resume"}};
    tree.setRun("one", &data, catalog);
    EXPECT_FALSE(tree.isHidden());
    ASSERT_EQ(tree.topLevelItem(0)->childCount(), 1);
    const QTreeWidgetItem* resumed = tree.topLevelItem(0)->child(0);
    EXPECT_THAT(resumed->text(0).toStdString(), ::testing::HasSubstr("resumed"));
    EXPECT_EQ(resumed->text(1), "at 1\u2009199") << "the step it stood at, as the engine says";
    // A fork is written, then gone on with from there: nothing was resumed.
    data.segments = {{1, 401, 0, "forked"}, {2, 401, 0, "resumed"}};
    tree.setRun("one", &data, catalog);
    EXPECT_TRUE(tree.isHidden());
    data.segments.push_back({3, 450, 0, "resumed"});
    tree.setRun("one", &data, catalog);
    ASSERT_EQ(tree.topLevelItemCount(), 1);
    EXPECT_EQ(tree.topLevelItem(0)->childCount(), 1);
}

TEST(ParentCurve, EndsAtTheForkStepAlsoWhereStepsRestart) {
    auto loss = std::make_shared<store::Series>();
    loss->step = {100, 200, 300};
    loss->value = {3, 2, 1};
    loss->wall = {10, 20, 30};
    RunData parent, fork;
    parent.series["loss"] = loss;
    fork.summary.parentStep = 200;
    fork.segments = {{1, 201, 0, "forked"}};
    const auto goesOn = parentCurve(fork, parent, "loss", {});
    EXPECT_THAT(goesOn.x, ElementsAre(100, 200));
    EXPECT_THAT(goesOn.y, ElementsAre(3, 2));
    fork.segments = {{1, 1, 0, "forked"}, {2, 1, 0, "resumed"}};  // of the weights alone
    EXPECT_THAT(parentCurve(fork, parent, "loss", {}).x, ElementsAre(-100, 0));
    parent.series["valid_loss"] = std::make_shared<store::Series>(store::Series{{100}, {10}, {3}});
    EXPECT_THAT(parentCurve(fork, parent, "valid_loss", {RunAxis::Kind::Training, {}}).x, ElementsAre(-10))
        << "the fork is where loss ends";
}

TEST_F(LineageTest, TheBadgeNamesTheFileThatChanged) {
    std::ofstream(folder_ / "train.tsv") << "a\tb\n";
    std::ofstream(folder_ / "valid.tsv") << "c\td\n";
    DataRecord record;
    record.project = folder_.path();
    for (const char* file : {"train.tsv", "valid.tsv"}) record.corpora[file] = *sha256File(folder_ / file);
    DataBadge badge;
    badge.setRecord(record);
    ASSERT_TRUE(QTest::qWaitFor([&] { return badge.result().known; }, 30000));
    EXPECT_TRUE(badge.result().changed.empty());
    EXPECT_TRUE(badge.result().isFine());
    EXPECT_TRUE(badge.isHidden());
    std::ofstream(folder_ / "train.tsv") << "a\tx\n";  // as long as before; the badge watches its files
    ASSERT_TRUE(QTest::qWaitFor([&] { return !badge.result().changed.empty(); }, 30000));
    EXPECT_THAT(badge.result().changed, ElementsAre("train.tsv"));
    EXPECT_FALSE(badge.isHidden());
    EXPECT_THAT(badge.text().toStdString(), ::testing::HasSubstr("⚠"));
    EXPECT_THAT(badge.text().toStdString(), ::testing::HasSubstr("train.tsv"));
    EXPECT_THAT(badge.text().toStdString(), ::testing::HasSubstr(theme().bad.name().toStdString()));
    std::filesystem::remove(folder_ / "valid.tsv");
    EXPECT_THAT(checkData(record).missing, ElementsAre("valid.tsv"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !badge.result().missing.empty(); }, 30000));
    std::ofstream(folder_ / "valid.tsv") << "c\td\n";
    EXPECT_TRUE(QTest::qWaitFor([&] { return badge.result().missing.empty(); }, 30000)) << "it is back";
    badge.setRecord({});
    EXPECT_TRUE(badge.isHidden());
}

TEST_F(LineageTest, TheInspectorShowsTheSettingsOfARunThatWasReadBefore) {
    std::ofstream(folder_ / "train.tsv") << "a\tb\n";
    const std::string corpora = "{\"train.tsv\":\"" + *sha256File(folder_ / "train.tsv") + "\"}";
    for (const char* id : {"one", "two"})
        write(id, {{"corpora", corpora}, {"config", "family = \"unknown\"\n[model]\nwidth = 128\n"}});
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 2; }, 30000));
    const WatchedRuns watched(&catalog, {"two"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.data("two") != nullptr; }, 30000));
    CommandRegistry commands;
    Playhead playhead;
    Selection selection;
    EngineInfo engine;
    InspectorPanel panel({&*project_, &commands, &playhead, &selection, &catalog, &engine});
    const auto* settings = panel.findChild<QTreeWidget*>("inspector.settings");
    const auto* badge = panel.findChild<DataBadge*>("inspector.data");
    selection.setRuns({"one"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return badge->result().isFine(); }, 30000));
    EXPECT_GT(settings->topLevelItemCount(), 0);
    selection.setRuns({"two"});
    EXPECT_GT(settings->topLevelItemCount(), 0);
}

// Of a run that was stopped before its end an extension counted from where it stood: it came out shorter than
// planned.
TEST_F(LineageTest, AnExtensionSaysWhereItEndsAndCountsFromThePlannedEnd) {
    write("one", {{"state", "cancelled"}, {"heartbeat_step", "300"}, {"total_steps", "1000"}});
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 1; }, 30000));
    CommandRegistry commands;
    Playhead playhead;
    Selection selection;
    EngineInfo engine;
    struct : RunRequests {
        void carryOut(const RunRequest& made) override { request = made; }
        std::optional<RunRequest> request;
    } requests;
    const StudioContext context{&*project_, &commands, &playhead, &selection, &catalog, &engine};
    context.services->offer<RunRequests>(requests);
    InspectorPanel panel(context);
    selection.setRuns({"one"});
    panel.findChild<QSpinBox*>("inspector.extra")->setValue(400);
    EXPECT_EQ(panel.findChild<QLabel*>("inspector.extendsTo")->text(),
              "to step 1\u2009400, 400 more than planned");
    const auto& request = requests.request;
    panel.findChild<QPushButton*>("inspector.extend")->click();
    ASSERT_TRUE(request);
    EXPECT_EQ(request->kind, RunRequest::Kind::Extend);
    EXPECT_EQ(request->steps, 1400);
}

// The end of a run planned by time is what its speed promised: it was called planned. In a narrow inspector
// the sentence pushed everything past the right edge.
TEST_F(LineageTest, AnExtensionOfARunPlannedByTimeIsNotCalledPlannedAndFitsANarrowInspector) {
    const std::map<std::string, std::string> values{{"state", "cancelled"},
                                                    {"total_steps", "99999"},
                                                    {"heartbeat_step", "300"},
                                                    {"config", "family = \"toy\"\n[train]\nseconds = 90\n"}};
    write("one", values);
    RunCatalog catalog(*project_);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 1; }, 30000));
    Schema schema{"toy", "Toy", "", {}, {}};
    schema.fields = {integerField("train.steps", 0, "steps"), realField("train.seconds", 0, "time")};
    EngineInfo engine = *EngineInfo::fromJson({{"families", {toJson(schema)}}});
    CommandRegistry commands;
    Playhead playhead;
    Selection selection;
    InspectorPanel panel({&*project_, &commands, &playhead, &selection, &catalog, &engine});
    selection.setRuns({"one"});
    auto* const end = panel.findChild<QLabel*>("inspector.extendsTo");
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return end->text() == "to step 100\u2009999, 1\u2009000 more than the 99\u2009999 expected"; },
        30000))
        << end->text().toStdString();
    EXPECT_LE(end->minimumSizeHint().width(), px(200)) << "it goes on in the next line";
}

TEST_F(LineageTest, AForkOffersTheValuesOfItsCheckpoint) {
    write("one", {{"config", "family = \"toy\"\n[train]\nlr = 0.0005\n"}});
    const auto checkpoint = project_->runFolder("one") / "checkpoints/step-00000300";
    std::filesystem::create_directories(checkpoint);
    std::ofstream(checkpoint / "state.json") << R"({"live": [[100, "train.lr", "0.0007"]]})";
    {
        const auto writer = *store::RunWriter::open(project_->runFolder("one"));
        writer->checkpoint({.step = 300, .path = "checkpoints/step-00000300", .sha256 = ""});
        ASSERT_TRUE(writer->flush());
    }
    Schema schema{"toy", "Toy", "", {}, {}};
    schema.fields = {realField("train.lr", 0.001, "peak learning rate")};
    EngineInfo engine = *EngineInfo::fromJson({{"families", {toJson(schema)}}});
    RunCatalog catalog(*project_);
    CommandRegistry commands;
    Playhead playhead;
    Selection selection;
    InspectorPanel panel({&*project_, &commands, &playhead, &selection, &catalog, &engine});
    selection.setRuns({"one"});
    auto* form = panel.findChild<ForkForm*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return form->add("train.lr"); }, 30000));
    EXPECT_EQ(panel.findChild<QLineEdit*>("fork.train.lr")->text(), "0.0007");
}

}  // namespace
}  // namespace kurve::views
